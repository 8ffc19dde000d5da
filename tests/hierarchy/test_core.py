"""`Hierarchy` by hand, and against sets and recursion on random graphs."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import Hierarchy
from tests.generators import hierarchies, indicators
from tests.oracles import hierarchy as oracle

TREE = Hierarchy.from_nested({"a": {"x": ["u"], "y": None}, "b": None})
DAG = Hierarchy.from_parents({"a": None, "b": None, "x": ["a", "b"], "u": ["x", "b"], "v": "x"})


def names_of(hierarchy, row):
    return {name for name, label in zip(hierarchy.names, row, strict=True) if label}


def rows_of(hierarchy, matrix):
    return [names_of(hierarchy, row) for row in matrix.toarray()]


def test_a_tree_by_hand():
    assert TREE.names == ("a", "b", "x", "y", "u")
    assert TREE.levels.tolist() == [1, 1, 2, 2, 3]
    assert TREE.depth == 3
    assert TREE.tops.tolist() == [0, 1]
    assert TREE.leaves.tolist() == [1, 3, 4]
    assert TREE.is_tree
    assert TREE.child_positions(0).tolist() == [2, 3]
    assert TREE.parent_positions(4).tolist() == [2]
    assert TREE.parent_positions(0).tolist() == []
    assert rows_of(TREE, TREE.ancestors) == [{"a"}, {"b"}, {"a", "x"}, {"a", "y"}, {"a", "x", "u"}]
    assert repr(TREE) == "<Hierarchy: a tree of 5 categories, 3 leaves, depth 3>"


def test_a_dag_by_hand():
    assert DAG.names == ("a", "b", "x", "u", "v")
    assert DAG.levels.tolist() == [1, 1, 2, 3, 3]
    assert not DAG.is_tree
    assert rows_of(DAG, DAG.ancestors)[3] == {"u", "x", "a", "b"}
    assert DAG.paths("u") == [("b", "u"), ("a", "x", "u"), ("b", "x", "u")]
    assert DAG.paths("a") == [("a",)]
    assert repr(DAG) == "<Hierarchy: a DAG of 5 categories, 2 leaves, depth 3>"


def test_a_container_of_names():
    assert len(TREE) == 5
    assert list(TREE) == ["a", "b", "x", "y", "u"]
    assert "x" in TREE
    assert "z" not in TREE
    assert ["x"] not in TREE
    assert ("x", ["x"]) not in TREE
    assert [TREE.position(name) for name in TREE] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("name", ["z", 0, None, ["x"], ("a", "x")])
def test_a_stranger_is_named(name):
    with pytest.raises(ValueError, match="not a category") as caught:
        TREE.position(name)
    assert repr(name) in str(caught.value)
    with pytest.raises(ValueError, match="not a category"):
        TREE.subtree(name)
    with pytest.raises(ValueError, match="not a category"):
        TREE.paths(name)


def test_subtrees():
    assert TREE.subtree("a") == Hierarchy.from_nested({"a": {"x": ["u"], "y": None}})
    assert TREE.subtree("u") == Hierarchy.flat(["u"])
    # u keeps the parents that lie inside: x and b, not a.
    assert DAG.subtree("b") == Hierarchy.from_parents({"b": None, "x": "b", "u": ["x", "b"], "v": "x"})
    assert TREE.subtree("a").names == ("a", "x", "y", "u")


def test_equality_is_that_of_the_edges_whatever_the_order():
    one = Hierarchy.from_edges([(None, "a"), ("a", "x"), ("a", "y")])
    other = Hierarchy.from_edges([("a", "y"), ("a", "x"), (None, "a")])
    assert one.names != other.names
    assert one == other
    assert hash(one) == hash(other)
    assert one != Hierarchy.from_edges([(None, "a"), ("a", "x"), ("x", "y")])
    assert one != Hierarchy.flat(["a", "x", "y"])
    assert one != one.names
    assert len({one, other, TREE}) == 2


def test_pickles():
    copy = pickle.loads(pickle.dumps(DAG))
    assert copy == DAG
    assert copy.names == DAG.names
    assert (copy.ancestors != DAG.ancestors).nnz == 0


def test_label_sets_by_hand():
    labels = csr_array(np.array([[0, 0, 0, 0, 1], [0, 1, 1, 0, 0], [1, 0, 1, 1, 0], [0, 0, 0, 0, 0]]))
    assert rows_of(TREE, TREE.close(labels)) == [{"a", "x", "u"}, {"a", "b", "x"}, {"a", "x", "y"}, set()]
    assert rows_of(TREE, TREE.own(labels)) == [{"u"}, {"b", "x"}, {"x", "y"}, set()]
    assert TREE.is_consistent(labels).tolist() == [False, False, True, True]


def test_stored_zeros_and_duplicates_are_no_labels():
    # Row 0: a stored 0 at u and x twice; row 1: a stored 0 alone.
    labels = csr_array((np.array([0, 1, 1, 0]), np.array([4, 2, 2, 1]), np.array([0, 3, 4])), shape=(2, 5))
    assert rows_of(TREE, TREE.close(labels)) == [{"a", "x"}, set()]
    assert rows_of(TREE, TREE.own(labels)) == [{"x"}, set()]
    assert TREE.is_consistent(labels).tolist() == [False, True]
    assert labels.nnz == 4


def test_no_documents():
    nobody = csr_array((0, 5), dtype=bool)
    assert TREE.close(nobody).shape == TREE.own(nobody).shape == (0, 5)
    assert TREE.is_consistent(nobody).tolist() == []


def test_the_closure_of_a_chain():
    chain = Hierarchy.from_edges((None if i == 0 else i - 1, i) for i in range(1000))
    assert chain.ancestors.nnz == 1000 * 1001 // 2
    assert np.array_equal(np.diff(chain.ancestors.indptr), np.arange(1, 1001))


@given(hierarchies())
def test_topological_order(hierarchy):
    edges = set(hierarchy.edges())
    assert hierarchy.levels.tolist() == [oracle.level(edges, name) for name in hierarchy.names]
    assert (np.diff(hierarchy.levels) >= 0).all()
    for node in range(len(hierarchy)):
        assert (hierarchy.parent_positions(node) < node).all()
        assert (hierarchy.child_positions(node) > node).all()


@given(hierarchies())
def test_relations_equal_the_oracle(hierarchy):
    edges = set(hierarchy.edges())
    assert rows_of(hierarchy, hierarchy.parents) == [oracle.parents(edges, name) for name in hierarchy]
    assert rows_of(hierarchy, hierarchy.ancestors) == [oracle.ancestors(edges, name) for name in hierarchy]
    assert (hierarchy.children != hierarchy.parents.T).nnz == 0
    above = {parent for parent, _ in edges}
    assert {hierarchy.names[i] for i in hierarchy.leaves} == set(hierarchy.names) - above
    assert {hierarchy.names[i] for i in hierarchy.tops} == {child for parent, child in edges if parent is None}
    assert hierarchy.is_tree == all(len(oracle.parents(edges, name)) <= 1 for name in hierarchy)


@given(hierarchies(max_nodes=9))
def test_paths_equal_the_oracle(hierarchy):
    edges = set(hierarchy.edges())
    for name in hierarchy:
        found = hierarchy.paths(name)
        assert set(found) == oracle.paths(edges, name)
        assert len(found) == len(set(found))


@given(hierarchies(), st.data())
def test_subtrees_equal_the_oracle(hierarchy, data):
    top = data.draw(st.sampled_from(hierarchy.names))
    edges = set(hierarchy.edges())
    inside = {name for name in hierarchy if top in oracle.ancestors(edges, name)}
    kept = {(parent, child) for parent, child in edges if {parent, child} <= inside}
    assert set(hierarchy.subtree(top).edges()) == kept | {(None, top)}


@given(hierarchies(), st.data())
def test_closures_and_own_labels_equal_the_oracle(hierarchy, data):
    edges = set(hierarchy.edges())
    labels = data.draw(indicators(hierarchy, 3))
    sets = rows_of(hierarchy, labels)
    assert rows_of(hierarchy, hierarchy.close(labels)) == [oracle.closed(edges, one) for one in sets]
    assert rows_of(hierarchy, hierarchy.own(labels)) == [oracle.own(edges, one) for one in sets]
    assert hierarchy.is_consistent(labels).tolist() == [one == oracle.closed(edges, one) for one in sets]


@given(hierarchies(), st.data())
def test_close_and_own_undo_each_other(hierarchy, data):
    labels = data.draw(indicators(hierarchy, 3))
    closed, own = hierarchy.close(labels), hierarchy.own(labels)
    assert (hierarchy.close(closed) != closed).nnz == 0
    assert (hierarchy.own(closed) != own).nnz == 0
    assert (hierarchy.close(own) != closed).nnz == 0
    assert hierarchy.is_consistent(closed).all()
    unchanged = [bool((closed[[row]] != labels[[row]]).nnz == 0) for row in range(3)]
    assert hierarchy.is_consistent(labels).tolist() == unchanged


@given(hierarchies())
def test_edges_rebuild_the_hierarchy(hierarchy):
    assert Hierarchy.from_edges(hierarchy.edges()) == hierarchy
    assert hash(Hierarchy.from_edges(reversed(hierarchy.edges()))) == hash(hierarchy)
    above = {name: sorted(oracle.parents(set(hierarchy.edges()), name)) for name in hierarchy}
    assert Hierarchy.from_parents(above) == hierarchy
