"""Whether one classifier is better than another, or only luckier: tests on the same documents.

After Yang and Liu, "A re-examination of text categorization methods" (SIGIR 1999), section 4. A and B are two sets of
answers, `first` and `second`; in the paper's symbols a_i and b_i are what the two have in case i, n is the number of
cases where they differ and k the number of those that A wins:

- `micro_sign_test` (the s-test): a case is one decision on one pair of a document and a category, and is 1 where it is
  right. Every pair counts alike, so frequent categories say more.
- `macro_sign_test` (the S-test): a case is a category, and a_i is A's F1 on it. Rare categories say as much as frequent
  ones, and it does not matter by how much one is better.
- `macro_t_test` (the T-test): the same cases, and by how much matters: the paired t-test on d_i = a_i − b_i over all
  categories asked for, t = mean of d / (standard deviation of d / √M), with M − 1 degrees of freedom.

Under the null hypothesis k follows the binomial distribution of n trials with p = ½. The paper takes a normal
approximation where n is above 12 and one-sided values; here every value is exact (`scipy.stats.binomtest`) and
**two-sided**. Where the two never differ there is nothing to test and the value is 1. F1 of a category that is neither
true nor predicted is 0. For measures of whole corpora, such as hF, see `paired_bootstrap`.

`sign_tests` does many sign tests at once, and `for_many_tests` corrects their p-values for being many.

`paired_t_test` is the t-test itself, for figures of two methods that belong together in pairs, such as those of the
same repetitions of an experiment.

The paired bootstrap estimates how much a metric, and the difference of two classifiers, would vary on other documents.
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
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack

from classmark.arrays import Floats
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.metrics.flat import Counts, label_indicator, overlap
from classmark.progress import track


@dataclass(frozen=True)
class SignTest:
    """How often each of two won, and how probable so uneven a count is if neither is better.

    Examples
    --------
    >>> test = SignTest.of(wins=5, losses=0)
    >>> test.p_value  # 2 · ½⁵
    0.0625
    """

    wins: int
    losses: int
    p_value: float

    @classmethod
    def of(cls, wins: int, losses: int) -> "SignTest":
        """Test the two counts, two-sided."""
        from scipy.stats import binomtest

        cases = wins + losses
        return cls(wins, losses, float(binomtest(wins, cases).pvalue) if cases else 1.0)


def sign_tests(wins: npt.ArrayLike, losses: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Give the p-values of many sign tests at once, such as one for each category.

    Examples
    --------
    >>> sign_tests([5, 3, 0], [0, 3, 0]).tolist()
    [0.0625, 1.0, 1.0]
    """
    from scipy.stats import binom

    won, lost = np.asarray(wins), np.asarray(losses)
    # With p = ½ both tails are the same, and together more than 1 where they share the middle.
    return np.asarray(np.minimum(2 * binom.cdf(np.minimum(won, lost), won + lost, 0.5), 1.0))


def for_many_tests(p_values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Give p-values corrected for being many, so that few of those below a limit are there by chance.

    After Benjamini and Hochberg, "Controlling the false discovery rate" (1995): of all tests whose corrected value is
    at most 0.05, 5 % are expected to be false alarms. It holds for tests that go up and down together, such as those of
    a category and its ancestors.

    Examples
    --------
    >>> for_many_tests([0.01, 0.5, 0.03]).round(3).tolist()  # 0.01 · 3 / 1, 0.5 · 3 / 3, 0.03 · 3 / 2
    [0.03, 0.5, 0.045]
    """
    from scipy.stats import false_discovery_control

    found = np.asarray(p_values, dtype=np.float64)
    return np.asarray(false_discovery_control(found)) if found.size else found


@dataclass(frozen=True)
class TTest:
    """The mean difference, its t statistic, the degrees of freedom, and the two-sided p-value."""

    difference: float
    statistic: float
    degrees: int
    p_value: float


def micro_sign_test(
    true: csr_array, first: csr_array, second: csr_array, nodes: npt.ArrayLike | None = None
) -> SignTest:
    """Test whether one of two classifiers makes more decisions that the other gets wrong (the s-test).

    Parameters
    ----------
    true, first, second : csr_array of bool, (n_documents, n_nodes)
        What is true and what the two predict, as they are: close them first where ancestors are to count.
    nodes : array of int, optional
        The positions of the categories to look at; all by default.

    Examples
    --------
    >>> true = csr_array([[True, False], [True, True], [False, True]])
    >>> second = csr_array([[False, False], [True, True], [True, False]])
    >>> micro_sign_test(true, true, second)
    SignTest(wins=3, losses=0, p_value=0.25)
    """
    true, first, second = check_paired(true, first, second)
    # Where the two differ exactly one is right: the one that says yes if the label is true, else the other.
    only_first, only_second = (_chosen(Counts.per_node(true, m), nodes) for m in (first > second, second > first))
    right, wrong = int(only_first.tp.sum()), int((only_second.predicted - only_second.tp).sum())
    cases = int(only_first.predicted.sum() + only_second.predicted.sum())
    return SignTest.of(right + wrong, cases - right - wrong)


def macro_sign_test(
    true: csr_array, first: csr_array, second: csr_array, nodes: npt.ArrayLike | None = None
) -> SignTest:
    """Test whether one of two classifiers has the higher F1 in more categories (the S-test).

    The parameters are those of `micro_sign_test`.

    >>> true = csr_array([[True, False], [True, True], [False, True]])
    >>> second = csr_array([[False, False], [True, True], [True, False]])
    >>> macro_sign_test(true, true, second)
    SignTest(wins=2, losses=0, p_value=0.5)
    """
    differences = _differences(true, first, second, nodes)
    return SignTest.of(int((differences > 0).sum()), int((differences < 0).sum()))


def macro_t_test(true: csr_array, first: csr_array, second: csr_array, nodes: npt.ArrayLike | None = None) -> TTest:
    """Test whether the mean over the categories of the difference in F1 is zero (the T-test).

    The parameters are those of `micro_sign_test`; there must be at least two categories. Where all differences are the
    same, their deviation is 0: t is then infinite and p 0, or, if the differences are 0 themselves, t is 0 and p 1.

    >>> true = csr_array([[True, False, True], [True, True, False], [False, True, True]])
    >>> second = csr_array([[False, False, True], [True, True, False], [True, False, True]])
    >>> macro_t_test(true, true, second)  # the differences are 1 − ½, 1 − ⅔ and 1 − 1
    TTest(difference=0.277..., statistic=1.889..., degrees=2, p_value=0.199...)
    """
    differences = _differences(true, first, second, nodes)
    if differences.size < 2:
        raise InputError("there is 1 category, and a t-test needs 2 or more; use the micro sign test")
    return _t_test(differences)


def paired_t_test(first: npt.ArrayLike, second: npt.ArrayLike) -> TTest:
    """Test whether the mean difference of figures that belong together in pairs is zero.

    Parameters
    ----------
    first, second : array of float, (n_pairs,)
        The figures of the two, at least two pairs. Where all differences are the same, p is 0, or 1 if they are 0.

    Examples
    --------
    >>> paired_t_test([3, 4, 8], [2, 2, 5])  # the differences are 1, 2 and 3: t = 2 / (1 / √3)
    TTest(difference=2.0, statistic=3.464..., degrees=2, p_value=0.074...)
    """
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.ndim != 1 or one.shape != other.shape:
        raise InputError(f"first is {one.shape} and second {other.shape}; give one figure of each for every pair")
    if one.size < 2:
        raise InputError(f"there is {one.size} pair, and a t-test needs 2 or more")
    return _t_test(one - other)


def _t_test(differences: npt.NDArray[np.float64]) -> TTest:
    from scipy.stats import t

    mean, deviation = float(differences.mean()), float(differences.std(ddof=1))
    degrees = differences.size - 1
    if np.all(differences == differences[0]):
        return TTest(mean, float(np.sign(mean) * np.inf) if mean else 0.0, degrees, 0.0 if mean else 1.0)
    statistic = mean / (deviation / differences.size**0.5)
    return TTest(mean, statistic, degrees, float(2 * t.sf(abs(statistic), degrees)))


def _differences(
    true: csr_array, first: csr_array, second: csr_array, nodes: npt.ArrayLike | None
) -> npt.NDArray[np.float64]:
    """Give for each category how much higher the first one's F1 is."""
    true, first, second = check_paired(true, first, second)
    one, other = (_chosen(Counts.per_node(true, predicted), nodes).f() for predicted in (first, second))
    return one - other


def _chosen(counts: Counts, nodes: npt.ArrayLike | None) -> Counts:
    return counts if nodes is None else counts.at(nodes)


def check_paired(true: csr_array, first: csr_array, second: csr_array) -> tuple[csr_array, csr_array, csr_array]:
    """Give the label sets as indicators, refusing what are none, or not for the same documents."""
    if not true.shape == first.shape == second.shape:
        raise InputError(
            f"true is {true.shape}, first {first.shape} and second {second.shape}; give all for the same documents"
        )
    return label_indicator(true, "true"), label_indicator(first, "first"), label_indicator(second, "second")


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
    true, first, second = check_paired(true, first, second)
    if not true.shape[0]:
        raise InputError("no document to evaluate: the indicators have no rows; give at least one document")
    if n_resamples < 1:
        raise InputError(f"n_resamples={n_resamples!r}: must be an integer >= 1")
    if not 0 < confidence < 1:
        raise InputError(f"confidence={confidence!r}: must be a number > 0 and < 1")
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


def _mean_f(tp: Floats, predicted: Floats, true: Floats) -> Floats:
    """Return the mean F over the groups of each draw."""
    return np.asarray(Counts(tp, predicted, true).f().mean(axis=1))


def _mean_f_present(tp: Floats, predicted: Floats, true: Floats) -> Floats:
    """Give for each draw the mean F of the groups that have a true label in it, 0 where none has."""
    present = true > 0
    return np.asarray((Counts(tp, predicted, true).f() * present).sum(axis=1) / np.maximum(present.sum(axis=1), 1))


METRICS = {"micro_f1": _mean_f, "macro_f1": _mean_f, "macro_f1_present": _mean_f_present, "hf": _mean_f}
"""The mean F over the groups of each metric: all labels for `micro_f1` and `hf`, otherwise a group for each node."""


def _evaluator(
    metric: str | Metric, true: csr_array, first: csr_array, second: csr_array, hierarchy: Hierarchy | None
) -> Callable[[Floats], tuple[Floats, Floats]]:
    """Give the function that evaluates both classifiers on a batch of draws."""
    if not isinstance(metric, str):
        return lambda weights: (_call(metric, true, first, weights), _call(metric, true, second, weights))
    if metric not in METRICS:
        raise InputError(f"metric={metric!r}: must be one of {', '.join(map(repr, METRICS))}, or a function")
    if metric == "hf":
        if hierarchy is None:
            raise InputError("the metric 'hf' needs the hierarchy; give hierarchy=…")
        true, first, second = (hierarchy.close(labels) for labels in (true, first, second))
    mean, parts = METRICS[metric], [*overlap(true, first), *overlap(true, second)]
    if metric in ("hf", "micro_f1"):
        parts = [csr_array(np.diff(part.indptr).reshape(-1, 1)) for part in parts]
    counts = csr_array(hstack(parts, format="csr")).astype(np.float64)

    def evaluate(weights: Floats) -> tuple[Floats, Floats]:
        tables: list[Any] = np.split(weights @ counts, 6, axis=1)
        return mean(*tables[:3]), mean(*tables[3:])

    return evaluate


def _call(metric: Metric, true: csr_array, predicted: csr_array, weights: Floats) -> Floats:
    """Call a measure on each draw, with the documents repeated as often as they are in it."""
    draws = (np.repeat(np.arange(row.size), row.astype(np.int64)) for row in weights)
    return np.array([metric(true[rows], predicted[rows]) for rows in draws], dtype=np.float64)
