"""P-cut: the score at the rank of the training share, by hand, over sets and between neighbouring numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.decision import LearnedDecision, PCut
from tests.decision.cases import assert_thresholds, cases, few_labels, sets_of
from tests.generators import indicators
from tests.oracles import decision as oracle

INF = np.inf
TREE = Hierarchy.from_paths(["a/x", "b"])  # node order: a, b, a/x


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
    assert_thresholds(
        decision,
        scores,
        hierarchy,
        lambda node, brought: oracle.score_at_rank(columns[node], wanted[node], brought),
    )


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
    with pytest.raises(ValueError, match=r"factor=0.*number > 0"):
        PCut(factor=0)
    with pytest.raises(ValueError, match=r"factor=nan.*number > 0"):
        PCut(factor=float("nan"))
    with pytest.raises(ValueError, match="consistency='up': must be one of close, filter, average"):
        PCut(consistency="up")
    with pytest.raises(ValueError, match=r"the decision has 2 threshold\(s\) for 3 categories"):
        PCut(thresholds=(1.0, 2.0)).check(TREE)
    PCut(thresholds=(1.0, 2.0, 3.0)).check(TREE)
    assert isinstance(PCut(), LearnedDecision)
    assert not PCut.one_label
