"""Coverage curves by hand, against groups of documents counted one by one, and at their end against the summary."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.metrics import coverage_curve, summarise
from tests.generators import evaluations
from tests.oracles import coverage as oracle

FLAT = Hierarchy.flat("ab")
TRUE = csr_array([[True, False]] * 4)
THREE_RIGHT = csr_array([[True, False]] * 3 + [[False, True]])
FIRST = [0, 0, 0, 1]


@st.composite
def curves(draw):
    """Draw label sets, best categories and confidences, few different ones, so that there are ties."""
    hierarchy, true, predicted = draw(evaluations(max_documents=9))
    documents = true.shape[0]
    first = draw(st.lists(st.integers(-1, len(hierarchy) - 1), min_size=documents, max_size=documents))
    values = st.sampled_from([-np.inf, -1.5, 0.0, 0.25, 1.0, np.inf])
    return true, predicted, first, draw(st.lists(values, min_size=documents, max_size=documents)), hierarchy


@given(curves())
def test_the_slow_twin_agrees(case):
    curve, documents = coverage_curve(*case), oracle.documents_of(*case)
    assert [point.coverage for point in curve.points] == [tenth / 10 for tenth in range(1, 11)]
    for tenth, point in enumerate(curve.points, 1):
        confidence, *figures = oracle.point(documents, Fraction(tenth * len(documents), 10))
        assert point.confidence == confidence
        assert (point.accuracy, point.first, point.hf) == pytest.approx(tuple(map(float, figures)))
    assert curve.area == pytest.approx(float(oracle.area(documents)))


@given(curves(), st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter(case, random):
    true, predicted, first, confidence, hierarchy = case
    order = list(range(true.shape[0]))
    random.shuffle(order)
    shuffled = coverage_curve(
        true[order], predicted[order], np.array(first)[order], np.array(confidence)[order], hierarchy
    )
    assert shuffled == coverage_curve(*case)


@given(curves())
def test_everything_answered_is_the_summary(case):
    true, predicted, first, _, hierarchy = case
    last, summary = coverage_curve(*case).points[-1], summarise(true, predicted, first, hierarchy)
    assert last.accuracy == pytest.approx(summary["subset_accuracy"])
    assert last.first == pytest.approx(summary["first"]["accuracy"])
    assert last.hf == pytest.approx(summary["hierarchical"]["hf"])


def test_by_hand():
    curve = coverage_curve(TRUE, THREE_RIGHT, FIRST, [0.9, 0.8, 0.7, 0.1], FLAT, [0.25, 0.5, 0.875, 1])
    assert [point.accuracy for point in curve.points] == [1, 1, 3 / 3.5, 3 / 4]
    assert [point.confidence for point in curve.points] == [0.9, 0.8, 0.1, 0.1]
    assert curve.area == pytest.approx((1 + 1 + 1 + 3 / 4) / 4)


def test_the_worst_order():
    curve = coverage_curve(TRUE, THREE_RIGHT, FIRST, [0.1, 0.1, 0.1, 0.9], FLAT)
    assert curve.points[0].accuracy == 0
    assert curve.area == pytest.approx((0 + 1 / 2 + 2 / 3 + 3 / 4) / 4)


def test_confidence_that_says_nothing_gives_a_level_line():
    curve = coverage_curve(TRUE, THREE_RIGHT, FIRST, [5.0] * 4, FLAT)
    assert [point.accuracy for point in curve.points] == pytest.approx([0.75] * 10)
    assert [point.first for point in curve.points] == pytest.approx([0.75] * 10)
    assert curve.area == pytest.approx(0.75)


def test_a_share_that_rounds_up_reaches_no_further_document():
    # 0.07 of a hundred documents are 7.000000000000001 in floating point.
    true = csr_array([[True, False]] * 100)
    curve = coverage_curve(true, true, [0] * 100, np.arange(100.0, 0, -1), FLAT, [0.07])
    assert curve.points[0].confidence == 94


@pytest.mark.parametrize(
    ("first", "confidence", "message"),
    [
        (FIRST, [1.0] * 3, r"confidence has shape \(3,\); give 4 numbers"),
        (FIRST, [1.0, 1.0, 1.0, np.nan], "none of them NaN"),
        ([0, 0, 0, 2], [1.0] * 4, "first goes from 0 to 2"),
    ],
)
def test_refusals(first, confidence, message):
    with pytest.raises(ValueError, match=message):
        coverage_curve(TRUE, THREE_RIGHT, first, confidence, FLAT)


@pytest.mark.parametrize("share", [0, -0.1, 1.1])
def test_shares_that_cannot_be(share):
    with pytest.raises(ValueError, match=r"shares .* give numbers above 0 and up to 1"):
        coverage_curve(TRUE, THREE_RIGHT, FIRST, [1.0] * 4, FLAT, [0.5, share])


def test_no_documents():
    none = csr_array((0, 2), dtype=bool)
    with pytest.raises(ValueError, match=r"no document.*evaluate"):
        coverage_curve(none, none, np.empty(0, int), [], FLAT)
