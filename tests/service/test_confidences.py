"""How sure answers are: by every method, by hand, and the figures made of it."""

import numpy as np
import pytest

from classmark import TextClassifier
from classmark import base as classmark_base
from classmark.answers import stacked
from classmark.data import Corpus
from classmark.registry import METHODS
from classmark.service.confidences import confidence_for
from classmark.service.judging import evaluate_model
from classmark.service.results import plain
from tests.counting import count_scored
from tests.encoders import every_method
from tests.service.animals import TREE, corpus_of
from tests.test_answers import ASKED, DAG, ONE, ONE_TEXTS, fitted

pytestmark = pytest.mark.filterwarnings("ignore:the model was trained on")


def asked(labels):
    ids = [str(number) for number in range(len(ASKED))]
    return Corpus(ids, list(ASKED), labels, [None] * len(ASKED), DAG, "a corpus")


def confidences(model):
    """How sure each answer is, and the answers."""
    classifier = model.classifier_
    batches = list(classifier.answers(model.transform(ASKED)))
    labels = [batch.labels() for batch in batches]
    of = confidence_for(classifier).of
    found = [of(batch, some) for batch, some in zip(batches, labels, strict=True)]
    return np.concatenate(found), DAG.own(stacked(labels, len(DAG)))


@pytest.mark.parametrize("several", [False, True])
@every_method
def test_every_method_has_a_curve(method, several):
    if several and METHODS[method].learner.build(None, None).one_place:
        pytest.skip("every document belongs to one place")
    model = fitted(method, several)
    truth = [[ONE[number % 6]] for number in range(len(ASKED) - 3)] + [[], ["b"], ["x"]]
    result = evaluate_model(model, asked(truth), coverage=True)
    curve = result.coverage.curve
    assert [point.coverage for point in curve.points] == [tenth / 10 for tenth in range(1, 11)]
    last = curve.points[-1]
    assert last.accuracy == pytest.approx(result.figures["subset_accuracy"])
    assert last.first == pytest.approx(result.figures["first"]["accuracy"])
    assert last.hf == pytest.approx(result.figures["hierarchical"]["hf"])
    reached = [point.confidence for point in curve.points]
    assert reached == sorted(reached, reverse=True)
    assert 0 <= curve.area <= 1
    assert result.figures == evaluate_model(model, asked(truth)).figures


def least(table, own, without):
    """The least number of each document's own labels, another one where there are none."""
    rows = zip(table, np.split(own.indices, own.indptr[1:-1]), strict=True)
    return [min((row[node] for node in labels), default=without(row)) for row, labels in rows]


@every_method
def test_it_is_what_the_numbers_say(method):
    model = fitted(method, False)
    classifier, X = model.classifier_, model.transform(ASKED)
    found, own = confidences(model)
    if hasattr(classifier, "predict_proba"):
        expected = least(classifier.predict_proba(X), own, lambda row: 1 - row[DAG.tops].max())
    elif classifier.decision_.one_label:
        ranked = np.sort(classifier.own_scores(X)[:, classifier.ends_], axis=1)
        expected = [best - second if best > second else 0.0 for second, best in ranked[:, -2:]]
    else:
        expected = least(classifier.node_scores(X), own, lambda row: -row.max())
    assert found == pytest.approx(np.array(expected), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize(("method", "value"), [("linear-svm", 0.7), ("knn-bm25", 0.1)])
def test_scores_of_several_labels(method, value):
    model = fitted(method, True, f"threshold,value={value}")
    found, own = confidences(model)
    assert set(np.diff(own.indptr) > 0) == {False, True}
    assert found == pytest.approx(np.array(least(model.node_scores(ASKED), own, lambda row: -row.max())))


@pytest.mark.parametrize("method", ["linear-svm", "knn-bm25", "nb"])
def test_the_batches_do_not_matter(method, monkeypatch):
    whole, _ = confidences(fitted(method, False))
    monkeypatch.setattr(classmark_base, "SCORES_IN_A_BATCH", 5 * len(DAG))
    parts, _ = confidences(fitted(method, False))
    assert parts == pytest.approx(whole)


def test_one_category_alone():
    model = TextClassifier("linear-svm").fit(ONE_TEXTS[:4], ["a"] * 4)
    truth = Corpus(["1", "2"], ONE_TEXTS[:2], [["a"], ["a"]], [None] * 2, None, "a corpus")
    assert evaluate_model(model, truth, coverage=True).coverage.curve.area == 1


def test_documents_are_scored_once(model, monkeypatch):
    scored = count_scored(monkeypatch)
    evaluate_model(model, corpus_of([["owl"], ["oak"], ["fish"]]), coverage=True, everything=True)
    assert scored.by(model.classifier_) == 3


def test_as_plain_data(model):
    result = plain(evaluate_model(model, corpus_of([["owl"], ["oak"], ["fish"]]), coverage=True))
    assert list(result["coverage"]) == ["confidence", "area", "points"]
    assert len(result["coverage"]["points"]) == 10
    assert list(result["coverage"]["points"][0]) == ["coverage", "confidence", "accuracy", "first", "hf"]


def test_the_words_say_what_it_is(model):
    assert confidence_for(model.classifier_).words == "the lowest score of a document's own labels"
    assert confidence_for(fitted("linear-svm", False).classifier_).words.startswith("how far the best category")
    assert confidence_for(fitted("nb", False).classifier_).words.startswith("the least probability")
    assert TREE is model.hierarchy_
