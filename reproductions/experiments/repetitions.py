"""A condition that is tried several times: the means of its figures, how far they scatter, and each of them.

Of a figure `hf` are kept its mean, `hf.deviation`, the standard deviation of a single repetition, and `hf.seed-N`, the
figure of the repetition with the seed N, by which conditions are compared in pairs.
"""

from collections.abc import Mapping

import numpy as np

from reproductions.verdicts import Measured


def over_repetitions(found: Mapping[int, Measured]) -> Measured:
    """Give what is kept of the figures that every seed measured.

    >>> over_repetitions({7: {"hf": 0.25}, 8: {"hf": 0.75}})
    {'hf': 0.5, 'hf.deviation': 0.353..., 'hf.seed-7': 0.25, 'hf.seed-8': 0.75}
    """
    measured: Measured = {}
    for name in next(iter(found.values())):
        figures = np.array([one[name] for one in found.values()])
        measured[name] = float(figures.mean())
        measured[f"{name}.deviation"] = float(figures.std(ddof=1)) if len(found) > 1 else 0.0
        measured |= {f"{name}.seed-{seed}": float(one[name]) for seed, one in found.items()}
    return measured
