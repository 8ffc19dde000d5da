"""What every experiment is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from reproductions.surroundings import Surroundings
from reproductions.verdicts import Measured


class Parameters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the condition of an experiment holds."""

    def corpora(self) -> tuple[str, ...]:
        """Give the names of the corpora it needs."""
        return ()

    def check(self) -> None:
        """Refuse before anything is run what would be refused after hours."""


@dataclass(frozen=True)
class Experiment:
    """A kind of experiment.

    Parameters
    ----------
    parameters : type
        What its conditions hold.
    run : callable
        From parameters, as many of them as rows share a fit, and surroundings to as many measured values. They differ
        in the varying parameter alone.
    varying : str, optional
        The parameter whose values share a fit.
    """

    parameters: type[Parameters]
    run: Callable[[Sequence[Any], Surroundings], list[Measured]]
    varying: str | None = None


def over_repetitions(found: Mapping[int, Measured]) -> Measured:
    """Return the mean of each figure over seeds, its standard deviation (`.deviation`), and its values (`.seed-N`).

    By the values conditions are compared in pairs.

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
