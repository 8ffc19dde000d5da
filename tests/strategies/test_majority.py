"""The majority baseline by hand."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from classmark import Hierarchy, MajorityClassifier

TREE = Hierarchy.from_nested({"a": ["x", "y"], "b": None})  # node order: a, b, x, y
X = np.zeros((5, 2))


def test_single_labels():
    model = MajorityClassifier(hierarchy=TREE).fit(X, ["x", "y", "y", "b", "y"])
    # y has 3 of 5; b and x have 1 of 5, less 1; a takes the best below it.
    assert model.node_scores(X[:2]).tolist() == pytest.approx(np.array([[3 / 5, -4 / 5, -4 / 5, 3 / 5]] * 2))
    assert model.predict(X[:2]).tolist() == ["y", "y"]
    assert model.predict_indicator(X[:1]).toarray().tolist() == [[1, 0, 0, 1]]


def test_the_first_of_equals_wins():
    assert MajorityClassifier().fit(X[:4], ["b", "c", "c", "b"]).predict(X[:1]).tolist() == ["b"]


def test_several_labels():
    # x has 2 of 5, y 3 of 5: a threshold of 0 accepts y alone.
    model = MajorityClassifier(hierarchy=TREE).fit(X, [["x", "y"], ["x", "y"], ["y"], [], ["b"]])
    assert model.predict(X[:2]) == [["y"], ["y"]]
    assert model.node_scores(X[:1]).tolist()[0] == pytest.approx([3 / 5, 1 / 5 - 1, 2 / 5 - 1, 3 / 5])


def test_weights_count():
    model = MajorityClassifier(hierarchy=TREE).fit(X, ["x", "y", "y", "b", "y"], sample_weight=[6, 1, 0, 1, 0])
    assert model.predict(X[:1]).tolist() == ["x"]
    assert model.node_scores(X[:1])[0] == pytest.approx([6 / 8, 1 / 8 - 1, 6 / 8, 1 / 8 - 1])


def test_every_share_is_bias():
    model = MajorityClassifier(hierarchy=TREE).fit(X, ["x", "y", "y", "x", "y"])
    for node, name in enumerate(TREE):
        terms, bias = model.contributions(X, name)
        assert terms.shape == X.shape
        assert terms.nnz == 0
        assert np.array_equal(bias, model.node_scores(X)[:, node])


def test_answers_as_scikit_learn_does():
    y = np.array([3, 1, 1, 3, 3])
    assert MajorityClassifier().fit(X, y).predict(X).tolist() == DummyClassifier().fit(X, y).predict(X).tolist()
