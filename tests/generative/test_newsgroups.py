"""The protocol of path_prediction_2019 on the real corpus: all documents pooled, 1 % of the training part labelled."""

import numpy as np
import pytest

from classmark import read_corpus
from classmark.metrics import hf_score
from classmark.registry import METHODS

TRAINING = 15_077
SEEDS = (0, 1)


@pytest.fixture(scope="module")
def pooled(corpora):
    corpus = read_corpus(corpora / "newsgroups20")
    X = METHODS["pcem"].text.vectoriser().fit_transform(corpus.documents)
    return X, [labels[0] for labels in corpus.labels], corpus.hierarchy


def micro_f1(pooled, method, seed):
    """Micro-F1 over the 26 nodes, which is hF."""
    X, y, tree = pooled
    random = np.random.default_rng(seed)
    order = random.permutation(len(y))
    train, test = order[:TRAINING], order[TRAINING:]
    labels = np.array(y, dtype=object)[train]
    labels[random.permutation(TRAINING) >= TRAINING // 100] = None
    rows = (
        np.arange(TRAINING) if method.endswith(("em", "em-plus")) else np.flatnonzero([n is not None for n in labels])
    )
    model = METHODS[method].learner.build(0, None).set_params(hierarchy=tree)
    found = model.fit(X[train[rows]], labels[rows]).predict(X[test])
    return hf_score([y[row] for row in test], found, tree)


def test_the_order_of_table_2(pooled):
    methods = ("nb", "pcnb", "em", "pcem", "pcem-plus")
    nb, pcnb, em, pcem, plus = (np.mean([micro_f1(pooled, name, seed) for seed in SEEDS]) for name in methods)
    assert pcnb > nb + 0.04
    assert em > nb + 0.1
    assert pcem > max(0.66, em)
    assert plus > max(0.8, pcem)
