"""17,157 categories in a DAG of depth 19: what the neighbour methods are worth there."""

import pytest

from classmark.data import read_corpus
from classmark.service.judging import evaluate_model
from classmark.service.recipes import Recipe
from classmark.service.training import fit


@pytest.fixture(scope="module")
def nouns(corpora):
    return read_corpus(corpora / "wordnet_nouns")


SQUARES = {"idf": "robertson", "alpha": 2.0}
# The last settings were found by `tune` on 4,000 of the training documents.
TUNED = {"k": 40, "alpha": 1.75, "bm25_k1": 0.5, "bm25_b": 1.0, "idf": "robertson"} | {
    "descent": 6.0,
    "decay": 0.8,
    "bayes": 0.1,
    "borrow": 0.5,
}


@pytest.mark.parametrize(
    ("method", "settings", "accuracy", "hf"),
    [
        ("knn-bm25", {}, 0.44, 0.7095),
        ("knn-bm25-hier", {}, 0.477, 0.7505),
        ("knn-bm25", SQUARES, 0.44, 0.713),
        ("knn-bm25-hier", SQUARES, 0.479, 0.7545),
        ("knn-bm25-hier", TUNED, 0.489, 0.763),
    ],
)
def test_the_first_category(nouns, method, settings, accuracy, hf):
    model, _ = fit(nouns.select(["train"]), Recipe(method, settings=settings, decision="best-path"))
    found = evaluate_model(model, nouns.select(["test"])).figures["first"]
    assert found["accuracy"] >= accuracy
    assert found["hf"] >= hf
