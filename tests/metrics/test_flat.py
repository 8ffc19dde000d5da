"""Flat measures by hand, against scikit-learn, and against what cannot be evaluated."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn import metrics as peer

from classmark.metrics import Counts, FlatScores, flat_scores, hamming_loss, subset_accuracy
from tests.generators import evaluations
from tests.oracles.metrics import sets_of

# Four documents over the nodes 0 to 3; node 3 is never true, and node 2 never predicted.
TRUE = csr_array(np.array([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]], dtype=bool))
PREDICTED = csr_array(np.array([[1, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 1]], dtype=bool))


def test_counts_by_hand():
    counts = Counts.per_node(TRUE, PREDICTED)
    assert counts.tp.tolist() == [2, 1, 0, 0]
    assert counts.predicted.tolist() == [3, 1, 0, 1]
    assert counts.true.tolist() == [2, 2, 1, 0]
    assert Counts.per_document(TRUE, PREDICTED).tp.tolist() == [1, 1, 1, 0]
    assert counts.total().tp.tolist() == Counts.per_document(TRUE, PREDICTED).total().tp.tolist() == [3]


def test_scores_by_hand():
    scores = flat_scores(TRUE, PREDICTED)
    assert scores.precision == pytest.approx([2 / 3, 1, 0, 0])
    assert scores.recall == pytest.approx([1, 1 / 2, 0, 0])
    assert scores.f1 == pytest.approx([2 * 2 / (3 + 2), 2 * 1 / (1 + 2), 0, 0])
    assert scores.support.tolist() == [2, 2, 1, 0]
    assert (scores.micro_precision, scores.micro_recall) == (3 / 5, 3 / 5)
    assert scores.micro_f1 == pytest.approx(2 * 3 / (5 + 5))
    assert scores.macro_precision == pytest.approx((2 / 3 + 1 + 0 + 0) / 4)
    assert scores.macro_recall == pytest.approx((1 + 1 / 2 + 0 + 0) / 4)


def test_macro_counts_all_nodes_and_present_only_those_with_a_true_document():
    scores = flat_scores(TRUE, PREDICTED)
    assert scores.macro_f1 == pytest.approx((4 / 5 + 2 / 3 + 0 + 0) / 4)
    assert scores.macro_f1_present == pytest.approx((4 / 5 + 2 / 3 + 0) / 3)


def test_nodes_restrict_every_average():
    scores = flat_scores(TRUE, PREDICTED, nodes=[1, 3])
    assert scores.micro_precision == 1 / (1 + 1)
    assert scores.micro_recall == 1 / (2 + 0)
    assert scores.macro_f1 == pytest.approx((2 / 3 + 0) / 2)
    assert scores.macro_f1_present == pytest.approx(2 / 3)


@pytest.mark.parametrize("zero_division", [0.0, 0.5, 1.0])
def test_zero_division_by_hand(zero_division):
    # Node 0 is neither true nor predicted, node 1 only true, node 2 only predicted.
    true, predicted = csr_array([[False, True, False]]), csr_array([[False, False, True]])
    scores = flat_scores(true, predicted, zero_division=zero_division)
    assert scores.precision.tolist() == [zero_division, zero_division, 0]
    assert scores.recall.tolist() == [zero_division, 0, zero_division]
    assert scores.f1.tolist() == [zero_division, 0, 0]
    assert scores.micro_f1 == 0


@pytest.mark.parametrize("zero_division", [0, 1])
def test_nothing_predicted_and_nothing_true(zero_division):
    nothing = csr_array((3, 2), dtype=bool)
    scores = flat_scores(nothing, nothing, zero_division=zero_division)
    averages = [value for name, value in vars(scores).items() if name.startswith(("micro", "macro"))]
    assert averages == [zero_division] * 7
    assert all(isinstance(value, float) for value in averages)
    assert hamming_loss(nothing, nothing) == 0
    assert subset_accuracy(nothing, nothing) == 1


def test_hamming_loss_and_subset_accuracy_by_hand():
    # Wrong: node 1 of document 1, nodes 0 and 2 of document 2, node 3 of document 3.
    assert hamming_loss(TRUE, PREDICTED) == (1 + 2 + 1) / (4 * 4)
    assert subset_accuracy(TRUE, PREDICTED) == 1 / 4


@settings(deadline=None)
@given(evaluations().filter(lambda case: len(case[0]) > 1), st.sampled_from([0.0, 1.0]))
def test_equal_to_scikit_learn(case, zero_division):
    # scikit-learn takes an indicator with a single column for a binary problem, hence the filter.
    _, true, predicted = case
    ours = flat_scores(true, predicted, zero_division=zero_division)

    def theirs(average):
        return peer.precision_recall_fscore_support(
            true.toarray(), predicted.toarray(), average=average, zero_division=zero_division
        )

    precision, recall, f1, support = theirs(None)
    np.testing.assert_allclose([ours.precision, ours.recall, ours.f1], [precision, recall, f1])
    assert ours.support.tolist() == support.tolist()
    for average in ("micro", "macro"):
        found = [getattr(ours, f"{average}_{name}") for name in ("precision", "recall", "f1")]
        assert found == pytest.approx(theirs(average)[:3])
    assert hamming_loss(true, predicted) == pytest.approx(peer.hamming_loss(true.toarray(), predicted.toarray()))


@settings(deadline=None)
@given(evaluations())
def test_subset_accuracy_compares_sets(case):
    _, true, predicted = case
    equal = [one == other for one, other in zip(sets_of(true), sets_of(predicted), strict=True)]
    assert subset_accuracy(true, predicted) == sum(equal) / len(equal)


def test_stored_zeros_duplicates_and_order_do_not_matter_and_the_input_stays():
    untidy = csr_array((np.array([True, True, True, False]), np.array([2, 0, 2, 1]), np.array([0, 4])), shape=(1, 3))
    tidy = csr_array([[True, False, True]])
    counts = Counts.per_node(untidy, tidy)
    assert counts.tp.tolist() == counts.true.tolist() == [1, 0, 1]
    assert hamming_loss(tidy, untidy) == 0
    assert untidy.indices.tolist() == [2, 0, 2, 1]


def test_from_counts_is_what_flat_scores_gives():
    counts = Counts.per_node(TRUE, PREDICTED).at(np.array([0, 2]))
    assert FlatScores.from_counts(counts).macro_f1 == flat_scores(TRUE, PREDICTED, nodes=[0, 2]).macro_f1


@pytest.mark.parametrize("measure", [flat_scores, hamming_loss, subset_accuracy])
def test_refuses_what_does_not_fit_together(measure):
    with pytest.raises(ValueError, match=r"true is \(4, 4\) and predicted \(2, 4\)"):
        measure(TRUE, PREDICTED[:2])
    with pytest.raises(ValueError, match=r"no document.*evaluate"):
        measure(TRUE[:0], PREDICTED[:0])


@pytest.mark.parametrize("nodes", [[-1], [4], [0.5], [True, False, True, False]])
def test_refuses_nodes_that_are_no_positions(nodes):
    with pytest.raises(ValueError, match="positions from 0 to 3"):
        flat_scores(TRUE, PREDICTED, nodes=nodes)


def test_refuses_an_empty_set_of_nodes():
    with pytest.raises(ValueError, match="nodes is empty"):
        flat_scores(TRUE, PREDICTED, nodes=[])


@pytest.mark.parametrize("zero_division", [-0.1, 2, float("nan")])
def test_refuses_a_zero_division_that_is_no_score(zero_division):
    with pytest.raises(ValueError, match="number >= 0 and <= 1"):
        flat_scores(TRUE, PREDICTED, zero_division=zero_division)


def test_lists_of_labels():
    true, predicted = [["owl", "bird"], ["oak"], []], [["owl"], ["oak", "fern"], []]
    names = ["bird", "fern", "oak", "owl"]
    matrices = [csr_array([[name in labels for name in names] for labels in part]) for part in (true, predicted)]
    assert flat_scores(true, predicted).f1.tolist() == flat_scores(*matrices).f1.tolist()
    assert hamming_loss(true, predicted) == hamming_loss(*matrices) == pytest.approx(2 / 12)
    assert subset_accuracy(true, predicted) == subset_accuracy(*matrices) == pytest.approx(1 / 3)
    assert subset_accuracy(["owl", "oak"], ["owl", "owl"]) == 0.5


@pytest.mark.parametrize(
    ("true", "predicted", "message"),
    [
        ([[1, 0]], [[1, 1]], "neither indicators nor names"),
        ([0.5, 0.1], [0.5, 0.2], "neither indicators nor names"),
        (csr_array([[True]]), [["owl"]], "neither indicators nor names"),
        ([[]], [[]], "no label to evaluate"),
    ],
)
def test_lists_of_something_else(true, predicted, message):
    with pytest.raises(ValueError, match=message):
        flat_scores(true, predicted)
