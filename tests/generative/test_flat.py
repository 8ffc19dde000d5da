"""Flat models: naive Bayes as others have it, on the terms of labelled documents."""

import numpy as np
import pytest
from sklearn.naive_bayes import MultinomialNB

from classmark import FlatEM, FlatNB
from tests.generative.problems import four_leaves


def test_equals_the_peer():
    X, y = four_leaves()
    peer = MultinomialNB(fit_prior=False).fit(X, y.astype(str))
    model = FlatNB(prior=False, vocabulary="all").fit(X, y)
    assert model.classes_.tolist() == peer.classes_.tolist()
    assert np.allclose(model.log_terms_.T, peer.feature_log_prob_, rtol=1e-12)
    assert model.predict_proba(X) == pytest.approx(peer.predict_proba(X))


def test_terms_of_labelled_documents_alone():
    X = [[1, 0, 0], [0, 1, 0], [0, 2, 9]]
    model = FlatEM().fit(X, ["a", "b", None])
    assert model.known_.tolist() == [True, True, False]
    assert model.node_scores([[1, 0, 0]]).tolist() == model.node_scores([[1, 0, 50]]).tolist()
