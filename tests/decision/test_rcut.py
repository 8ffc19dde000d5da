"""R-cut: the best r, by hand and over sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark import Hierarchy
from classmark.decision import BestPath, LearnedDecision, RCut
from classmark.decision.dscut import ranked_ends
from tests.decision.cases import cases, int32, named, names_of, sets_of
from tests.oracles import decision as oracle

INF = np.inf
TREE = Hierarchy.from_nested({"a": {"x": ["u"]}, "b": None})  # node order: a, b, x, u


def test_by_hand():
    # The best node of all is a, but it is no end.
    scores = np.array([[9.0, 1, 3, 2], [9, 3, 1, 2]])
    ends = int32(1, 2, 3)
    assert sets_of(TREE, RCut().decide(scores, TREE, ends)) == [{"a", "x"}, {"b"}]
    assert sets_of(TREE, RCut(2).decide(scores, TREE, ends)) == [{"a", "x", "u"}, {"b", "a", "x", "u"}]
    # However bad: there is no threshold.
    assert sets_of(TREE, RCut().decide(scores - 99, TREE, ends)) == [{"a", "x"}, {"b"}]


def test_the_first_of_equals_comes_first():
    assert ranked_ends(np.zeros((1, 4)), int32(1, 2, 3), 2).tolist() == [[1, 2]]
    assert ranked_ends(np.array([[0.0, 1, 2, 2]]), int32(1, 2, 3), 3).tolist() == [[2, 3, 1]]


def test_more_than_there_are_and_what_nothing_is_known_of():
    scores = np.array([[0.0, 1, -INF, -2], [-INF] * 4])
    assert sets_of(TREE, RCut(9).decide(scores, TREE, int32(1, 2, 3))) == [{"b", "a", "x", "u"}, set()]
    assert sets_of(TREE, RCut(2).decide(scores, TREE, int32(1, 2))) == [{"b"}, set()]


def test_no_documents_and_nothing_to_learn():
    assert RCut().decide(np.empty((0, 4)), TREE, int32(1)).shape == (0, 4)
    assert not isinstance(RCut(), LearnedDecision)
    assert not RCut.one_label
    with pytest.raises(ValueError, match=r"r=0.*integer >= 1"):
        RCut(0)


@given(cases(), st.integers(1, 9))
def test_equal_to_the_oracle(case, r):
    hierarchy, scores, ends = case
    edges, names = set(hierarchy.edges()), names_of(hierarchy, ends)
    expected = [oracle.rcut(edges, named(hierarchy, row), names, r) for row in scores]
    assert sets_of(hierarchy, RCut(r).decide(scores, hierarchy, ends)) == expected


@given(cases(elements=st.integers(-3, 3).map(float)))
def test_the_best_one_is_the_best_path(case):
    hierarchy, scores, ends = case
    assert (RCut().decide(scores, hierarchy, ends) != BestPath().decide(scores, hierarchy, ends)).nnz == 0
