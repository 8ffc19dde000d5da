"""P-cut: the score at the rank of the training share, by hand, over sets and between neighbouring numbers."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.decision import LearnedDecision, PCut
from classmark.decision.pcut import score_at_rank
from tests.decision.cases import HALVES, ROUNDED, cases, children_of, few_labels, named, sets_of
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


@pytest.mark.parametrize("low", [1.0, np.nextafter(1.0, 2.0), -1.0, 2.0**60])
def test_neighbouring_numbers_are_equal(low):
    high = np.nextafter(low, INF)
    assert score_at_rank(np.array([low, high]), 1) == high
    # Above 0 they are the second and the third of three, and none of them comes; below 0 the first two, and both do.
    assert score_at_rank(np.array([low, high, 2 * low]), 2) == (high if low > 0 else (low + 2 * low) / 2)


@given(arrays(float, st.integers(1, 6), elements=HALVES | ROUNDED), st.integers(-1, 7))
def test_score_at_rank_equals_the_oracle(scores, count):
    assert score_at_rank(scores, count) == oracle.score_at_rank(scores.tolist(), count)


@given(arrays(float, 5, elements=st.floats(-1e15, 1e15)), st.integers(0, 5))
def test_so_many_scores_lie_above(scores, count):
    assume(len(oracle.runs(scores)) == 5)
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
        if len(oracle.runs(column)) == column.size:
            assert (column > decision.thresholds[node]).sum() == wanted[node]


def test_where_children_bring_more_than_the_share_all_of_them_are_in():
    """A document of three has c1 and c2; c1 takes it, and c2 another: p and g have both, and nobody beside them."""
    tree = Hierarchy.from_paths(["g/p/c1", "g/p/c2"])  # node order: g, p, c1, c2
    scores = np.array([[0.0, 0, 9, 0], [1, 1, 0, 9], [5, 5, 1, 1]])
    labels = csr_array(np.array([[0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=bool))
    decision = PCut().fit(scores, labels, tree)
    assert decision.thresholds == (5 + 1, 5 + 1, (9 + 1) / 2, (9 + 1) / 2)
    path = {"g", "g/p"}
    found = sets_of(tree, decision.decide(scores, tree, tree.leaves))
    assert found == [path | {"g/p/c1"}, path | {"g/p/c2"}, set()]


@pytest.mark.parametrize("tree", [True, False], ids=["trees", "DAGs"])
@given(st.data(), st.sampled_from(list(oracle.CONSISTENCY_OF_MARGINS)), st.sampled_from([0.5, 1.0, 2.0]))
def test_equal_to_the_oracle(tree, data, consistency, factor):
    hierarchy, scores, labels = data.draw(few_labels(tree))
    decision = PCut(consistency=consistency, factor=factor).fit(scores, labels, hierarchy)
    wanted = [round(factor * count) for count in hierarchy.close(labels).toarray().sum(axis=0).tolist()]
    columns = scores.T.tolist()
    thresholds, inside = oracle.bottom_up(
        columns,
        children_of(hierarchy),
        consistency == "close",
        lambda node, brought: oracle.score_at_rank(columns[node], wanted[node], brought),
    )
    assert list(decision.thresholds) == thresholds
    rule, edges = oracle.CONSISTENCY_OF_MARGINS[consistency], set(hierarchy.edges())
    expected = [rule(edges, named(hierarchy, row)) for row in scores - np.array(thresholds)]
    found = decision.decide(scores, hierarchy, hierarchy.leaves)
    assert sets_of(hierarchy, found) == expected
    if consistency == "close":
        # What was taken to be in a node as the thresholds were chosen is what is in it.
        assert [set(np.flatnonzero(column).tolist()) for column in found.toarray().T] == inside


@given(few_labels(tree=False), st.integers(0, 1000))
def test_a_node_takes_its_share_or_what_its_children_bring(case, seed):
    hierarchy, scores, labels = case
    scores = np.random.default_rng(seed).random(scores.shape)
    taken = PCut().fit(scores, labels, hierarchy).decide(scores, hierarchy, hierarchy.leaves).toarray()
    wanted = hierarchy.close(labels).toarray().sum(axis=0)
    for node, column in enumerate(taken.T):
        brought = taken[:, hierarchy.child_positions(node)].any(axis=1)
        assert column.sum() == max(wanted[node], brought.sum())


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
