"""Documents scored once: the same answers as from scores made anew for each question, by every method."""

import functools
import warnings

import numpy as np
import pytest

from classmark import Hierarchy, TextClassifier
from classmark import base as classmark_base
from classmark.answers import stacked
from classmark.base import HierarchicalClassifier
from classmark.neural.two_heads import TwoHeadedClassifier
from classmark.registry import METHODS
from tests.counting import count_scored
from tests.encoders import every_method, settings_for

# u has two parents; nothing is learned about "empty", and b and z are own labels with categories below them.
DAG = Hierarchy.from_parents(
    {"a": None, "b": None, "x": "a", "y": "a", "z": "b", "u": ["x", "z"], "v": "y", "w": "b", "empty": "b"}
)
OWN = ["x", "u", "v", "w", "z", "b"]
RNG = np.random.default_rng(0)


def text(*labels: str) -> str:
    words = [f"{label}word{number}" for label in labels for number in "bcde"] + [f"common{number}" for number in "bcd"]
    return " ".join(RNG.choice(words, size=6))


ONE = [OWN[number % 6] for number in range(36)]
SEVERAL = [[OWN[number % 6], OWN[number * 5 % 6]] if number % 3 else [OWN[number % 6]] for number in range(36)]
ONE_TEXTS, SEVERAL_TEXTS = [text(label) for label in ONE], [text(*labels) for labels in SEVERAL]
ASKED = [*(text(OWN[number % 6]) for number in range(9)), "", "unknown", "commonb"]


@functools.cache
def fitted(method: str, several: bool, decision: str | None = None) -> TextClassifier:
    texts, labels = (SEVERAL_TEXTS, SEVERAL) if several else (ONE_TEXTS, ONE)
    few = {"n_estimators": 5} if "n_estimators" in METHODS[method].declared() else settings_for(method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return TextClassifier(method, settings=few, hierarchy=DAG, decision=decision).fit(texts, labels)


def same(found: np.ndarray, expected: np.ndarray, classifier: HierarchicalClassifier) -> None:
    """Hold numbers to others to the last bit, but those of dense products, which depend on how many rows there are."""
    if isinstance(classifier, TwoHeadedClassifier):
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-4)
    else:
        assert found.tobytes() == expected.tobytes()


def check(model: TextClassifier) -> None:
    """Compare what comes from scores made once with what the definitions say of scores made for each question."""
    classifier, X = model.classifier_, model.transform(ASKED)
    scores, own, ends = classifier.node_scores(X), classifier.own_scores(X), classifier.ends_
    decided = classifier.decision_.decide(own if classifier.decision_.ranks_ends else scores, DAG, ends)
    chances = classifier.predict_proba(X) if hasattr(classifier, "predict_proba") else None
    documents, nodes = (part.ravel() for part in np.indices(scores.shape))
    order = ends[np.argsort(-own[:, ends], axis=1, kind="stable")]
    batches = list(classifier.answers(X))
    sizes = [len(batch) for batch in batches]
    assert sum(sizes) == X.shape[0]
    labels = stacked([batch.labels() for batch in batches], len(DAG)).toarray()
    assert np.array_equal(labels, DAG.close(decided).toarray())
    for count in (1, 3, 99):
        assert np.array_equal(np.concatenate([batch.top(count) for batch in batches]), order[:, :count])
    assert np.array_equal(np.concatenate([batch.first() for batch in batches]), order[:, 0])
    for batch, start in zip(batches, np.cumsum([0, *sizes[:-1]]), strict=True):
        here = (documents >= start) & (documents < start + len(batch))
        pairs = documents[here] - start, nodes[here]
        same(batch.scores(*pairs), scores[documents[here], nodes[here]], classifier)
        if chances is not None:
            same(batch.chances(*pairs), chances[documents[here], nodes[here]], classifier)
    both, first = classifier.predict_both(X)
    assert np.array_equal(both.toarray(), labels)
    assert np.array_equal(first, order[:, 0])
    assert np.array_equal(classifier.predict_indicator(X).toarray(), labels)
    assert np.array_equal(classifier.predict_first(X), first)


@pytest.mark.parametrize("several", [False, True])
@every_method
def test_answers_are_those_of_the_scores(method, several, monkeypatch):
    if several and METHODS[method].learner.build(None, None).one_place:
        pytest.skip("every document belongs to one place")
    check(fitted(method, several))
    monkeypatch.setattr(classmark_base, "SCORES_IN_A_BATCH", 5 * len(DAG))
    check(fitted(method, several))


@pytest.mark.parametrize(
    "decision", ["best-path", "threshold,value=0.1", "rcut,r=2", "dscut", "tuned-dscut", "scut", "back-off"]
)
@pytest.mark.parametrize("method", ["linear-svm", "topdown-svm", "global-svm", "knn-bm25", "knn-bm25-hier"])
def test_whatever_the_decision(method, decision, monkeypatch):
    check(fitted(method, True, decision))
    monkeypatch.setattr(classmark_base, "SCORES_IN_A_BATCH", 5 * len(DAG))
    check(fitted(method, True, decision))


@pytest.mark.parametrize("calibration", ["platt", "softmax"])
@pytest.mark.parametrize("method", ["linear-svm", "knn-bm25"])
def test_probabilities_without_a_hierarchy(method, calibration):
    model = TextClassifier(method, calibration=calibration).fit(ONE_TEXTS, ONE)
    X = model.transform(ASKED)
    (batch,) = model.classifier_.answers(X)
    ((rows, chances),) = batch.probabilities()
    assert chances[rows].tobytes() == model.classifier_.predict_proba(X).tobytes()
    assert chances.sum(axis=1) == pytest.approx(1)


@every_method
def test_a_document_is_scored_once_whatever_is_asked(method, monkeypatch):
    model = fitted(method, False)
    classifier, X = model.classifier_, model.transform(ASKED)
    scored = count_scored(monkeypatch)
    for batch in classifier.answers(X):
        batch.labels(), batch.first(), batch.top(2), batch.scores(np.array([0]), np.array([1])), list(batch.parts())
        if hasattr(classifier, "predict_proba"):
            batch.chances(np.array([0]), np.array([1]))
    assert scored.by(classifier) == len(ASKED)
    classifier.predict_both(X)
    assert scored.by(classifier) == 2 * len(ASKED)


def test_no_documents():
    for method in ("linear-svm", "knn-bm25"):
        classifier = fitted(method, False).classifier_
        assert sum(map(len, classifier.answers(np.zeros((0, classifier.n_features_in_))))) == 0
        labels, first = classifier.predict_both(np.zeros((0, classifier.n_features_in_)))
        assert (labels.shape, first.shape) == ((0, len(DAG)), (0,))
