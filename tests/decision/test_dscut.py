"""DS-cut: shares of the best score by rank, with the paper's values, by hand and over sets."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import BM25KNN, Hierarchy, MajorityClassifier, held_out
from classmark.decision import BestPath, DSCut, LearnedDecision, TunedDSCut
from tests.decision.cases import cases, int32, named, names_of, sets_of
from tests.oracles import decision as oracle

INF = np.inf
FLAT = Hierarchy.flat("abcd")
TREE = Hierarchy.from_nested({"a": {"x": ["u"]}, "b": None})  # node order: a, b, x, u


def taken(*scores, decision=None):
    [found] = sets_of(FLAT, (decision or DSCut()).decide(np.array([scores], float), FLAT, FLAT.leaves))
    return "".join(sorted(found))


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        # The thresholds 1, .6 and .4 of the paper: 3 / 5 reaches .6, and 2 / 5 reaches .4; a fourth never comes.
        ((5, 3, 2, 2), "abc"),
        ((2, 2, 5, 3), "acd"),
        ((5, 3, 1.9, 0), "ab"),
        ((5, 2.9, 0, 0), "a"),
        # The second falls short, so the third does not come in either, though it reaches .4.
        ((5, 2.9, 2.8, 0), "a"),
        # Equal scores are all of the best: in node order.
        ((5, 5, 5, 5), "abc"),
        # Not positive: a share means nothing, and the best is taken alone.
        ((0, 0, -1, -1), "a"),
        ((-2, -1, -1, -9), "b"),
        ((-INF, -1, -INF, -INF), "b"),
        ((-INF, 5, -INF, 4), "bd"),
        ((-INF, -INF, -INF, -INF), ""),
    ],
)
def test_by_hand(scores, expected):
    assert taken(*scores) == expected


def test_other_thresholds():
    assert taken(5, 4, 3, 2, decision=DSCut((1.0,))) == "a"
    assert taken(5, 4, 3, 2, decision=DSCut((1.0, 0.8, 0.8, 0.0))) == "ab"
    assert taken(5, 4, 3, 2, decision=DSCut((1.0, 0.0, 0.0, 0.0, 0.0, 0.0))) == "abcd"
    # A share of at least 0 is one that is not negative, and minus infinity is none.
    assert taken(5, 4, 0, -1, decision=DSCut((1.0, 0.0, 0.0, 0.0))) == "abc"
    assert taken(5, -INF, -INF, -INF, decision=DSCut((1.0, 0.0))) == "a"
    assert taken(-INF, -INF, -INF, -INF, decision=DSCut((1.0, 0.0))) == ""


def test_only_ends_are_ranked_and_ancestors_come_with_them():
    scores = np.array([[9.0, 4, 3, 5]])
    assert sets_of(TREE, DSCut().decide(scores, TREE, int32(1, 2, 3))) == [{"u", "x", "a", "b"}]
    assert sets_of(TREE, DSCut().decide(scores, TREE, int32(1, 2))) == [{"b", "a", "x"}]


def test_refusals_and_nothing_to_learn():
    for thresholds in ((), (1.0, 1.5), (-0.1,), (float("nan"),)):
        with pytest.raises(ValueError, match=r"thresholds=.*numbers >= 0 and <= 1"):
            DSCut(thresholds)
    assert not isinstance(DSCut(), LearnedDecision)
    assert DSCut().decide(np.empty((0, 4)), TREE, int32(1)).shape == (0, 4)


# Quarters of halves are exact, so that a share that just reaches its threshold reaches it here and there.
quarters = st.lists(st.integers(0, 4).map(lambda n: n / 4), min_size=1, max_size=4)


@given(cases(), quarters)
def test_equal_to_the_oracle(case, thresholds):
    hierarchy, scores, ends = case
    edges, names = set(hierarchy.edges()), names_of(hierarchy, ends)
    exact = [Fraction(threshold) for threshold in thresholds]
    expected = [oracle.dscut(edges, named(hierarchy, row), names, exact) for row in scores]
    assert sets_of(hierarchy, DSCut(tuple(thresholds)).decide(scores, hierarchy, ends)) == expected


@given(cases(elements=st.integers(-3, 3).map(float)))
def test_one_threshold_is_the_best_path(case):
    hierarchy, scores, ends = case
    assert (DSCut((1.0,)).decide(scores, hierarchy, ends) != BestPath().decide(scores, hierarchy, ends)).nnz == 0


def learned(scores, labels, **parameters):
    """The thresholds that documents with these labels, of a to d, teach."""
    own = np.array([[name in names for name in "abcd"] for names in labels])
    return TunedDSCut(**parameters).fit(np.array(scores, float), csr_array(own), FLAT).thresholds


class TestLearned:
    def test_by_hand(self):
        scores = [[10, 7, 5, 0], [10, 6, 5, 0], [10, 8, 1, 0]]
        # The second label is right from .7 on: all three have cosine 1, and without it two have 1 / √2.
        assert learned(scores, ["ab", "a", "ab"]) == (1.0, 0.7)
        # A third is right from 5 / 10 on, in the second document behind 6 / 10.
        assert learned(scores, ["abc", "abc", "ab"]) == (1.0, 0.6, 0.5)

    def test_the_second_threshold_lets_through_what_the_third_holds_back(self):
        scores = [[10, 9, 9, 0], [10, 6, 4.5, 0], [10, 6, 4, 0]]
        # Two labels from .6 on, a third only from .9: .9 is higher than the threshold before it.
        assert learned(scores, ["abc", "ab", "ab"]) == (1.0, 0.6, 0.9)

    def test_one_label_where_others_are_wrong(self):
        assert learned([[10, 9, 9, 9], [10, 9, 9, 9]], ["a", "a"]) == (1.0,)

    def test_nothing_falls_under_the_floor(self):
        scores, labels = [[10, 3, 0, 0], [10, 3, 0, 0]], ["ab", "ab"]
        assert learned(scores, labels) == (1.0,)
        assert learned(scores, labels, floor=0.2) == (1.0, 0.3)

    def test_so_many_labels_at_most(self):
        scores, labels = [[10, 9, 8, 7]], ["abcd"]
        assert learned(scores, labels) == (1.0, 0.9, 0.8, 0.7)
        assert learned(scores, labels, most=2) == (1.0, 0.9)

    def test_what_cannot_be_shared_teaches_nothing(self):
        assert learned([[-1, -2, -3, -4], [-INF, -INF, -INF, -INF], [0, 0, 0, 0]], ["ab", "ab", ""]) == (1.0,)

    def test_more_combinations_than_can_be_tried(self):
        with pytest.raises(ValueError, match=r"most=7.*integer >= 1 and <= 6"):
            TunedDSCut(most=7)


# Eighths, so that a share that just reaches a threshold of the grid reaches it here and there.
EIGHTHS = st.integers(-2, 8).map(lambda n: n / 8) | st.just(-INF)


@settings(max_examples=60)
@given(cases(n_documents=4, elements=EIGHTHS), st.sampled_from([0.4, 0.75]), st.integers(1, 3), st.data())
def test_learned_equals_trying_everything(case, floor, most, data):
    hierarchy, scores, ends = case
    own = np.zeros(scores.shape, dtype=bool)
    for row in own:
        row[data.draw(st.sets(st.sampled_from(ends.tolist())).map(sorted))] = True
    labels = hierarchy.own(hierarchy.close(csr_array(own)))
    seen = int32(*np.unique(labels.indices).tolist())
    truths = [{hierarchy.names[node] for node in np.flatnonzero(row)} for row in labels.toarray()]
    grid = [Fraction(n, 20) for n in range(round(floor * 20), 21)]
    names = names_of(hierarchy, seen)
    found = TunedDSCut(floor=floor, most=most).fit(scores, labels, hierarchy)
    if not names:
        assert found.thresholds == (1.0,)
        return
    expected = oracle.tuned_dscut([named(hierarchy, row) for row in scores], truths, names, grid, most)
    assert found.thresholds == tuple(map(float, expected))
    # What was learned decides as any DS-cut does.
    same = DSCut(found.thresholds).decide(scores, hierarchy, seen)
    assert (found.decide(scores, hierarchy, seen) != same).nnz == 0


def test_thresholds_of_a_part_where_all_scores_would_be_too_many(monkeypatch):
    """Neighbours give the best ends of a few documents held out, which is all that DS-cut looks at."""
    random = np.random.default_rng(0)
    X, labels = random.poisson(0.4, (300, 20)), random.random((300, 6)) < 0.3
    monkeypatch.setattr(held_out, "SCORES_TO_LEARN_FROM", 10)
    model = BM25KNN(decision="tuned-dscut").fit(X, csr_array(labels))
    assert model.decision_reason_ == "learned on 30 documents held out"
    # The same by hand: what is held out, asked of a model of the others, with all scores.
    unseen = np.sort(np.random.default_rng(0).permutation(300)[:30])
    seen = np.setdiff1d(np.arange(300), unseen)
    other = BM25KNN(decision="dscut").fit(X[seen], csr_array(labels[seen]))
    expected = TunedDSCut().fit(other.node_scores(X[unseen]), csr_array(labels[unseen]), other.hierarchy_)
    assert model.decision_.thresholds == expected.thresholds
    with pytest.raises(ValueError, match="needs the scores of 300 documents"):
        MajorityClassifier(decision="tuned-dscut").fit(X, csr_array(labels))
