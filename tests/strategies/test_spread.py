"""Scores spread over the hierarchy, by hand and against sets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from classmark import Hierarchy
from classmark.strategies.spread import best_learned_below, spread_upward
from tests.generators import hierarchies
from tests.oracles import hierarchy as oracle

INF = np.inf
# Node order: a, b, x, y, u, v, with x and y below a, and u and v below x.
TREE = Hierarchy.from_nested({"a": {"x": ["u", "v"], "y": None}, "b": None})


def int32(*nodes):
    return np.array(nodes, dtype=np.int32)


def test_a_node_that_was_never_learned_scores_the_best_of_its_descendants():
    # Learned: y, u, v. Nothing is known of b.
    scores = np.array([[1.0, 2.0, 3.0], [5.0, -1.0, -2.0]])
    spread = spread_upward(scores, int32(3, 4, 5), TREE)
    assert spread.tolist() == [[3, -INF, 3, 1, 2, 3], [5, -INF, -1, 5, -1, -2]]


def test_a_learned_inner_node_keeps_its_score_and_hides_nothing_below_it():
    # Learned: x, u. The node a takes the best of both, wherever it stands.
    assert spread_upward(np.array([[1.0, 4.0]]), int32(2, 4), TREE).tolist() == [[4, -INF, 1, -INF, 4, -INF]]
    assert spread_upward(np.array([[4.0, 1.0]]), int32(2, 4), TREE).tolist() == [[4, -INF, 4, -INF, 1, -INF]]


def test_all_inner_nodes_learned():
    scores = np.array([[1.0, 2.0, 9.0]])
    assert spread_upward(scores, int32(0, 2, 5), TREE).tolist() == [[1, -INF, 2, -INF, -INF, 9]]


def test_a_dag_takes_the_best_by_any_way():
    dag = Hierarchy.from_parents({"a": None, "b": None, "x": ["a", "b"], "y": "b"})
    assert spread_upward(np.array([[1.0, 2.0]]), int32(2, 3), dag).tolist() == [[1, 2, 1, 2]]


def test_best_learned_below_by_hand():
    scores = np.array([[1.0, 2.0, 3.0], [5.0, -1.0, -2.0]])
    ends = int32(3, 4, 5)
    assert best_learned_below(scores, ends, TREE, 0).tolist() == [2, 0]
    assert best_learned_below(scores, ends, TREE, 2).tolist() == [2, 1]
    assert best_learned_below(scores, ends, TREE, 4).tolist() == [1, 1]
    assert best_learned_below(scores, ends, TREE, 1).tolist() == [-1, -1]


def test_the_scores_given_are_not_changed():
    scores = np.array([[1.0, 2.0]])
    spread_upward(scores, int32(4, 5), TREE)[:] = 0
    assert scores.tolist() == [[1, 2]]


@given(hierarchies(), st.data())
def test_equal_to_the_oracle(hierarchy, data):
    ends = int32(*sorted(data.draw(st.sets(st.integers(0, len(hierarchy) - 1), min_size=1))))
    scores = data.draw(arrays(float, (3, ends.size), elements=st.integers(-3, 3).map(float)))
    spread = spread_upward(scores, ends, hierarchy)
    edges = set(hierarchy.edges())
    learned = dict(zip(ends.tolist(), scores.T, strict=True))
    for node, name in enumerate(hierarchy):
        below = [end for end in learned if name in oracle.ancestors(edges, hierarchy.names[end])]
        expected = learned[node] if node in learned else np.max([np.full(3, -INF), *map(learned.get, below)], axis=0)
        assert np.array_equal(spread[:, node], expected)
        column = best_learned_below(scores, ends, hierarchy, node)
        if below:
            assert np.array_equal(scores[np.arange(3), column], expected)
        else:
            assert column.tolist() == [-1, -1, -1]
