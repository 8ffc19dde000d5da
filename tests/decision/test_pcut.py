"""P-cut: the score at the rank of the training share, by hand, over sets and between neighbouring numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.decision import LearnedDecision, PCut
from classmark.decision.pcut import score_at_rank
from tests.decision.cases import HALVES, cases, children_of, named, sets_of
from tests.generators import indicators
from tests.oracles import decision as oracle

INF = np.inf
TREE = Hierarchy.from_paths(["a/x", "b"])  # node order: a, b, a/x


@pytest.mark.parametrize(
    ("scores", "count", "expected"),
    [
        ([4, 1, 3], 1, (4 + 3) / 2),
        ([4, 1, 3], 2, (3 + 1) / 2),
        # All of them: just below the last. None of them, or fewer: the first itself, which is not above itself.
        ([4, 1, 3], 3, np.nextafter(1.0, -INF)),
        ([4, 1, 3], 9, np.nextafter(1.0, -INF)),
        ([4, 1, 3], 0, 4),
        ([4, 1, 3], -1, 4),
        # Equal at the rank: letting one in lets both in, and so neither comes.
        ([4, 3, 3, 1], 2, 3),
        ([4, 3, 3, 1], 3, (3 + 1) / 2),
        # What nothing is known of has no rank.
        ([4, -INF, 3, -INF], 1, (4 + 3) / 2),
        ([-INF, -INF], 1, 0),
        ([], 1, 0),
    ],
)
def test_score_at_rank_by_hand(scores, count, expected):
    assert score_at_rank(np.array(scores, dtype=float), count) == expected


@pytest.mark.parametrize("low", [1.0, np.nextafter(1.0, 2.0), -1.0, 2.0**60, 0.0])
def test_between_neighbouring_numbers(low):
    """The middle of two neighbours is one of them; it must not be the upper."""
    high = np.nextafter(low, INF)
    value = score_at_rank(np.array([low, high]), 1)
    assert low <= value < high


@given(arrays(float, st.integers(1, 6), elements=HALVES), st.integers(-1, 7))
def test_score_at_rank_equals_the_oracle(scores, count):
    assert score_at_rank(scores, count) == oracle.score_at_rank(scores.tolist(), count)


@given(arrays(float, 5, elements=st.floats(-1e15, 1e15), unique=True), st.integers(0, 5))
def test_so_many_scores_lie_above(scores, count):
    assert (scores > score_at_rank(scores, count)).sum() == count


def test_by_hand():
    # Document 0 has a/x, and so a; document 1 has b: of every node one document of three.
    scores = np.array([[4.0, -3, 5], [3, 2, -3], [6, 1, -2]])
    labels = csr_array(np.array([[0, 0, 1], [0, 1, 0], [0, 0, 0]], dtype=bool))
    before = PCut()
    after = before.fit(scores, labels, TREE)
    # a/x brings document 0 into a, where it counts as 6 + 1: one document, and no other is let in.
    assert after.thresholds == ((7 + 6) / 2, (2 + 1) / 2, (5 - 2) / 2)
    assert before.thresholds == ()
    assert sets_of(TREE, after.decide(scores, TREE, TREE.leaves)) == [{"a", "a/x"}, {"b"}, set()]
    filtered = PCut(consistency="filter").fit(scores, labels, TREE)
    assert filtered.thresholds == ((6 + 4) / 2, (2 + 1) / 2, (5 - 2) / 2)
    assert sets_of(TREE, filtered.decide(scores, TREE, TREE.leaves)) == [set(), {"b"}, {"a"}]
    # Twice the share lets two in; a/x brings documents 0 and 2.
    assert PCut(factor=2).fit(scores, labels, TREE).thresholds == ((7 + 3) / 2, (1 - 3) / 2, (-2 - 3) / 2)


def test_a_document_that_was_never_scored_counts_for_the_share():
    scores = np.array([[-INF], [2.0], [1.0], [0.0]])
    labels = csr_array(np.array([[1], [1], [0], [0]], dtype=bool))
    assert PCut().fit(scores, labels, Hierarchy.flat("a")).thresholds == ((1 + 0) / 2,)


@given(cases(n_documents=5, elements=st.floats(-1e6, 1e6)), st.data())
def test_without_ties_the_share_of_training_is_accepted(case, data):
    hierarchy, scores, _ = case
    labels = data.draw(indicators(hierarchy, 5))
    decision = PCut(consistency="filter").fit(scores, labels, hierarchy)
    wanted = hierarchy.close(labels).toarray().sum(axis=0)
    for node, column in enumerate(scores.T):
        if np.unique(column).size == column.size:
            assert (column > decision.thresholds[node]).sum() == wanted[node]


@given(cases(n_documents=5), st.data(), st.sampled_from(list(oracle.CONSISTENCY_OF_MARGINS)))
def test_equal_to_the_oracle(case, data, consistency):
    hierarchy, scores, ends = case
    labels = data.draw(indicators(hierarchy, 5))
    decision = PCut(consistency=consistency).fit(scores, labels, hierarchy)
    wanted = hierarchy.close(labels).toarray().sum(axis=0).tolist()
    thresholds = oracle.bottom_up(
        scores.T.tolist(),
        children_of(hierarchy),
        consistency == "close",
        lambda node, column: oracle.score_at_rank(column, wanted[node]),
    )
    assert list(decision.thresholds) == thresholds
    rule, edges = oracle.CONSISTENCY_OF_MARGINS[consistency], set(hierarchy.edges())
    expected = [rule(edges, named(hierarchy, row)) for row in scores - np.array(thresholds)]
    assert sets_of(hierarchy, decision.decide(scores, hierarchy, ends)) == expected


def test_refusals():
    with pytest.raises(ValueError, match="factor is 0; give a number above 0"):
        PCut(factor=0)
    with pytest.raises(ValueError, match="factor is nan; give a number above 0"):
        PCut(factor=float("nan"))
    with pytest.raises(ValueError, match="consistency is 'up'; choose one of close, filter, average"):
        PCut(consistency="up")
    with pytest.raises(ValueError, match=r"the decision has 2 threshold\(s\) for 3 categories"):
        PCut(thresholds=(1.0, 2.0)).check(TREE)
    PCut(thresholds=(1.0, 2.0, 3.0)).check(TREE)
    assert isinstance(PCut(), LearnedDecision)
    assert not PCut.one_label
