"""The summary: its keys and figures by hand, its parts against the oracle."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark import metrics as public
from classmark.labels import encode
from classmark.metrics import flat_scores, hierarchical_scores, summarise
from tests.generators import evaluations
from tests.oracles import metrics as oracle

# Node order: a, b, x, y, with x and y below a. The leaves are b, x and y.
TREE = Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "x"), ("a", "y")])
# With ancestors the true sets are ax, ay, b and nothing, the predicted ones ax, ax, nothing and b.
TRUE = [["x"], ["y"], ["b"], []]
PREDICTED = [["x"], ["a", "x"], [], ["b"]]
BEST = ["x", "x", None, "b"]


def example():
    true, predicted = (encode(labels, TREE).indicator for labels in (TRUE, PREDICTED))
    first = np.array([-1 if name is None else TREE.position(name) for name in BEST])
    return summarise(true, predicted, first, TREE)


def test_leaves_by_hand():
    # b: nothing of 1 predicted and 1 true; x: 1 of 2 predicted and 1 true; y: 0 predicted and 1 true.
    assert example()["leaves"] == pytest.approx(
        {
            "micro_f1": 2 * 1 / (3 + 3),
            "macro_f1": (0 + 2 / 3 + 0) / 3,
            "micro_precision": 1 / 3,
            "micro_recall": 1 / 3,
            "macro_precision": (0 + 1 / 2 + 0) / 3,
            "macro_recall": (0 + 1 + 0) / 3,
            "macro_f1_present": (0 + 2 / 3 + 0) / 3,
        }
    )


def test_nodes_by_hand():
    # As the leaves, and a: 2 of 2 predicted and 2 true.
    assert example()["nodes"] == pytest.approx(
        {
            "micro_f1": 2 * 3 / (5 + 5),
            "macro_f1": (1 + 0 + 2 / 3 + 0) / 4,
            "micro_precision": 3 / 5,
            "micro_recall": 3 / 5,
            "macro_precision": (1 + 0 + 1 / 2 + 0) / 4,
            "macro_recall": (1 + 0 + 1 + 0) / 4,
            "macro_f1_present": (1 + 0 + 2 / 3 + 0) / 4,
        }
    )


def test_the_other_figures_by_hand():
    summary = example()
    assert summary["documents"] == 4
    assert summary["hierarchical"] == pytest.approx({"hp": 3 / 5, "hr": 3 / 5, "hf": 3 / 5})
    # Documents 0, 1 and 2 have a true label. Best: ax, ax, none against ax, ay, b, so 3 of 4 and 3 of 5.
    assert summary["first"] == pytest.approx({"accuracy": 1 / 3, "hf": 2 * 3 / (4 + 5)})
    # Wrong: x and y of document 1, b of document 2, b of document 3.
    assert summary["hamming_loss"] == (2 + 1 + 1) / (4 * 4)
    assert summary["subset_accuracy"] == 1 / 4
    # {x} lacks a; {a, x}, {} and {b} lack nothing.
    assert summary["consistency"] == 3 / 4


def test_keys_and_plain_values():
    summary = example()
    assert list(summary) == [
        "documents",
        "leaves",
        "nodes",
        "hierarchical",
        "first",
        "hamming_loss",
        "subset_accuracy",
        "consistency",
    ]
    assert json.loads(json.dumps(summary)) == summary
    numbers = [summary["hamming_loss"], summary["subset_accuracy"], summary["consistency"]]
    for part in ("leaves", "nodes", "hierarchical", "first"):
        numbers += summary[part].values()
    assert {type(number) for number in numbers} == {float}
    assert type(summary["documents"]) is int


@settings(deadline=None)
@given(evaluations(), st.data())
def test_parts_agree_with_the_oracle_and_the_single_measures(case, data):
    hierarchy, true, predicted = case
    positions = st.integers(-1, len(hierarchy) - 1)
    first = data.draw(st.lists(positions, min_size=true.shape[0], max_size=true.shape[0]))
    summary = summarise(true, predicted, np.array(first), hierarchy)
    closed = hierarchy.close(true), hierarchy.close(predicted)
    assert summary["first"] == pytest.approx(oracle.first(true, first, hierarchy))
    assert summary["hierarchical"] == vars(hierarchical_scores(true, predicted, hierarchy))
    assert summary["consistency"] == oracle.consistency(predicted, hierarchy)
    for key, nodes in (("leaves", hierarchy.leaves), ("nodes", None)):
        scores = flat_scores(*closed, nodes=nodes)
        assert summary[key] == {name: getattr(scores, name) for name in summary[key]}


def test_adding_ancestors_beforehand_changes_consistency_only():
    true, predicted = (encode(labels, TREE).indicator for labels in (TRUE, PREDICTED))
    first = np.array([2, 2, -1, 1])
    closed = summarise(TREE.close(true), TREE.close(predicted), first, TREE)
    assert closed == summarise(true, predicted, first, TREE) | {"consistency": 1.0}


def test_no_true_label_at_all():
    nothing = csr_array((2, 4), dtype=bool)
    summary = summarise(nothing, nothing, np.array([0, -1]), TREE)
    assert summary["first"] == {"accuracy": 0, "hf": 0}
    assert summary["subset_accuracy"] == 1
    assert summary["nodes"]["macro_f1_present"] == 0


def test_refuses_no_documents():
    nobody = csr_array((0, 4), dtype=bool)
    with pytest.raises(ValueError, match=r"no document.*evaluate"):
        summarise(nobody, nobody, np.zeros(0, dtype=int), TREE)


@pytest.mark.parametrize(
    ("first", "message"),
    [([0.0], "1 integers"), ([0, 1], "1 integers"), ([-2], "from -1 to 3"), ([4], "from -1 to 3")],
)
def test_refuses_best_categories_that_are_no_positions(first, message):
    labels = csr_array([[True, False, False, False]])
    with pytest.raises(ValueError, match=message):
        summarise(labels, labels, first, TREE)


def test_refuses_indicators_of_another_hierarchy():
    labels = csr_array([[True, False]])
    with pytest.raises(ValueError, match="2 columns for 4 categories"):
        summarise(labels, labels, [0], TREE)


def test_public_names_exist():
    assert all(hasattr(public, name) for name in public.__all__)
    assert len(set(public.__all__)) == len(public.__all__)  # the linter keeps their order: constants first
