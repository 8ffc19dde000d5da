"""Where a model goes wrong, by hand."""

import json

import pytest

from classmark import TextClassifier
from classmark.service.judging import judge
from classmark.service.mistakes import by_category, wrong_documents
from classmark.service.results import plain
from tests.service.animals import LABELS, TEXTS, TREE, corpus_of, evaluated

pytestmark = pytest.mark.filterwarnings("ignore:the model was trained on")

TRUTH = [["gull"], ["gull"], ["fish"], ["oak"], ["owl", "oak"]]
"""What the model says, but for the first document: that it takes for an owl."""


@pytest.fixture(scope="module")
def model():
    model = TextClassifier(hierarchy=TREE, decision="threshold", titles={"gull": "sea bird"}).fit(TEXTS, LABELS)
    assert model.predict(TEXTS) == [sorted(labels, key=TREE.position) for labels in LABELS]
    return model


def test_by_category(model):
    judged = judge(model, corpus_of(TRUTH))
    found = {one["category"]: one for one in plain(by_category(model, judged.true, judged.predicted))}
    assert set(found) == {"animal", "bird", "owl", "gull", "fish", "plant", "oak"}
    assert found["gull"] == {
        "category": "gull",
        "title": "sea bird",
        "documents": 2,
        "predicted": 1,
        "precision": 1.0,
        "recall": 0.5,
        "f1": pytest.approx(2 / 3),
        "instead": [{"category": "owl", "documents": 1}],
    }
    assert (found["owl"]["documents"], found["owl"]["predicted"], found["owl"]["instead"]) == (1, 2, [])
    assert found["bird"]["f1"] == found["oak"]["f1"] == 1


def test_categories_without_a_document_are_left_out(model):
    judged = judge(model, corpus_of([["owl"], ["gull"]]))
    found = plain(by_category(model, judged.true, judged.predicted))
    assert [one["category"] for one in found] == ["animal", "bird", "owl", "gull"]


def test_wrong_documents(model):
    corpus = corpus_of([None, *TRUTH[1:4], ["oak"]])
    judged = judge(model, corpus)
    assert list(wrong_documents(model, corpus, judged.rows, judged.true, judged.predicted)) == [
        {"id": "4", "labels": ["oak"], "predicted": ["oak", "owl"], "document": TEXTS[4]}
    ]


def test_in_an_evaluation(model, tmp_path):
    found = evaluated(model, corpus_of(TRUTH), categories=True, errors=str(tmp_path / "wrong.jsonl"))
    assert found["errors"] == 1
    (line,) = (tmp_path / "wrong.jsonl").read_text().splitlines()
    assert json.loads(line) == {"id": "0", "labels": ["gull"], "predicted": ["owl"], "document": TEXTS[0]}
    assert len(found["categories"]) == 7


def test_where_they_cannot_be_written(model, tmp_path):
    with pytest.raises(FileNotFoundError, match="no such folder"):
        evaluated(model, corpus_of(TRUTH), errors=str(tmp_path / "nowhere" / "wrong.jsonl"))
