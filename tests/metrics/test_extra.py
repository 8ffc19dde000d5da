"""The further figures: their keys and values by hand, and that each is what its function gives."""

import json

import numpy as np
import pytest
from hypothesis import given, settings

from classmark import Hierarchy
from classmark import metrics as public
from classmark.labels import encode
from classmark.metrics import further_figures
from tests.generators import evaluations

# Node order: a, b, x, y, with x and y below a.
TREE = Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "x"), ("a", "y")])
TRUE, PREDICTED = (encode(labels, TREE).indicator for labels in ([["a", "x"], ["b"]], [["a", "y"], ["b"]]))
SCORES = np.array([[0.9, 0.2, 0.4, 0.6], [0.1, 0.8, 0.3, 0.2]])


def test_figures_by_hand():
    figures = further_figures(TRUE, PREDICTED, SCORES, TREE, probabilities=SCORES)
    assert figures["tree_distance"] == (2 + 0) / 2
    assert figures["lca"] == pytest.approx({"p": (1 / 2 + 1) / 2, "r": (1 / 2 + 1) / 2, "f": (1 / 2 + 1) / 2})
    assert figures["cosine"] == (0 + 1) / 2
    assert figures["hierarchical"]["macro"] == pytest.approx(dict.fromkeys(["hp", "hr", "hf"], (1 + 1 + 0 + 0) / 4))
    assert figures["hierarchical"]["instance"] == pytest.approx(dict.fromkeys(["hp", "hr", "hf"], (1 / 2 + 1) / 2))
    # Leaves: b, x, y. Ranks of the first document: y, x, b; of the second: b, x, y.
    ranking = figures["ranking"]
    assert (ranking["precision_at_1"], ranking["precision_at_3"], ranking["precision_at_5"]) == (1 / 2, 1 / 3, 1 / 3)
    assert (ranking["recall_at_1"], ranking["recall_at_3"], ranking["recall_at_5"]) == (1 / 2, 1, 1)
    assert ranking["ndcg_at_3"] == pytest.approx((1 / np.log2(3) + 1) / 2)
    # With ancestors a and x are true of the first document, b of the second.
    squares = 0.1**2 + 0.2**2 + 0.6**2 + 0.6**2 + 0.1**2 + 0.2**2 + 0.3**2 + 0.2**2
    assert figures["probabilities"]["brier_score"] == pytest.approx(squares / 8)


def test_keys_and_plain_values():
    figures = further_figures(TRUE, PREDICTED, SCORES, TREE, probabilities=SCORES)
    assert list(figures) == ["tree_distance", "lca", "cosine", "hierarchical", "ranking", "probabilities"]
    assert list(figures["probabilities"]) == ["brier_score", "log_loss", "calibration_error"]
    assert json.loads(json.dumps(figures)) == figures


def test_what_is_not_given_is_left_out():
    assert list(further_figures(TRUE, PREDICTED, None, TREE)) == ["tree_distance", "lca", "cosine", "hierarchical"]


def test_ends_are_what_is_ranked():
    # Among a and b the first document has no own label, and only the second one counts.
    assert further_figures(TRUE, PREDICTED, SCORES, TREE, ends=[0, 1])["ranking"]["recall_at_1"] == 1


@settings(max_examples=50)
@given(evaluations())
def test_each_figure_is_what_its_function_gives_for_open_and_closed_sets(case):
    hierarchy, true, predicted = case
    scores = np.linspace(0, 1, true.shape[0] * len(hierarchy)).reshape(true.shape)
    figures = further_figures(true, predicted, scores, hierarchy, probabilities=scores)
    assert (
        further_figures(hierarchy.close(true), hierarchy.close(predicted), scores, hierarchy, probabilities=scores)
        == figures
    )
    assert figures["tree_distance"] == public.tree_distance_error(true, predicted, hierarchy)
    own = hierarchy.own(true)
    assert figures["ranking"]["ndcg_at_3"] == public.ndcg_at_k(own, scores, 3, hierarchy.leaves)
    assert figures["probabilities"]["log_loss"] == public.log_loss(hierarchy.close(true), scores)
