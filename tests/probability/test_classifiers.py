"""`predict_proba` of the classifiers: scikit-learn's contract, hierarchies, files, texts and real documents."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from classmark import (
    ConsistentClassifier,
    FlatClassifier,
    Hierarchy,
    HierCost,
    MajorityClassifier,
    TextClassifier,
    held_out,
    persistence,
)
from classmark.held_out import held_out_scores
from classmark.metrics import brier_score, log_loss
from classmark.probability import CALIBRATIONS
from classmark.service.answering import Question, classify
from classmark.service.judging import evaluate_model

KINDS = pytest.mark.parametrize("kind", [FlatClassifier, ConsistentClassifier, HierCost])
NAMES = pytest.mark.parametrize("name", CALIBRATIONS)
# Node order: a, b, x, y, u: u is a leaf on the third level, b one on the first.
TREE = Hierarchy.from_nested({"a": {"x": ["u"], "y": None}, "b": None})
N = 41
FOLDS = "the parts of cross-validation are other ones where documents are repeated instead of weighted"


def problem(seed=0):
    random = np.random.default_rng(seed)
    y = np.array(["u", "y", "b"])[np.arange(N) % 3]
    X = random.poisson(0.5, (N, 6)).astype(float)
    X[np.arange(N), np.arange(N) % 3] += 2
    return X, y


X, Y = problem()
LISTS = [[name] if i % 5 or name == "b" else [name, "b"] for i, name in enumerate(Y.tolist())]


# With one calibration: the others differ in the curve alone, which `test_curves` has.
@parametrize_with_checks(
    [FlatClassifier(calibration="platt")],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": FOLDS,
        "check_sample_weight_equivalence_on_sparse_data": FOLDS,
    },
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@KINDS
@NAMES
def test_where_labels_are_classes_rows_sum_to_1_and_the_highest_is_the_answer(kind, name):
    model = kind(calibration=name).fit(X, Y)
    found = model.predict_proba(X)
    assert found.shape == (N, 3)
    assert found.sum(axis=1) == pytest.approx(np.ones(N))
    assert (model.classes_[found.argmax(axis=1)] == model.predict(X)).all()


@KINDS
@NAMES
@pytest.mark.parametrize("y", [Y, LISTS], ids=["single", "lists"])
def test_in_a_hierarchy_no_node_is_above_its_parents(kind, name, y, tmp_path):
    model = kind(hierarchy=TREE, calibration=name).fit(X, y)
    found = model.predict_proba(X)
    assert found.shape == (N, len(TREE))
    assert ((found >= 0) & (found <= 1)).all()
    a, b, x, below, u = found.T
    assert (a >= x).all()
    assert (x >= u).all()
    assert (a >= below).all()
    # Leaves at any depth: both are more probable where they are true.
    for column, label in ((u, "u"), (b, "b")):
        true = np.array([label in names for names in LISTS])
        assert column[true].mean() > column[~true].mean() + 0.1
    alone = np.concatenate([model.predict_proba(row[None]) for row in X])
    assert np.allclose(alone, found, rtol=0, atol=1e-12)
    persistence.save(tmp_path / "state", model.to_state())
    again = kind().from_state(persistence.load(tmp_path / "state"))
    assert again.predict_proba(X).tobytes() == found.tobytes()
    assert again.calibration == name == clone(again).calibration
    # Answers are those of the decision, calibrated or not.
    assert list(model.predict(X)) == list(kind(hierarchy=TREE).fit(X, y).predict(X))


@KINDS
def test_without_calibration_there_are_none_and_the_error_says_why(kind):
    model = kind(hierarchy=TREE).fit(X, Y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError) as error:
        model.predict_proba(X)
    assert "fit with calibration, one of platt, isotonic, softmax" in str(error.value.__cause__)
    assert model.to_state()["calibration"] is None
    assert not hasattr(MajorityClassifier().fit(X, Y), "predict_proba")
    with pytest.raises(NotFittedError):
        kind(calibration="platt").predict_proba(X)


def test_the_scores_are_held_out_and_shared_with_the_decision(monkeypatch):
    calls = []

    def counted(*arguments):
        calls.append(1)
        return held_out_scores(*arguments)

    monkeypatch.setattr(held_out, "held_out_scores", counted)
    for decision, times in (("scut", 1), ("best-path", 1), ("tuned,on=training", 1)):
        calls.clear()
        FlatClassifier(hierarchy=TREE, decision=decision, calibration="platt").fit(X, LISTS)
        assert len(calls) == times


def test_refusals(monkeypatch):
    with pytest.raises(ValueError, match=r"calibration='beta'.*platt"):
        FlatClassifier(calibration="beta").fit(X, Y)
    with pytest.raises(ValueError, match="calibration learns from held-out documents, and n_samples=1; give at least"):
        FlatClassifier(calibration="platt").fit(X[:1], Y[:1])
    monkeypatch.setattr(held_out, "SCORES_TO_LEARN_FROM", N * len(TREE) - 1)
    with pytest.raises(ValueError, match=f"calibration needs the scores of {N} documents.* leave it out, or train on"):
        FlatClassifier(hierarchy=TREE, calibration="platt").fit(X, Y)


def test_calibrate_constant_scores_returns_shares_of_labels():
    y = ["owl"] * 12 + ["gull"] * 8
    model = MajorityClassifier(calibration="isotonic").fit(np.zeros((20, 1)), y)
    assert model.predict_proba([[0]])[0] == pytest.approx([0.4, 0.6], abs=0.02)


def test_a_refit_without_calibration_forgets_it():
    model = FlatClassifier(calibration="platt").fit(X, Y).set_params(calibration=None).fit(X, Y)
    assert model.calibrator_ is None
    assert not hasattr(model, "predict_proba")


TEXTS = [f"{name} {name} number {i % 4}" for i, name in enumerate(Y)]


@NAMES
def test_from_texts_to_a_file_and_back(name, tmp_path):
    model = TextClassifier(hierarchy=TREE, calibration=name, settings={"stop_words": None}).fit(TEXTS, Y)
    found = model.predict_proba(TEXTS)
    model.save(tmp_path / "model")
    again = TextClassifier.load(tmp_path / "model")
    assert again.predict_proba(TEXTS).tobytes() == found.tobytes()
    assert again.calibration == name
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    answer = next(classify(again, [("1", TEXTS[0])], Question(probabilities=True)))
    assert answer.probabilities == {str(n): found[0, TREE.position(n)] for n in answer.labels}
    assert hasattr(TextClassifier(calibration=name), "predict_proba")


def test_a_model_without_probabilities_says_how_to_get_them():
    model = TextClassifier(hierarchy=TREE).fit(TEXTS, Y)
    assert not hasattr(model, "predict_proba")
    assert not hasattr(TextClassifier(), "predict_proba")
    with pytest.raises(ValueError, match=r"no probabilities.*platt"):
        next(classify(model, [("1", TEXTS[0])], Question(probabilities=True)))


def test_evaluation_shows_them(corpora):
    """reuters90, linear SVM, Platt: Brier score, log loss and calibration error as `docs/probabilities.md` has them."""
    from classmark.data import read_corpus

    corpus = read_corpus(corpora / "reuters90")
    train, test = corpus.select(["train"]), corpus.select(["test"])
    model = TextClassifier(hierarchy=corpus.hierarchy, calibration="platt").fit(train.documents, train.labels)
    found = evaluate_model(model, test, everything=True).further["probabilities"]
    assert found["brier_score"] == pytest.approx(0.0036, abs=0.0001)
    assert found["log_loss"] == pytest.approx(0.0150, abs=0.0005)
    assert found["calibration_error"] < 0.002
    # Everybody's share of the training documents is what a probability must beat.
    closed = corpus.hierarchy.close(model.classifier_.hierarchy_.own(_indicator(test)))
    shares = np.asarray(corpus.hierarchy.close(_indicator(train)).mean(axis=0)).ravel()
    constant = np.repeat(shares[None], closed.shape[0], axis=0)
    assert found["log_loss"] < log_loss(closed, constant) / 3
    assert found["brier_score"] < brier_score(closed, constant) / 3


def _indicator(corpus):
    from classmark.labels import encode

    return encode([list(one) for one in corpus.labels], corpus.hierarchy).indicator
