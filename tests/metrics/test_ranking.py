"""Ranking measures by hand, against sorted lists, and against scikit-learn."""

from math import log2, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array
from sklearn.metrics import ndcg_score

from classmark.metrics import cosine_accuracy, ndcg_at_k, precision_at_k, ranking, recall_at_k
from tests.generators import evaluations
from tests.oracles import ranking as oracle
from tests.oracles.metrics import sets_of

MEASURES = {precision_at_k: oracle.precision, recall_at_k: oracle.recall, ndcg_at_k: oracle.ndcg}

# Ranks: 1, 2, 0, 3 in the first document; 0, 1, 2, 3 in the second, whose scores are all equal; the third has no label.
TRUE = csr_array(np.array([[1, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=bool))
SCORES = np.array([[0.2, 0.9, 0.5, 0.1], [0.5, 0.5, 0.5, 0.5], [0.4, 0.3, 0.2, 0.1]])


@st.composite
def rankings(draw):
    """Draw labels and scores, few different ones, so that there are ties."""
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 7)))
    values = st.sampled_from([-np.inf, -1.5, 0.0, 0.25, 1.0, np.inf])
    return draw(arrays(np.bool_, shape)), draw(arrays(np.float64, shape, elements=values))


def test_precision_by_hand():
    assert precision_at_k(TRUE, SCORES, 1) == 0
    assert precision_at_k(TRUE, SCORES, 3) == pytest.approx((2 / 3 + 0 + 0) / 3)
    assert precision_at_k(TRUE, SCORES, 4) == pytest.approx((2 / 4 + 1 / 4 + 0) / 3)


def test_recall_by_hand_leaves_the_unlabelled_document_out():
    assert recall_at_k(TRUE, SCORES, 2) == pytest.approx((1 / 2 + 0) / 2)
    assert recall_at_k(TRUE, SCORES, 4) == 1


def test_ndcg_by_hand_leaves_the_unlabelled_document_out():
    first = (1 / log2(3) + 1 / log2(4)) / (1 / log2(2) + 1 / log2(3))
    second = (1 / log2(5)) / (1 / log2(2))
    assert ndcg_at_k(TRUE, SCORES, 4) == pytest.approx((first + second) / 2)


def test_nodes_restrict_labels_and_scores():
    # Among the nodes 0 and 3 the first document ranks 0, its only label there, first; so does the second, wrongly.
    assert precision_at_k(TRUE, SCORES, 1, nodes=[0, 3]) == pytest.approx(1 / 3)
    assert recall_at_k(TRUE, SCORES, 1, nodes=[0, 3]) == pytest.approx(1 / 2)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_k_beyond_the_nodes_means_all(measure):
    assert measure(TRUE, SCORES, 100) == measure(TRUE, SCORES, 4)


def test_nothing_is_true():
    nothing = csr_array(TRUE.shape, dtype=bool)
    assert [measure(nothing, SCORES, 2) for measure in MEASURES] == [0, 0, 0]


@given(rankings(), st.integers(1, 9), st.sampled_from(list(MEASURES)))
def test_equal_to_the_oracle(case, k, measure):
    true, scores = case
    expected = MEASURES[measure](true.tolist(), scores.tolist(), k)
    assert measure(csr_array(true), scores, k) == pytest.approx(expected)


@given(rankings(), st.integers(1, 9))
def test_blocks_do_not_matter(case, k):
    true, scores = csr_array(case[0]), case[1]
    whole = ndcg_at_k(true, scores, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "ROWS_IN_A_BLOCK", 2)
        assert ndcg_at_k(true, scores, k) == whole


@given(st.integers(0, 1000), st.integers(1, 8))
def test_ndcg_equal_to_scikit_learn_without_ties(seed, k):
    rng = np.random.default_rng(seed)
    true = rng.random((4, 6)) < 0.4
    true[:, 0] = True  # scikit-learn counts documents without a label as 0
    scores = rng.random((4, 6))
    assert ndcg_at_k(csr_array(true), scores, k) == pytest.approx(ndcg_score(true, scores, k=k))


def test_cosine_by_hand():
    true = csr_array(np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0]], dtype=bool))
    predicted = csr_array(np.array([[1, 0, 1], [1, 1, 0], [0, 0, 0], [0, 0, 0]], dtype=bool))
    expected = (1 / sqrt(2 * 2) + 1 / sqrt(1 * 2) + 0 + 0) / 4
    assert cosine_accuracy(true, predicted) == pytest.approx(expected)
    assert cosine_accuracy(true, predicted, zero_division=1) == pytest.approx(expected + 1 / 4)


@given(evaluations())
def test_cosine_of_sets(case):
    _, true, predicted = case
    pairs = list(zip(sets_of(true), sets_of(predicted), strict=True))
    cosines = [len(t & p) / sqrt(len(t) * len(p)) if t and p else 0 for t, p in pairs]
    assert cosine_accuracy(true, predicted) == pytest.approx(sum(cosines) / len(cosines))
    assert cosine_accuracy(true, true, zero_division=1) == pytest.approx(1)


@pytest.mark.parametrize("measure", MEASURES)
def test_refusals(measure):
    with pytest.raises(ValueError, match=r"true is \(3, 4\) and the scores are \(3, 2\)"):
        measure(TRUE, SCORES[:, :2], 1)
    with pytest.raises(ValueError, match=r"no document.*evaluate"):
        measure(TRUE[:0], SCORES[:0], 1)
    with pytest.raises(ValueError, match=r"k=0.*>= 1"):
        measure(TRUE, SCORES, 0)
    with pytest.raises(ValueError, match="a score is NaN"):
        measure(TRUE, SCORES * np.nan, 1)


@pytest.mark.parametrize("nodes", [[-1], [4], [0.5], [[0]]])
def test_refuses_nodes_that_are_no_positions(nodes):
    with pytest.raises(ValueError, match="give positions from 0 to 3"):
        precision_at_k(TRUE, SCORES, 1, nodes=nodes)


def test_refuses_an_empty_set_of_nodes():
    with pytest.raises(ValueError, match="nodes is empty"):
        precision_at_k(TRUE, SCORES, 1, nodes=[])


@given(rankings(), st.integers(1, 6))
def test_a_ranking_made_already(case, depth):
    true, scores = case[:2]
    nodes = np.arange(0, true.shape[1], 2)
    first = nodes[ranking.first_positions(np.asarray(scores)[:, nodes], min(depth, nodes.size))]
    made, taken = ranking.Ranking.of(true, scores, depth, nodes), ranking.Ranking.of_first(true, first, nodes)
    assert np.array_equal(made.hits, taken.hits)
    assert np.array_equal(made.true, taken.true)
