"""On Reuters-21578: 500 rounds equal to the formulas, and the effectiveness of Table 1 of treeboost_mh_2006."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.sparse import csr_array

from classmark import Analyser, TextVectoriser, read_corpus
from classmark.boosting import AdaBoostMH
from classmark.labels import encode
from classmark.metrics import flat_scores
from tests.oracles.boosting import SparseRounds

# Micro- and macro-averaged F1 of AdaBoost.MH with all terms, after so many rounds.
TABLE_1 = {
    5: (0.533, 0.033),
    10: (0.597, 0.075),
    20: (0.664, 0.160),
    50: (0.724, 0.255),
    100: (0.783, 0.332),
    200: (0.798, 0.361),
    500: (0.804, 0.377),
    1000: (0.808, 0.379),
}


class Reuters(NamedTuple):
    X: csr_array
    labels: csr_array
    model: AdaBoostMH
    test: Any
    vectoriser: TextVectoriser


@pytest.fixture(scope="module")
def reuters(corpora):
    corpus = read_corpus(corpora / "reuters90")
    train = corpus.select(["train"])
    vectoriser = TextVectoriser(Analyser(min_length=2), binary=True)
    X = vectoriser.fit_transform(train.documents)
    model = AdaBoostMH(1000, hierarchy=corpus.hierarchy, decision="threshold").fit(X, train.labels)
    labels = encode(train.labels, corpus.hierarchy).indicator[:, model.ends_]
    return Reuters(X, labels, model, corpus.select(["test"]), vectoriser)


def test_500_rounds_have_the_pivots_and_numbers_of_the_formulas(reuters):
    model = reuters.model
    oracle = SparseRounds(reuters.X, reuters.labels.toarray() != 0)
    for s in range(500):
        expected = oracle.play()
        assert (s, model.pivots_[s]) == (s, expected.pivots[0])
        assert model.z_[s] == pytest.approx(expected.z, abs=1e-9)
        assert model._rounds.answers[s] == pytest.approx(expected.answers, abs=1e-6)


def test_training_loss_is_below_the_product_of_z(reuters):
    answers = reuters.model.node_scores(reuters.X)[:, reuters.model.ends_] > 0
    assert 0 < np.mean(answers != reuters.labels.toarray()) <= np.prod(reuters.model.z_)


def test_effectiveness_is_that_of_table_1(reuters):
    model, hierarchy = reuters.model, reuters.model.hierarchy_
    X = reuters.vectoriser.transform(reuters.test.documents)
    true = encode(reuters.test.labels, hierarchy).indicator
    staged = model.node_scores_at(X, TABLE_1)
    for (rounds, (micro, macro)), scores in zip(TABLE_1.items(), staged, strict=True):
        found = flat_scores(true, model.decision_.decide(scores, hierarchy, model.ends_), hierarchy.leaves)
        assert (rounds, found.micro_f1) == (rounds, pytest.approx(micro, abs=0.02))
        assert (rounds, found.macro_f1) == (rounds, pytest.approx(macro, abs=0.05))
