"""DS-cut: shares of the best score by rank, with the paper's values, by hand and over sets."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark import Hierarchy
from classmark.decision import BestPath, DSCut, LearnedDecision
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
        with pytest.raises(ValueError, match=r"give numbers from 0 to 1, such as \(1, 0\.6, 0\.4\)"):
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
