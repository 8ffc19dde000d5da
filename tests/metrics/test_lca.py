"""Scores up to the lowest common ancestors: by hand, as properties, and against an oracle with sets."""

from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark import Hierarchy
from classmark.metrics import lca_scores
from tests.generators import evaluations, hierarchies
from tests.oracles import graphs as oracle

TREE = Hierarchy.from_paths(["a/x/q", "a/y/z", "b"])


@pytest.mark.parametrize(
    ("true", "predicted", "shared", "n_predicted", "n_true"),
    [
        # One label each: the way up to the LCA, the LCA alone is shared.
        (["a/x"], ["a/x"], 1, 1, 1),
        (["a/x"], ["a/y"], 1, 2, 2),  # {x, a} and {y, a}
        (["a/y/z"], ["a/x"], 1, 2, 3),  # {z, y, a} and {x, a}
        (["a/y/z"], ["a"], 1, 1, 3),  # a is the LCA itself
        (["a/y/z"], ["b"], 1, 2, 4),  # {z, y, a, root} and {b, root}
        # Several: z and x meet in a, b is linked with itself.
        (["a/y/z", "b"], ["a/x", "b"], 2, 3, 4),
        # Ancestors of a label are no labels of their own.
        (["a", "a/y", "a/y/z"], ["a", "a/x"], 1, 2, 3),
        # All that is predicted is right, z still links itself with q: {q, x, a} against {q, z, y, a}.
        (["a/x/q", "a/y/z"], ["a/x/q"], 2, 3, 4),
        (["a/x/q"], ["a/x/q", "a/y/z"], 2, 4, 3),
    ],
)
def test_by_hand(true, predicted, shared, n_predicted, n_true):
    scores = lca_scores([true], [predicted], TREE)
    expected = (shared / n_predicted, shared / n_true, 2 * shared / (n_predicted + n_true))
    assert astuple(scores) == pytest.approx(expected)


def test_equally_near_labels_the_deepest_meeting_counts():
    # From x it is 3 edges to z, by way of a, and 3 to b, by way of the root: a is deeper. z is nearest to x too, and b
    # can only be linked with x, by way of the root. {x, a, root} against {z, y, a} and {b, root}.
    scores = lca_scores([["a/x"]], [["a/y/z", "b"]], Hierarchy.from_paths(["a/x", "a/y/z", "b"]))
    assert astuple(scores) == pytest.approx((2 / 5, 2 / 3, 4 / 8))


def test_a_dag_by_hand():
    # x has the parents p and q, y only q: they meet in q. From x to z, below p, the way goes by p.
    dag = Hierarchy.from_parents({"p": None, "q": None, "x": ["p", "q"], "y": "q", "z": "p"})
    assert astuple(lca_scores([["x"]], [["y"]], dag)) == pytest.approx((1 / 2, 1 / 2, 1 / 2))
    # Two links: {x, q, p} against {y, q} and {z, p}.
    assert astuple(lca_scores([["x"]], [["y", "z"]], dag)) == pytest.approx((2 / 4, 2 / 3, 4 / 7))


def test_the_first_of_equal_ways_up_is_taken():
    # d goes up to t by b or by c; both lead to u's meeting in t. {d, b, t} against {u, t}.
    dag = Hierarchy.from_parents({"t": None, "b": "t", "c": "t", "u": "t", "d": ["c", "b"]})
    assert dag.names.index("b") < dag.names.index("c")
    assert lca_scores(["d"], ["u"], dag).recall == pytest.approx(1 / 3)
    assert lca_scores([["d", "b"]], [["u"]], dag).recall == pytest.approx(1 / 3)  # b is above d


@pytest.mark.parametrize(
    ("true", "predicted", "expected"),
    [([], [], (0.5, 0.5, 0.5)), (["b"], [], (0.5, 0, 0)), ([], ["b"], (0, 0.5, 0))],
)
def test_empty_sets_by_hand(true, predicted, expected):
    assert astuple(lca_scores([true], [predicted], TREE, zero_division=0.5)) == expected
    assert astuple(lca_scores([true], [predicted], TREE)) == (0, 0, 0)


def test_the_mean_over_documents():
    scores = lca_scores(["a/x", "b"], ["a/y", "b"], TREE)
    assert astuple(scores) == pytest.approx(((1 / 2 + 1) / 2,) * 3)


@given(hierarchies(tree=True), st.data())
def test_one_label_in_a_tree_is_one_over_the_way(tree, data):
    true, predicted = (data.draw(st.sampled_from(tree.names)) for _ in range(2))
    _, top = oracle.meet(tree.position(true), tree.position(predicted), tree)
    up = [oracle.steps_up(tree.position(name), tree)[top] for name in (predicted, true)]
    scores = lca_scores([[true]], [[predicted]], tree)
    assert (scores.precision, scores.recall) == pytest.approx((1 / (1 + up[0]), 1 / (1 + up[1])))


@given(evaluations(), st.sampled_from([0.0, 0.5, 1.0]))
def test_equal_to_the_oracle(case, zero_division):
    hierarchy, true, predicted = case
    found = astuple(lca_scores(true, predicted, hierarchy, zero_division=zero_division))
    assert found == pytest.approx(oracle.lca(true, predicted, hierarchy, zero_division))


@given(evaluations())
def test_true_and_predicted_change_places(case):
    hierarchy, true, predicted = case
    one, other = lca_scores(true, predicted, hierarchy), lca_scores(predicted, true, hierarchy)
    assert astuple(one) == pytest.approx((other.recall, other.precision, other.f1))
    perfect = lca_scores(true, true, hierarchy, zero_division=1)
    assert astuple(perfect) == (1, 1, 1)


def test_refuses_a_zero_division_that_is_no_score():
    with pytest.raises(ValueError, match="number >= 0 and <= 1"):
        lca_scores(["b"], ["b"], TREE, zero_division=2)
