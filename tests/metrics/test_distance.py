"""Tree distances by hand, as properties of a metric, and against walking."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.labels import encode
from classmark.metrics import distance, lca_scores, tree_distance, tree_distance_error
from tests.generators import evaluations, hierarchies
from tests.oracles import graphs as oracle
from tests.oracles import metrics as tree_oracle

TREE = Hierarchy.from_paths(["a/x", "a/y/z", "b"])


@pytest.mark.parametrize(
    ("first", "second", "edges"),
    [
        ("a/x", "a/x", 0),
        ("a/x", "a", 1),
        ("a/x", "a/y", 2),
        ("a/x", "a/y/z", 1 + 2),
        ("a", "b", 1 + 1),  # by way of the root
        ("a/y/z", "b", 3 + 1),
    ],
)
def test_distances_by_hand(first, second, edges):
    assert tree_distance(TREE, first, second) == tree_distance(TREE, second, first) == edges


def test_a_common_descendant_is_no_way():
    # p and q share a child, over which it would be 1 + 1; the way goes up to the root all the same.
    dag = Hierarchy.from_parents({"a": None, "b": None, "p": "a", "q": "b", "child": ["p", "q"]})
    assert tree_distance(dag, "p", "q") == 2 + 2
    assert tree_distance(dag, "p", "child") == 1


def test_the_triangle_inequality_may_fail_in_a_dag():
    dag = Hierarchy.from_parents({"a": None, "b": None, "p": "a", "q": "b", "child": ["p", "q"]})
    assert tree_distance(dag, "p", "q") > tree_distance(dag, "p", "child") + tree_distance(dag, "child", "q")


@settings(max_examples=30)
@given(hierarchies(max_nodes=7, tree=True))
def test_a_metric_in_a_tree(tree):
    size = len(tree)
    table = np.array([[tree_distance(tree, one, other) for other in tree] for one in tree])
    expected = [[tree_oracle.distance(one, other, tree) for other in range(size)] for one in range(size)]
    assert table.tolist() == expected
    assert ((table == 0) == np.eye(size, dtype=bool)).all()
    assert (table[:, :, None] <= table[:, None, :] + table.T[None, :, :]).all()


@pytest.mark.parametrize(
    ("true", "predicted", "error"),
    [
        (["a/x"], ["a/x"], 0),
        (["a/x"], ["b"], 3),
        (["a", "a/x"], ["b"], 3),  # a is not an own label
        (["a/x", "b"], ["a/x"], ((0 + 3) / 2 + 0) / 2),
        (["a/x"], ["a/x", "b"], (0 + (0 + 3) / 2) / 2),
        (["a/x", "b"], ["a/y", "b"], ((2 + 0) / 2 + (2 + 0) / 2) / 2),
        ([], [], 0),
        (["a/y/z"], [], 3),  # the way to the root
        ([], ["a/x"], 2),
        (["a/y/z", "b"], [], ((3 + 1) / 2 + 1) / 2),  # the root's own nearest label is b
    ],
)
def test_errors_by_hand(true, predicted, error):
    assert tree_distance_error([true], [predicted], TREE) == error


def test_the_mean_over_documents():
    assert tree_distance_error(["a/x", "b", "b"], ["a/y", "b", "a"], TREE) == (2 + 0 + 2) / 3


@given(evaluations())
def test_equal_to_the_oracle(case):
    hierarchy, true, predicted = case
    found = tree_distance_error(true, predicted, hierarchy)
    assert found == pytest.approx(oracle.distance_error(true, predicted, hierarchy))
    assert found == pytest.approx(tree_distance_error(predicted, true, hierarchy))
    assert tree_distance_error(true, true, hierarchy) == 0


@pytest.mark.parametrize("measure", [tree_distance_error, lca_scores])
@given(case=evaluations(max_documents=8))
def test_blocks_do_not_matter(measure, case):
    hierarchy, true, predicted = case
    whole = measure(true, predicted, hierarchy)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distance, "PAIRS_IN_A_BLOCK", 2)
        assert measure(true, predicted, hierarchy) == whole


def test_every_form_of_labels():
    indicator = encode([["a/x"], ["b"]], TREE).indicator
    assert tree_distance_error(indicator, ["b", "b"], TREE) == tree_distance_error(["a/x", "b"], ["b", "b"], TREE)


def test_refusals():
    with pytest.raises(ValueError, match="2 documents with true labels and 1 with predicted ones"):
        tree_distance_error(["b", "b"], ["b"], TREE)
    with pytest.raises(ValueError, match=r"no document.*evaluate"):
        tree_distance_error(csr_array((0, len(TREE)), dtype=bool), csr_array((0, len(TREE)), dtype=bool), TREE)
    with pytest.raises(ValueError, match="document 1 is not labelled"):
        tree_distance_error([["b"], None], [["b"], ["b"]], TREE)
    with pytest.raises(ValueError, match=r"'c'.*not a category"):
        tree_distance(TREE, "a", "c")
