"""What is found is learned, as if it had been named, and goes into the model file with why."""

import warnings

import numpy as np
import pytest

from classmark import TextClassifier
from classmark.explain import explain
from tests.auto.problems import TREE, texts

QUICK = {"budget": None, "methods": "nb-plus,nb"}


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("methods", ["linear-svm", "nb-plus,topdown-svm"])
def test_the_model_is_that_of_what_was_found(several, methods):
    documents, labels = texts(150, several=several)
    model = TextClassifier("auto", settings=QUICK | {"methods": methods}, hierarchy=TREE).fit(documents, labels)
    found = model.search_
    named = TextClassifier(
        found["method"], settings=found["settings"], hierarchy=TREE, decision=model.classifier_.decision_
    )
    new, _ = texts(50, seed=1)
    # Thresholds are learned from the folds of the search, which are those that learning it alone would make.
    assert np.allclose(named.fit(documents, labels).node_scores(new), model.node_scores(new), atol=1e-6)


def test_there_and_back(tmp_path):
    documents, labels = texts()
    model = TextClassifier("auto", settings=QUICK, hierarchy=TREE).fit(documents, labels)
    model.save(tmp_path / "model.classmark")
    again = TextClassifier.load(tmp_path / "model.classmark")
    # How long trials took is no part of a model: the same documents and seed give the same bytes.
    assert [one["score"] for one in again.search_["trials"]] == [one["score"] for one in model.search_["trials"]]
    assert again.search_["expected"] == model.search_["expected"]
    assert "seconds" not in again.search_["trials"][0]
    assert again.method == model.search_["method"]
    assert model.method == "auto"
    assert again.predict(documents) == model.predict(documents)
    assert explain(again, documents[0])


def test_calibration_and_probabilities():
    documents, labels = texts()
    model = TextClassifier("auto", settings=QUICK, hierarchy=TREE, calibration="platt").fit(documents, labels)
    chances = model.predict_proba(documents)
    assert ((chances >= 0) & (chances <= 1)).all()
    assert model.predict_sure(documents[:3], 0.5)


def test_a_decision_of_ones_own_is_kept():
    documents, labels = texts(several=True)
    model = TextClassifier("auto", settings=QUICK, hierarchy=TREE, decision="pcut").fit(documents, labels)
    assert model.search_["decision"].startswith("pcut")
    assert {trial["decision"] for trial in model.search_["trials"]} == {"pcut"}


def test_selection_is_refused():
    with pytest.raises(ValueError, match="auto chooses how text is read by itself"):
        TextClassifier("auto", selection="chi-square,share=0.1").fit(*texts())


@pytest.mark.parametrize("methods", ["em-plus,nb-plus", "nb-plus", "em-plus"])
def test_unlabelled_documents_and_such_that_belong_nowhere(methods):
    documents, labels = texts(200)
    some = [own if row < 60 else None for row, own in enumerate(labels)]
    some[7] = []
    settings = QUICK | {"methods": methods}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = TextClassifier("auto", settings=settings, hierarchy=TREE).fit(documents, some)
        named = TextClassifier(
            model.search_["method"],
            settings=model.search_["settings"],
            hierarchy=TREE,
            decision=model.classifier_.decision_,
        )
        scores = named.fit(documents, some).node_scores(documents)
    assert np.allclose(scores, model.node_scores(documents), atol=1e-6)
