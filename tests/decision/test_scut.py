"""S-cut: a threshold a node, guarded; by hand, each fallback by itself, and against the slow twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.decision import LearnedDecision, PCut, SCut, f1_threshold
from classmark.decision.thresholds import best_f1
from tests.decision.cases import assert_thresholds, cases, few_labels, sets_of
from tests.generators import indicators
from tests.oracles import decision as oracle

INF = np.inf
FLAT = Hierarchy.flat("ab")
# Of a the first and the third are right: F1 2/3, 2/4, 4/5, 4/6, 4/7. Of b only the last: 0, 0, 0, 0, 2/6.
SCORES = np.array([[4.0, 9], [3, 7], [2, 5], [1, 3], [0, 1]])
LABELS = csr_array(np.array([[1, 0], [0, 0], [1, 0], [0, 0], [0, 1]], dtype=bool))
# All ten together: 9, 7, 5 are wrong; F1 is 2/7 after the 4, 4/10 after the 2, 6/12 after both 1s, 6/13 after the 0.
COMMON = (1 + 0) / 2


def thresholds(scores=SCORES, labels=LABELS, hierarchy=FLAT, **settings):
    return SCut(**settings).fit(scores, labels, hierarchy).thresholds


def test_each_node_has_its_best_threshold():
    assert thresholds(steady=False, fbr=0.0) == ((2 + 1) / 2, (1 + 0) / 2)
    assert thresholds(steady=False, fbr=0.33) == ((2 + 1) / 2, (1 + 0) / 2)


def test_steady_goes_halfway_to_p_cut():
    # P-cut lets two documents into a and one into b.
    by_share = ((3 + 2) / 2, (9 + 7) / 2)
    assert PCut().fit(SCORES, LABELS, FLAT).thresholds == by_share
    assert thresholds(fbr=0.0) == ((1.5 + by_share[0]) / 2, (0.5 + by_share[1]) / 2)


@pytest.mark.parametrize(("fallback", "expected"), [("share", (9 + 7) / 2), ("highest", 9), ("global", COMMON)])
@pytest.mark.parametrize("steady", [True, False])
def test_below_the_least_f1_a_node_falls_back(fallback, expected, steady):
    """The F1 of b is 2/6 at best: under .4 it is not believed; that of a, .8, is."""
    assert f1_threshold(SCORES.ravel(), LABELS.toarray().ravel()) == COMMON
    found = thresholds(fbr=0.4, fallback=fallback, steady=steady)
    assert found == ((1.5 + 2.5) / 2 if steady else 1.5, expected)


@pytest.mark.parametrize(("fallback", "expected"), [("share", (9 + 7) / 2), ("highest", 9), ("global", (2 + 1) / 2)])
def test_a_label_that_was_never_scored_teaches_nothing(fallback, expected):
    """As of a category with one document: where it was held out, nobody had seen the category."""
    scores = SCORES.copy()
    scores[4, 1] = -INF
    # All together: 2/7 after the 4, 4/10 after the 2, and b's label never comes.
    assert thresholds(scores, fallback=fallback, steady=False, fbr=0.0) == (1.5, expected)


@pytest.mark.parametrize("fallback", ["share", "highest", "global"])
def test_a_node_without_any_score_takes_the_common_threshold(fallback):
    scores = SCORES.copy()
    scores[:, 1] = -INF
    # Of a alone, with b's label missed: 2/4, 2/5, 4/6.
    assert thresholds(scores, fallback=fallback, steady=False) == (1.5, 1.5)


def test_where_no_label_has_a_score_there_is_still_an_answer():
    nothing = np.full((5, 2), -INF)
    assert thresholds(nothing) == (0.0, 0.0)
    scores = np.array([[-INF, 2.0], [1.0, -INF]])
    labels = csr_array(np.eye(2, dtype=bool))
    assert thresholds(scores, labels) == (np.nextafter(1.0, -INF), np.nextafter(2.0, -INF))
    assert thresholds(scores, labels, fallback="highest") == (1.0, 2.0)
    assert thresholds(scores, labels, fallback="global") == (0.0, 0.0)


def test_a_node_without_a_label_is_hardly_ever_accepted():
    labels = LABELS.toarray()
    labels[4, 1] = False
    for fallback in ("share", "highest"):
        assert thresholds(labels=csr_array(labels), fallback=fallback, steady=False) == (1.5, 9.0)


def test_the_truth_is_closed_first():
    # Everybody in x is in a: two labels of a, none written.
    tree = Hierarchy.from_paths(["a/x"])
    scores = np.array([[4.0, 4], [3, 3], [2, 2]])
    labels = csr_array(np.array([[0, 1], [0, 1], [0, 0]], dtype=bool))
    before = SCut(steady=False)
    after = before.fit(scores, labels, tree)
    # x brings the first two into a, where they count as 4 + 1: (5 + 2) / 2.
    assert after.thresholds == (3.5, 2.5)
    assert before.thresholds == ()
    assert sets_of(tree, after.decide(scores, tree, tree.leaves)) == [{"a", "a/x"}, {"a", "a/x"}, set()]


@pytest.mark.parametrize("tree", [True, False], ids=["trees", "DAGs"])
@given(
    st.data(),
    st.sampled_from(["share", "highest", "global"]),
    st.booleans(),
    st.sampled_from([0.0, 0.3, 0.5, 1.1]),
    st.sampled_from(list(oracle.CONSISTENCY_OF_MARGINS)),
)
def test_equal_to_the_oracle(tree, data, fallback, steady, fbr, consistency):
    hierarchy, scores, labels = data.draw(few_labels(tree))
    decision = SCut(consistency=consistency, fallback=fallback, steady=steady, fbr=fbr).fit(scores, labels, hierarchy)
    truth = hierarchy.close(labels).toarray()
    learnt = truth[np.isfinite(scores)].any()
    common = oracle.f1_threshold(scores.ravel().tolist(), truth.ravel().tolist()) if learnt else 0.0
    columns, truths = scores.T.tolist(), truth.T.tolist()
    assert_thresholds(
        decision,
        scores,
        hierarchy,
        lambda node, brought: oracle.scut_threshold(
            columns[node], truths[node], brought, common, (fbr, fallback, steady)
        ),
    )


@given(cases(n_documents=6, elements=st.integers(-6, 6).map(float)), st.data())
def test_unguarded_no_threshold_of_a_node_has_a_better_f1(case, data):
    hierarchy, scores, _ = case
    labels = data.draw(indicators(hierarchy, 6))
    found = SCut(steady=False, fbr=0.0, consistency="filter").fit(scores, labels, hierarchy).thresholds
    for threshold, column, truth in zip(found, scores.T, hierarchy.close(labels).toarray().T, strict=True):
        if truth.any():
            assert threshold == f1_threshold(column, truth)
            reached = oracle.f1_at(column.tolist(), truth.tolist(), min(column[column > threshold]))
            assert reached == max(oracle.f1_at(column.tolist(), truth.tolist(), least) for least in column)
            assert best_f1(column, truth)[1] == pytest.approx(float(reached))


def test_what_children_bring_is_not_asked_for_again():
    """The score of a says nothing of x below it: left alone it lets everybody in, F1 4/6 against 2/5."""
    tree = Hierarchy.from_paths(["a/x"])
    scores = np.array([[0.0, 4], [1, 3], [3, -2], [2, -3]])
    labels = csr_array(np.array([[0, 1], [0, 1], [0, 0], [0, 0]], dtype=bool))
    alone = SCut(steady=False, consistency="filter").fit(scores, labels, tree)
    assert alone.thresholds == ((0 - 1) / 2, (3 - 2) / 2)
    together = SCut(steady=False).fit(scores, labels, tree)
    # x brings the first two documents, which are all there are; they count as 3 + 1, and a asks for none beside them.
    assert together.thresholds == ((4 + 3) / 2, (3 - 2) / 2)
    assert sets_of(tree, together.decide(scores, tree, tree.leaves)) == [{"a", "a/x"}, {"a", "a/x"}, set(), set()]


def test_refusals():
    with pytest.raises(ValueError, match="fallback='mean': must be one of share, highest, global"):
        SCut(fallback="mean")
    with pytest.raises(ValueError, match="consistency='up': must be one of close, filter, average"):
        SCut(consistency="up")
    with pytest.raises(ValueError, match="on='test': must be one of held-out, training"):
        SCut(on="test")
    with pytest.raises(ValueError, match=r"the decision has 0 threshold\(s\) for 2 categories"):
        SCut().check(FLAT)
    SCut(thresholds=(1.0, 2.0)).check(FLAT)
    assert isinstance(SCut(), LearnedDecision)
    assert not SCut.one_label
