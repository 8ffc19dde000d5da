"""Win-driven models: the path with the largest sum of posteriors, by hand."""

import numpy as np
import pytest

from classmark import FlatNB, WinDrivenNB
from tests.generative.problems import NAMES, TREE, four_leaves


def test_wins_by_hand():
    X, y = four_leaves()
    model = WinDrivenNB(hierarchy=TREE, vocabulary="all").fit(X, y)
    groups = np.where(np.isin(y, ["x", "y"]), "a", "b")
    chances = [1 / (1 + np.exp(-FlatNB(vocabulary="all").fit(X, names).node_scores(X))) for names in (groups, y)]
    # On the second level the flat model has w, x, y, z in this order, the tree x, y, z, w.
    wins = chances[0][:, [0, 0, 1, 1]] + chances[1][:, [1, 2, 3, 0]]
    assert model.predict(X).tolist() == [NAMES[place] for place in np.argmax(wins, axis=1)]
    best_of_x = wins[:, 0] - wins[:, 1:].max(axis=1)
    assert model.node_scores(X)[:, TREE.position("x")] == pytest.approx(best_of_x)
