"""Centroids of a tree by ranges of its nodes, against the formulas and against those of any hierarchy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import HierarchicalKNN, Hierarchy
from classmark.index import InvertedIndex
from classmark.neighbours.centroids import TreeCentroids, learn_centroids, learn_tree_centroids, tree_of
from classmark.neighbours.hierarchical import decayed_closure
from tests.generators import hierarchies
from tests.neighbours.cases import N_TERMS, matrix
from tests.oracles import voting as oracle

TERMS = st.dictionaries(st.integers(0, N_TERMS - 1), st.integers(1, 4).map(float), min_size=1, max_size=5)
TREE = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})


@st.composite
def problems(draw):
    """A tree, documents with their own labels, a document to ask about, and how much is borrowed."""
    tree = draw(hierarchies(tree=True))
    nodes = st.integers(0, len(tree) - 1)
    rows = draw(st.lists(st.tuples(TERMS, st.sets(nodes, max_size=3)), min_size=1, max_size=12))
    return tree, rows, draw(TERMS), draw(st.sampled_from([0.0, 0.5, 1.0, 4.0]))


def indicator(rows, tree):
    dense = np.zeros((len(rows), len(tree)))
    for row, (_, labels) in enumerate(rows):
        dense[row, list(labels)] = 1.0
    return csr_array(dense)


def learned(tree, rows, borrow):
    index = InvertedIndex.build(matrix([terms for terms, _ in rows]))
    return learn_tree_centroids(*index.rows(), N_TERMS, indicator(rows, tree), tree, borrow)


def all_pairs(tree):
    return csr_array(np.ones((1, len(tree))))


@settings(max_examples=150)
@given(problems())
def test_cosines_are_those_of_the_formula(problem):
    tree, rows, query, borrow = problem
    found = learned(tree, rows, borrow).cosines(matrix([query]), all_pairs(tree))
    documents, labels = [terms for terms, _ in rows], [sorted(own) for _, own in rows]
    expected = [oracle.cosine(query, node, documents, labels, tree, borrow) for node in range(len(tree))]
    assert found == pytest.approx(expected, abs=1e-9)


@settings(max_examples=60)
@given(problems(), st.sampled_from([1, 3]))
def test_they_are_those_of_any_hierarchy(problem, jobs):
    tree, rows, query, borrow = problem
    own = learned(tree, rows, borrow)
    others = learn_centroids(matrix([terms for terms, _ in rows]), indicator(rows, tree), tree, borrow)
    counts = matrix([query])
    assert own.cosines(counts, all_pairs(tree), jobs) == pytest.approx(
        others.cosines(counts, all_pairs(tree)), abs=1e-9
    )
    for node in range(len(tree)):
        terms = own.cosine_terms(counts, node)
        assert terms == pytest.approx(others.cosine_terms(counts, node), abs=1e-9)
        assert terms.sum() == pytest.approx(own.cosines(counts, all_pairs(tree))[node], abs=1e-9)


@given(hierarchies(tree=True))
def test_a_subtree_is_a_range(tree):
    numbered = tree_of(tree)
    assert sorted(numbered.starts) == list(range(len(tree)))
    for node in range(len(tree)):
        inside = np.flatnonzero(tree.ancestors[:, [node]].toarray())
        assert sorted(numbered.starts[inside]) == list(range(numbered.starts[node], numbered.stops[node]))


@given(hierarchies(tree=True), st.sampled_from([0.0, 0.3, 0.7, 1.0]))
def test_votes_fade_upward_in_a_tree_as_in_any_hierarchy(tree, decay):
    expected = np.zeros((len(tree), len(tree)))
    for node in range(len(tree)):
        for above, levels in oracle.ways_up(tree, node):
            expected[node, above] += decay**levels
    assert decayed_closure(tree, decay).toarray() == pytest.approx(expected)


def test_two_siblings_by_hand():
    """The centroid of x: its own unit vector, and that of all documents below a."""
    rows = [({0: 1.0}, {2}), ({1: 1.0}, {3})]
    tree = Hierarchy.from_paths(["a/x", "a/y", "b"])
    found = learned(tree, rows, 1.0).cosines(matrix([{0: 1.0}]), all_pairs(tree))
    own, lent = np.array([1.0, 0.0]), np.array([1.0, 1.0]) / np.sqrt(2)
    x, y = own + lent, own[::-1] + lent
    assert found == pytest.approx([0.0, 0.0, x[0] / np.linalg.norm(x), y[0] / np.linalg.norm(y)], abs=1e-12)


class TestModels:
    def model(self):
        X = [[1, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0, 0, 0, 2, 0], [0, 0, 0, 1, 1]]
        return HierarchicalKNN(hierarchy=TREE).fit(X, ["owl", "gull", "oak", "oak"])

    def test_centroids_are_kept(self):
        model = self.model()
        state = model.to_state()
        again = HierarchicalKNN().from_state(state)
        for one, other in zip(model.centroids_.sums, again.centroids_.sums, strict=True):
            assert one is other
        assert again.node_scores(np.eye(5)).tolist() == model.node_scores(np.eye(5)).tolist()

    @pytest.mark.parametrize(
        ("key", "value", "message"),
        [
            ("starts", lambda starts: starts[::-1].copy(), "not fit together"),
            ("nodes", lambda nodes: nodes[1:], "has shape"),
            ("norms", lambda norms: norms * 0, "no numbers above 0"),
            ("lengths", lambda lengths: lengths * np.nan, "no numbers above 0"),
        ],
    )
    def test_what_cannot_be_centroids_is_refused(self, key, value, message):
        state = self.model().to_state()
        changed = state["learned"]["centroids"] | {key: value(state["learned"]["centroids"][key])}
        with pytest.raises(ValueError, match=message):
            HierarchicalKNN().from_state(state | {"learned": state["learned"] | {"centroids": changed}})

    def test_a_graph_keeps_them_node_by_node(self):
        graph = Hierarchy.from_parents({"a": None, "b": None, "x": ["a", "b"]})
        model = HierarchicalKNN(hierarchy=graph).fit(np.eye(3), ["a", "b", "x"])
        assert not isinstance(model.centroids_, TreeCentroids)
        assert "centroids" not in model.to_state()["learned"]
