"""The best path: one place for every document."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from classmark import Hierarchy
from classmark.decision import BestPath, LearnedDecision, best_end
from tests.generators import hierarchies

TREE = Hierarchy.from_nested({"a": {"x": ["u"]}, "b": None})  # node order: a, b, x, u


def int32(*nodes):
    return np.array(nodes, dtype=np.int32)


def test_by_hand():
    # The best node of all is a, but it is no end.
    scores = np.array([[9.0, 1.0, 3.0, 2.0], [9.0, 3.0, 1.0, 2.0]])
    assert best_end(scores, int32(1, 2, 3)).tolist() == [2, 1]
    assert BestPath().decide(scores, TREE, int32(1, 2, 3)).toarray().tolist() == [[1, 0, 1, 0], [0, 1, 0, 0]]
    assert BestPath().decide(scores, TREE, int32(3)).toarray().tolist() == [[1, 0, 1, 1], [1, 0, 1, 1]]


def test_the_first_of_equals_wins():
    scores = np.zeros((1, 4))
    assert best_end(scores, int32(1, 3)).tolist() == [1]
    assert best_end(scores, int32(2, 3)).tolist() == [2]


def test_no_documents():
    assert best_end(np.empty((0, 4)), int32(1)).tolist() == []
    assert BestPath().decide(np.empty((0, 4)), TREE, int32(1)).shape == (0, 4)


def test_one_label_and_nothing_to_learn():
    assert BestPath.one_label
    assert not isinstance(BestPath(), LearnedDecision)
    assert BestPath() == BestPath()


@given(hierarchies(), st.data())
def test_exactly_one_own_label_among_the_ends_with_the_highest_score(hierarchy, data):
    # An end above another end is fine: the path may stop at an inner node.
    ends = int32(*sorted(data.draw(st.sets(st.integers(0, len(hierarchy) - 1), min_size=1))))
    scores = data.draw(arrays(float, (3, len(hierarchy)), elements=st.integers(-3, 3).map(float)))
    found = BestPath().decide(scores, hierarchy, ends)
    assert hierarchy.is_consistent(found).all()
    own = hierarchy.own(found)
    assert np.diff(own.indptr).tolist() == [1, 1, 1]
    assert set(own.indices) <= set(ends.tolist())
    assert np.array_equal(scores[np.arange(3), own.indices], scores[:, ends].max(axis=1))
    assert np.array_equal(own.indices, best_end(scores, ends))
