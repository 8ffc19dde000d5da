"""The paired bootstrap: how much a measure, and the difference of two classifiers, would vary on other documents.

After Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapters 13 and 16. A resample draws as many
documents as there are, with replacement, and both classifiers are evaluated on the same draw. With δ the difference of
their measures on the documents as they are and δ* on a resample:

- the confidence interval goes between the percentiles (1 − confidence) / 2 and (1 + confidence) / 2 of δ*;
- the p-value is two-sided, with the differences moved so that the null hypothesis holds:
  (1 + the number of resamples where |δ* − δ| ≥ |δ|) / (1 + the number of resamples). It is never 0, and it is 1 where
  the two never differ.

A draw is the vector of how often each document is in it. The measures in `METRICS` are means of F over groups, and the
counts of every group are sums over documents, so all draws of a batch are evaluated by one product, draws × documents
times documents × counts. Any other measure is called once a resample.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import csr_array, hstack

from classmark.arrays import Floats
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.metrics.flat import label_indicator, overlap
from classmark.progress import track

Metric: TypeAlias = Callable[[csr_array, csr_array], float]

CELLS_IN_A_BATCH = 1 << 22


@dataclass(frozen=True)
class BootstrapTest:
    """Two classifiers' measures, their difference, its confidence interval and its two-sided p-value.

    Attributes
    ----------
    metric : str
        The name of the measure.
    first, second, difference : float
        The measure of each on all documents, and first − second.
    low, high : float
        The confidence interval of the difference.
    p_value : float
        How probable so large a difference is if there is none.
    confidence : float
        The share of resamples between `low` and `high`.
    n_resamples : int
        The number of resamples.
    """

    metric: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    p_value: float
    confidence: float
    n_resamples: int


def paired_bootstrap(
    true: csr_array,
    first: csr_array,
    second: csr_array,
    metric: str | Metric = "hf",
    *,
    hierarchy: Hierarchy | None = None,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> BootstrapTest:
    """Compare two classifiers by any measure on resampled documents.

    Parameters
    ----------
    true, first, second : csr_array of bool, (n_documents, n_nodes)
        What is true and what the two predict.
    metric : str or callable
        `"micro_f1"` or `"macro_f1"` over all nodes, of the sets as they are; `"macro_f1_present"`, over the nodes that
        have a true document in the draw; `"hf"`, micro-averaged with ancestors added; or any function of true and
        predicted indicators. F of a group without labels is 0.
    hierarchy : Hierarchy, optional
        The categories; needed for `"hf"`.
    n_resamples : int
        How many times to draw.
    confidence : float, above 0 and below 1
        Of the interval.
    seed : int
        The same seed gives the same draws.

    Examples
    --------
    >>> true = csr_array(np.eye(2, dtype=bool)[[0, 1] * 50])
    >>> second = csr_array(np.eye(2, dtype=bool)[[0, 1] * 45 + [0] * 10])
    >>> test = paired_bootstrap(true, true, second, "micro_f1", n_resamples=200)
    >>> round(test.difference, 3), test.low <= test.difference <= test.high, test.p_value < 0.05
    (0.05, True, True)
    """
    _check(true, first, second, n_resamples, confidence)
    true, first, second = (label_indicator(*pair) for pair in ((true, "true"), (first, "first"), (second, "second")))
    name = metric if isinstance(metric, str) else getattr(metric, "__name__", type(metric).__name__)
    evaluate = _evaluator(metric, true, first, second, hierarchy)
    one, other = (float(values[0]) for values in evaluate(np.ones((1, true.shape[0]))))
    n_batches = -(-n_resamples // _rows(true.shape[0]))
    draws = track(draw_weights(true.shape[0], n_resamples, seed), "batches of resamples", n_batches)
    batches = [evaluate(weights) for weights in draws]
    differences = np.concatenate([a - b for a, b in batches])
    low, high = np.quantile(differences, [(1 - confidence) / 2, (1 + confidence) / 2])
    # Sums of the same fractions in another order differ in the last digits, and must not count as smaller.
    extreme = np.abs(differences - (one - other)) >= abs(one - other) - 1e-12
    p_value = (1 + extreme.sum()) / (1 + n_resamples)
    return BootstrapTest(
        name, one, other, one - other, float(low), float(high), float(p_value), confidence, n_resamples
    )


def draw_weights(n_documents: int, n_resamples: int, seed: int) -> Iterator[Floats]:
    """Draw resamples, in batches: a row says how often each document is in one.

    >>> [weights.sum(axis=1).tolist() for weights in draw_weights(4, 3, seed=0)]
    [[4.0, 4.0, 4.0]]
    """
    rng = np.random.default_rng(seed)
    rows = _rows(n_documents)
    for start in range(0, n_resamples, rows):
        size = min(rows, n_resamples - start)
        drawn = rng.integers(n_documents, size=(size, n_documents))
        drawn += np.arange(size)[:, None] * n_documents
        yield np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape).astype(np.float64)


def _rows(n_documents: int) -> int:
    """Give how many resamples are in a batch."""
    return max(1, CELLS_IN_A_BATCH // n_documents)


def _one_group(true: csr_array, predicted: csr_array, hierarchy: Hierarchy | None) -> list[csr_array]:
    """Count for each document the labels shared, predicted and true."""
    return [csr_array(np.diff(part.indptr).reshape(-1, 1)) for part in overlap(true, predicted)]


def _group_a_node(true: csr_array, predicted: csr_array, hierarchy: Hierarchy | None) -> list[csr_array]:
    """Say for each document and node whether it is shared, predicted and true."""
    return list(overlap(true, predicted))


def _with_ancestors(true: csr_array, predicted: csr_array, hierarchy: Hierarchy | None) -> list[csr_array]:
    if hierarchy is None:
        raise InputError("the metric 'hf' needs the hierarchy; give hierarchy=…")
    return _one_group(hierarchy.close(true), hierarchy.close(predicted), None)


def _mean_f(tp: Floats, predicted: Floats, true: Floats) -> Floats:
    """Give for each draw the mean over the groups of F = 2 tp / (predicted + true), 0 for 0/0."""
    return np.asarray(_f(tp, predicted, true).mean(axis=1))


def _mean_f_present(tp: Floats, predicted: Floats, true: Floats) -> Floats:
    """Give for each draw the mean F of the groups that have a true label in it, 0 where none has."""
    present = true > 0
    return np.asarray((_f(tp, predicted, true) * present).sum(axis=1) / np.maximum(present.sum(axis=1), 1))


def _f(tp: Floats, predicted: Floats, true: Floats) -> Floats:
    f = np.zeros_like(tp)
    np.divide(2 * tp, predicted + true, out=f, where=predicted + true > 0)
    return f


class Parts(NamedTuple):
    """The counts that a measure is made of, three matrices documents × groups, and the mean F of their sums."""

    counts: Callable[[csr_array, csr_array, Hierarchy | None], list[csr_array]]
    mean: Callable[[Floats, Floats, Floats], Floats] = _mean_f


METRICS: dict[str, Parts] = {
    "micro_f1": Parts(_one_group),
    "macro_f1": Parts(_group_a_node),
    "macro_f1_present": Parts(_group_a_node, _mean_f_present),
    "hf": Parts(_with_ancestors),
}
"""What each measure is made of."""


def _evaluator(
    metric: str | Metric, true: csr_array, first: csr_array, second: csr_array, hierarchy: Hierarchy | None
) -> Callable[[Floats], tuple[Floats, Floats]]:
    """Give the function that evaluates both classifiers on a batch of draws."""
    if not isinstance(metric, str):
        return lambda weights: (_call(metric, true, first, weights), _call(metric, true, second, weights))
    if metric not in METRICS:
        raise InputError(f"metric={metric!r}: must be one of {', '.join(map(repr, METRICS))}, or a function")
    made_of, mean = METRICS[metric]
    parts = made_of(true, first, hierarchy) + made_of(true, second, hierarchy)
    counts = csr_array(hstack(parts, format="csr")).astype(np.float64)

    def evaluate(weights: Floats) -> tuple[Floats, Floats]:
        tables: list[Any] = np.split(weights @ counts, 6, axis=1)
        return mean(*tables[:3]), mean(*tables[3:])

    return evaluate


def _call(metric: Metric, true: csr_array, predicted: csr_array, weights: Floats) -> Floats:
    """Call a measure on each draw, with the documents repeated as often as they are in it."""
    draws = (np.repeat(np.arange(row.size), row.astype(np.int64)) for row in weights)
    return np.array([metric(true[rows], predicted[rows]) for rows in draws], dtype=np.float64)


def _check(true: csr_array, first: csr_array, second: csr_array, n_resamples: int, confidence: float) -> None:
    if not true.shape == first.shape == second.shape:
        raise InputError(
            f"true is {true.shape}, first {first.shape} and second {second.shape}; give all for the same documents"
        )
    if not true.shape[0]:
        raise InputError("no document to evaluate: the indicators have no rows; give at least one document")
    if n_resamples < 1:
        raise InputError(f"n_resamples={n_resamples!r}: must be an integer >= 1")
    if not 0 < confidence < 1:
        raise InputError(f"confidence={confidence!r}: must be a number > 0 and < 1")
