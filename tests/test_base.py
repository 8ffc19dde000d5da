"""What decisions learn from: held-out scores, the same ones every time, and never too many of them."""

from dataclasses import replace
from typing import Annotated

import numpy as np
import pytest
from scipy.sparse import csr_array

from classmark import FlatClassifier, Hierarchy, MajorityClassifier, TextClassifier, held_out, persistence
from classmark.checks import instance
from classmark.data.splits import stratified_k_fold
from classmark.decision import DECISIONS, LearnedDecision, PCut, SCut
from classmark.labels import encode

INF = np.inf
# Node order: a, b, x, y.
TREE = Hierarchy.from_nested({"a": ["x", "y"], "b": None})
N = 42
CLASSIFIERS = pytest.mark.parametrize("kind", [FlatClassifier, MajorityClassifier])
LEARNED = [name for name, kind in DECISIONS.items() if issubclass(kind, LearnedDecision)]


def problem(seed=0):
    """Counts of noisy terms, one for each of x, y and b; every fifth document has two labels, the last but one none."""
    random = np.random.default_rng(seed)
    labels = [["x"], ["y"], ["b"]] * (N // 3)
    labels = [[*one, "b"] if row % 5 == 0 and one != ["b"] else one for row, one in enumerate(labels)]
    labels[-2] = []
    X = random.poisson(0.5, (N, 6)).astype(float)
    for row, names in enumerate(labels):
        X[row, [["x", "y", "b"].index(name) for name in names]] += 1
    return X, labels


X, Y = problem()


class Remembering(LearnedDecision):
    """Keeps the scores that it is given to learn from."""

    seen: Annotated[tuple, instance(tuple, "a tuple"), "What it was given."] = ()

    def fit(self, scores, labels, hierarchy):
        return replace(self, seen=(scores, labels.toarray(), hierarchy))

    def decide(self, scores, hierarchy, ends):
        return csr_array(scores.shape, dtype=bool)


def learned_from(X, y, kind=FlatClassifier, weight=None, **settings):
    model = kind(hierarchy=TREE, decision=Remembering(**settings)).fit(X, y, sample_weight=weight)
    return model.decision_.seen


@CLASSIFIERS
def test_each_document_is_scored_by_a_copy_that_has_not_seen_it(kind):
    scores, labels, hierarchy = learned_from(X, Y, kind, folds=4)
    own = encode(Y, TREE).indicator
    assert hierarchy is TREE
    assert (labels == own.toarray()).all()
    for seen, unseen in stratified_k_fold(own, 4, hierarchy=TREE):
        alone = kind(hierarchy=TREE).fit(X[seen], [Y[row] for row in seen])
        assert np.array_equal(scores[unseen], alone.node_scores(X[unseen]))


@CLASSIFIERS
def test_weights_go_with_their_documents(kind):
    weight = np.arange(N) % 3 + 1.0
    scores, _, _ = learned_from(X, Y, kind, weight, folds=4)
    for seen, unseen in stratified_k_fold(encode(Y, TREE).indicator, 4, hierarchy=TREE):
        alone = kind(hierarchy=TREE).fit(X[seen], [Y[row] for row in seen], sample_weight=weight[seen])
        assert np.array_equal(scores[unseen], alone.node_scores(X[unseen]))


@CLASSIFIERS
def test_on_training_the_scores_are_those_of_the_classifier_itself(kind):
    scores, _, _ = learned_from(X, Y, kind, on="training")
    assert np.array_equal(scores, kind(hierarchy=TREE).fit(X, Y).node_scores(X))


def test_training_scores_flatter():
    held_out, labels, _ = learned_from(X, Y)
    training, _, _ = learned_from(X, Y, on="training")
    leaves, positive = TREE.leaves, labels[:, TREE.leaves]
    # Labels score higher and all else lower, on average, where the classifier knows the answers.
    assert training[:, leaves][positive].mean() > held_out[:, leaves][positive].mean()
    assert training[:, leaves][~positive].mean() < held_out[:, leaves][~positive].mean()


def test_tuned_differs_from_tuned_on_training():
    held_out, training = (
        FlatClassifier(hierarchy=TREE, decision=decision).fit(X, Y) for decision in ("tuned", "tuned,on=training")
    )
    assert held_out.decision_.value != training.decision_.value
    assert np.array_equal(held_out.node_scores(X), training.node_scores(X))


@CLASSIFIERS
@pytest.mark.parametrize("decision", LEARNED)
def test_deterministic(kind, decision):
    one, two = (kind(hierarchy=TREE, decision=decision).fit(*problem()) for _ in range(2))
    assert one.decision_ == two.decision_
    assert two.fit(X, Y).decision_ == one.decision_


def test_there_are_as_many_folds_as_documents_at_most():
    scores, _, _ = learned_from(np.eye(6)[:3], [["x"], ["y"], ["b"]], folds=10)
    # Leave one out: a category with one document is unknown where that one is held out; the nodes above it are not.
    assert scores[[0, 1, 2], [TREE.position(name) for name in "xyb"]].tolist() == [-INF] * 3
    assert np.isfinite(scores[:2, TREE.position("a")]).all()


@CLASSIFIERS
def test_a_category_with_one_document_was_never_seen_where_it_is_held_out(kind):
    labels = [["b"] if one == [] else one for one in Y]
    labels[7] = ["y"]
    labels = [["x"] if "y" in one and row != 7 else one for row, one in enumerate(labels)]
    scores, truth, _ = learned_from(X, labels, kind)
    only = TREE.position("y")
    assert np.flatnonzero(truth[:, only]).tolist() == [7]
    assert scores[7, only] == -INF
    # The other folds have seen it, and the other nodes are known everywhere.
    assert np.isfinite(scores[:, only]).sum() >= N - N // 10 - 1
    assert np.isfinite(scores[:, [node for node in range(4) if node != only]]).all()


@CLASSIFIERS
@pytest.mark.parametrize("decision", [*DECISIONS, "scut,fallback=highest", "scut,fallback=global", "pcut,factor=3"])
def test_a_category_with_one_document_breaks_no_decision(kind, decision, tmp_path):
    labels = [["x"] if one == ["y"] and row != 7 else one for row, one in enumerate(Y)]
    model = kind(hierarchy=TREE, decision=decision).fit(X, labels)
    answers = model.predict_indicator(X)
    assert TREE.is_consistent(answers).all()
    persistence.save(tmp_path / "state", model.to_state())
    again = kind().from_state(persistence.load(tmp_path / "state"))
    assert again.decision_ == model.decision_
    assert (again.predict_indicator(X) != answers).nnz == 0


@pytest.mark.parametrize("decision", [name for name in DECISIONS if name != "tuned"])
def test_nothing_but_categories_with_one_document_breaks_no_decision(decision):
    flat = Hierarchy.flat("xyb")
    model = FlatClassifier(hierarchy=flat, decision=decision).fit(np.eye(3), [["x"], ["y"], ["b"]])
    assert model.predict_indicator(np.eye(3)).shape == (3, 3)


def test_one_threshold_for_all_cannot_be_tuned_on_nothing():
    with pytest.raises(ValueError, match="no positive example"):
        FlatClassifier(decision="tuned").fit(np.eye(3), ["x", "y", "b"])


@pytest.mark.parametrize("decision", LEARNED)
def test_too_many_scores_to_learn_from_are_refused_with_their_size(monkeypatch, decision):
    monkeypatch.setattr(held_out, "SCORES_TO_LEARN_FROM", N * len(TREE) - 1)
    message = f"needs the scores of {N} documents for 4 nodes at once, 0 GiB; choose best-path, threshold or rcut"
    with pytest.raises(ValueError, match=message) as error:
        FlatClassifier(hierarchy=TREE, decision=decision).fit(X, Y)
    assert "\n" not in str(error.value)
    assert DECISIONS[decision].__name__ in str(error.value)
    monkeypatch.setattr(held_out, "SCORES_TO_LEARN_FROM", N * len(TREE))
    FlatClassifier(hierarchy=TREE, decision=decision).fit(X, Y)


def test_the_size_is_that_of_the_scores():
    """Of 2²⁹ scores of eight bytes."""
    limit = held_out.SCORES_TO_LEARN_FROM
    assert limit * 8 == 4 * 2**30
    wide = Hierarchy.flat(range(1 << 12))
    rows = limit // len(wide) * 2
    with pytest.raises(ValueError, match=f"the scores of {rows} documents for 4096 nodes at once, 8 GiB"):
        held_out.check_size(rows, len(wide), SCut())


@CLASSIFIERS
@pytest.mark.parametrize("decision", [SCut, PCut])
@pytest.mark.parametrize("thresholds", [[], [0.5], [0.5] * 5, [0.5] * 4])
def test_thresholds_for_other_nodes_are_refused_at_load(kind, decision, thresholds):
    state = kind(hierarchy=TREE, decision=decision()).fit(X, Y).to_state()
    state["decision"]["settings"]["thresholds"] = thresholds
    if len(thresholds) == len(TREE):
        assert kind().from_state(state).decision_.thresholds == tuple(thresholds)
        return
    with pytest.raises(ValueError, match=rf"^the decision has {len(thresholds)} threshold\(s\) for 4 categories$"):
        kind().from_state(state)


def test_thresholds_for_other_nodes_are_refused_in_a_line_that_names_the_file(tmp_path):
    texts, labels = ["red", "red", "green", "green"], [["x"], ["x"], ["b"], ["b", "y"]]
    model = TextClassifier(hierarchy=TREE, decision="scut,folds=2").fit(texts, labels)
    state = model.to_state()
    state["classifier"]["decision"]["settings"]["thresholds"] = [0.5]
    persistence.save(tmp_path / "model", state)
    message = (
        r"not a model that this version of classmark can read \(the decision has 1 threshold\(s\) for 4 categories\)"
    )
    with pytest.raises(ValueError, match=message) as error:
        TextClassifier.load(tmp_path / "model")
    assert str(error.value).startswith(f"{tmp_path / 'model'}: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("estimator", [FlatClassifier, MajorityClassifier])
def test_a_fold_without_labels_is_passed_over(estimator):
    fitted = estimator(decision="scut").fit([[1.0], [0.0], [0.5]], [["a"], [], []])
    assert len(fitted.predict([[1.0]])) == 1


def test_one_document_cannot_be_held_out():
    with pytest.raises(ValueError, match="give at least 2, or say on=training"):
        FlatClassifier(decision="tuned").fit([[1.0]], [["a"]])
