"""The paired bootstrap one resample and one document at a time."""

from collections.abc import Callable
from statistics import fmean

import numpy as np

from classmark import Hierarchy
from tests.oracles.metrics import Sets, with_ancestors

Measure = Callable[[Sets, Sets, Hierarchy], float]


def f1(tp: int, predicted: int, true: int) -> float:
    return 2 * tp / (predicted + true) if predicted + true else 0.0


def micro_f1(true: Sets, predicted: Sets, hierarchy: Hierarchy) -> float:
    tp = sum(len(t & p) for t, p in zip(true, predicted, strict=True))
    return f1(tp, sum(map(len, predicted)), sum(map(len, true)))


def macro_f1(true: Sets, predicted: Sets, hierarchy: Hierarchy) -> float:
    pairs = list(zip(true, predicted, strict=True))
    return fmean(
        f1(sum(n in t and n in p for t, p in pairs), sum(n in p for _, p in pairs), sum(n in t for t, _ in pairs))
        for n in range(len(hierarchy))
    )


def macro_f1_present(true: Sets, predicted: Sets, hierarchy: Hierarchy) -> float:
    pairs = list(zip(true, predicted, strict=True))
    found = [
        f1(sum(n in t and n in p for t, p in pairs), sum(n in p for _, p in pairs), sum(n in t for t, _ in pairs))
        for n in range(len(hierarchy))
        if any(n in t for t, _ in pairs)
    ]
    return fmean(found) if found else 0.0


def hf(true: Sets, predicted: Sets, hierarchy: Hierarchy) -> float:
    closed = [[with_ancestors(labels, hierarchy) for labels in sets] for sets in (true, predicted)]
    return micro_f1(*closed, hierarchy)


MEASURES: dict[str, Measure] = {
    "micro_f1": micro_f1,
    "macro_f1": macro_f1,
    "macro_f1_present": macro_f1_present,
    "hf": hf,
}


def differences(
    true: Sets, first: Sets, second: Sets, measure: Measure, hierarchy: Hierarchy, draws: list[list[float]]
) -> list[float]:
    """The difference on each draw, a draw being how often each document is in it."""
    found = []
    for draw in draws:
        rows = [document for document, times in enumerate(draw) for _ in range(int(times))]
        values = [
            measure([true[row] for row in rows], [sets[row] for row in rows], hierarchy) for sets in (first, second)
        ]
        found.append(values[0] - values[1])
    return found


def interval_and_p(observed: float, resampled: list[float], confidence: float) -> tuple[float, float, float]:
    low, high = np.quantile(resampled, [(1 - confidence) / 2, (1 + confidence) / 2])
    extreme = sum(abs(value - observed) >= abs(observed) - 1e-12 for value in resampled)
    return float(low), float(high), (1 + extreme) / (1 + len(resampled))
