"""The tests of Yang and Liu: by hand, as properties, and against scipy."""

from math import comb, inf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.sparse import csr_array

from classmark.metrics import (
    flat_scores,
    for_many_tests,
    macro_sign_test,
    macro_t_test,
    micro_sign_test,
    paired_t_test,
    sign_tests,
)
from classmark.metrics.significance import SignTest
from tests.generators import evaluations, hierarchies, indicators

TESTS = [micro_sign_test, macro_sign_test, macro_t_test]

TRUE = csr_array(np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]], dtype=bool))
# One wrong decision: node 2 of the last document is missing.
FIRST = csr_array(np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 0]], dtype=bool))
# Three wrong ones: nodes 0 and 1 of the first document, node 1 of the third.
SECOND = csr_array(np.array([[0, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]], dtype=bool))


@st.composite
def comparisons(draw):
    hierarchy = draw(hierarchies().filter(lambda h: len(h) > 1))
    n_documents = draw(st.integers(1, 6))
    return [draw(indicators(hierarchy, n_documents)) for _ in range(3)]


def test_micro_sign_test_by_hand():
    # Of the four decisions where they differ the first is right in three: P(k ≤ 1 or k ≥ 3) = 1 − C(4, 2) / 2⁴.
    assert micro_sign_test(TRUE, FIRST, SECOND) == SignTest(wins=3, losses=1, p_value=1 - comb(4, 2) / 2**4)


def test_macro_sign_test_by_hand():
    # F1 of the first is 1, 1 and 2/3, of the second 2/3, 1/2 and 1: two wins of three, P(k ≤ 1 or k ≥ 2) = 1.
    assert macro_sign_test(TRUE, FIRST, SECOND) == SignTest(wins=2, losses=1, p_value=1)


def test_macro_t_test_by_hand():
    differences = [1 - 2 / 3, 1 - 1 / 2, 2 / 3 - 1]
    mean = sum(differences) / 3
    deviation = sqrt(sum((d - mean) ** 2 for d in differences) / 2)
    found = macro_t_test(TRUE, FIRST, SECOND)
    assert found.difference == pytest.approx(mean)
    assert found.statistic == pytest.approx(mean / (deviation / sqrt(3)))
    assert found.degrees == 2
    assert found.p_value == pytest.approx(2 * stats.t.sf(found.statistic, 2))


def test_nodes_restrict_the_cases():
    assert micro_sign_test(TRUE, FIRST, SECOND, nodes=[0, 1]) == SignTest(3, 0, 2 / 2**3)
    assert macro_sign_test(TRUE, FIRST, SECOND, nodes=[2]) == SignTest(0, 1, 1)
    assert macro_t_test(TRUE, FIRST, SECOND, nodes=[0, 1]).degrees == 1


def test_the_same_difference_everywhere():
    wrong = csr_array(TRUE.shape, dtype=bool)
    found = macro_t_test(TRUE, TRUE, wrong)
    assert (found.difference, found.statistic, found.p_value) == (1, inf, 0)
    assert macro_t_test(TRUE, wrong, TRUE).statistic == -inf


@settings(max_examples=50)
@given(comparisons())
def test_against_itself_there_is_no_difference(case):
    true, first, _ = case
    assert [test(true, first, first).p_value for test in TESTS] == [1, 1, 1]
    assert macro_t_test(true, first, first).statistic == 0


@settings(max_examples=50)
@given(comparisons())
def test_changing_places_changes_signs(case):
    true, first, second = case
    for test in (micro_sign_test, macro_sign_test):
        one, other = test(true, first, second), test(true, second, first)
        assert (one.wins, one.losses, one.p_value) == (other.losses, other.wins, pytest.approx(other.p_value))
    one, other = macro_t_test(true, first, second), macro_t_test(true, second, first)
    assert (one.statistic, one.p_value) == pytest.approx((-other.statistic, other.p_value))


@settings(max_examples=50)
@given(comparisons())
def test_equal_to_counting_every_decision(case):
    true, first, second = (labels.toarray() for labels in case)
    right, other = first == true, second == true
    wins, losses = int((right & ~other).sum()), int((other & ~right).sum())
    found = micro_sign_test(*case)
    assert (found.wins, found.losses) == (wins, losses)
    n = wins + losses
    extreme = [comb(n, k) for k in range(n + 1) if comb(n, k) <= comb(n, wins)]
    assert found.p_value == pytest.approx(sum(extreme) / 2**n)


@settings(max_examples=50)
@given(comparisons())
def test_t_test_equal_to_scipy(case):
    true, first, second = case
    one, other = flat_scores(true, first).f1, flat_scores(true, second).f1
    # Where all differences are the same, scipy answers with NaN or with a warning.
    if np.ptp(one - other) > 1e-9:
        expected = stats.ttest_rel(one, other)
        found = macro_t_test(true, first, second)
        assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))


def test_many_decisions_are_exact_too():
    assert SignTest.of(60, 40).p_value == pytest.approx(2 * sum(comb(100, k) for k in range(41)) / 2**100)


@given(evaluations())
def test_untidy_indicators_count_once(case):
    _, true, predicted = case
    doubled = csr_array(
        (np.repeat(true.data, 2), np.repeat(true.indices, 2), 2 * true.indptr), shape=true.shape, dtype=bool
    )
    assert micro_sign_test(doubled, predicted, doubled) == micro_sign_test(true, predicted, true)


@pytest.mark.parametrize("test", TESTS)
def test_refusals(test):
    with pytest.raises(ValueError, match=r"true is \(4, 3\), first \(4, 3\) and second \(2, 3\)"):
        test(TRUE, FIRST, SECOND[:2])
    with pytest.raises(ValueError, match=r"no document.*evaluate"):
        test(TRUE[:0], FIRST[:0], SECOND[:0])
    with pytest.raises(ValueError, match="positions from 0 to 2"):
        test(TRUE, FIRST, SECOND, nodes=[3])


def test_a_t_test_needs_two_categories():
    with pytest.raises(ValueError, match="there is 1 category, and a t-test needs 2 or more"):
        macro_t_test(TRUE, FIRST, SECOND, nodes=[0])


class TestPairs:
    def test_by_hand(self):
        # The differences are 1, 2 and 3; with 2 degrees of freedom p = 1 − t / √(2 + t²).
        found = paired_t_test([3, 4, 8], [2, 2, 5])
        assert (found.difference, found.degrees) == (2, 2)
        assert found.statistic == pytest.approx(2 * sqrt(3))
        assert found.p_value == pytest.approx(1 - sqrt(12) / sqrt(14))

    def test_the_same_difference_everywhere(self):
        assert paired_t_test([1, 2], [0, 1]).p_value == 0
        assert paired_t_test([1, 2], [1, 2]).p_value == 1

    @pytest.mark.parametrize(
        ("first", "second", "words"),
        [
            ([1], [2], "there is 1 pair, and a t-test needs 2 or more"),
            ([1, 2], [1, 2, 3], r"first is \(2,\) and second \(3,\); give one figure of each for every pair"),
        ],
    )
    def test_refusals(self, first, second, words):
        with pytest.raises(ValueError, match=words):
            paired_t_test(first, second)


def test_many_sign_tests_are_as_many_single_ones():
    wins, losses = (part.ravel() for part in np.mgrid[0:8, 0:8])
    single = [SignTest.of(won, lost).p_value for won, lost in zip(wins.tolist(), losses.tolist(), strict=True)]
    np.testing.assert_allclose(sign_tests(wins, losses), single)


def test_corrected_for_many_by_hand():
    # Sorted 0.01, 0.02, 0.03, 0.5 times 4 / rank: 0.04, 0.04, 0.04, 0.5, each the least of those behind it.
    np.testing.assert_allclose(for_many_tests([0.5, 0.02, 0.01, 0.03]), [0.5, 0.04, 0.04, 0.04])
    assert for_many_tests([]).size == 0
