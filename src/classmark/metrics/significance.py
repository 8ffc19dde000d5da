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
true nor predicted is 0. For measures of whole corpora, such as hF, see `bootstrap`.

`sign_tests` does many sign tests at once, and `for_many_tests` corrects their p-values for being many.

`paired_t_test` is the t-test itself, for figures of two methods that belong together in pairs, such as those of the
same repetitions of an experiment.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.errors import InputError
from classmark.metrics.flat import Counts, label_indicator


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
    true, first, second = _check(true, first, second)
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
    true, first, second = _check(true, first, second)
    one, other = (_chosen(Counts.per_node(true, predicted), nodes).f() for predicted in (first, second))
    return one - other


def _chosen(counts: Counts, nodes: npt.ArrayLike | None) -> Counts:
    return counts if nodes is None else counts.at(nodes)


def _check(true: csr_array, first: csr_array, second: csr_array) -> tuple[csr_array, csr_array, csr_array]:
    """Give the label sets as indicators, refusing what are none, or not for the same documents."""
    if not true.shape == first.shape == second.shape:
        raise InputError(
            f"true is {true.shape}, first {first.shape} and second {second.shape}; give all for the same documents"
        )
    return label_indicator(true, "true"), label_indicator(first, "first"), label_indicator(second, "second")
