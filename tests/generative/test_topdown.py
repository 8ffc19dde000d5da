"""Top-down models: a flat one at every parent, which unlabelled documents go down by."""

import numpy as np
import pytest

from classmark import FlatEM, FlatNB, TopDownEM, TopDownNB
from tests.generative.problems import TREE, four_leaves


def test_every_parent_is_a_flat_model_of_its_children():
    X, y = four_leaves()
    model = TopDownNB(hierarchy=TREE, vocabulary="all").fit(X, y)
    groups = np.where(np.isin(y, ["x", "y"]), "a", "b")
    root = FlatNB(vocabulary="all").fit(X, groups)
    below = {name: FlatNB(vocabulary="all").fit(X[groups == name], y[groups == name]) for name in ("a", "b")}
    expected = [below[group].predict(x[None])[0] for group, x in zip(root.predict(X), X, strict=True)]
    assert model.predict(X).tolist() == expected
    # A threshold of 0 accepts the greedy path, and nothing else.
    asked = TopDownNB(hierarchy=TREE, vocabulary="all", decision="threshold").fit(X, y)
    assert asked.predict(X) == [[name] for name in expected]
    margins = root.node_scores(X)[:, 0]
    assert model.node_scores(X)[:, TREE.position("a")] == pytest.approx(margins)


def test_unlabelled_documents_go_down_with_the_answers():
    X, y = four_leaves(documents=200)
    hidden = np.where(np.arange(200) < 24, y, None)
    model = TopDownEM(hierarchy=TREE).fit(X, hidden)
    root = FlatEM().fit(X, [None if name is None else "a" if name in "xy" else "b" for name in hidden])
    assert model.objective_[: len(root.objective_)] == pytest.approx(root.objective_)
    assert len(model.objective_) > len(root.objective_)
