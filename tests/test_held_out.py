"""Which decision a classifier takes where nobody has named one, and what it learns it from."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from classmark import ConsistentClassifier, FlatClassifier, Hierarchy, HierCost, TextClassifier, TopDownClassifier
from classmark import held_out as module
from classmark.decision import BestPath, PCut, SCut, Threshold, TunedThreshold, parse_decision
from classmark.held_out import Task, held_out_scores, processes_for, seconds_to_fit
from classmark.labels import encode
from classmark.registry import METHODS

TREE = Hierarchy.from_nested({"animal": ["owl", "gull", "cat"], "plant": ["oak", "fern"]})
LEAVES = ["owl", "gull", "cat", "oak", "fern"]
KINDS = pytest.mark.parametrize("kind", [FlatClassifier, ConsistentClassifier, TopDownClassifier, HierCost])


def problem(documents=60, several=True, seed=0):
    """Documents with a term for each of their labels, and terms that say nothing."""
    random = np.random.default_rng(seed)
    labels = [
        sorted({LEAVES[number] for number in random.integers(0, 5, 1 + several * random.integers(0, 2))})
        for _ in range(documents)
    ]
    X = random.random((documents, 12)) * 0.4
    for row, own in enumerate(labels):
        X[row, [LEAVES.index(label) for label in own]] += 1.0
    return csr_array(X), labels


X, Y = problem()


def task_of(model, labels=Y):
    own = encode(labels, TREE)
    return Task(X, csr_array(own.indicator), None, np.arange(X.shape[0]))


@KINDS
def test_with_one_label_each_it_is_the_best_path(kind):
    matrix, labels = problem(several=False)
    model = kind(hierarchy=TREE, decision="auto").fit(matrix, labels)
    assert model.decision_ == BestPath()
    assert model.decision_reason_ == "every training document has exactly one own label"


@KINDS
def test_with_several_it_is_learned_from_five_folds(kind):
    model = kind(hierarchy=TREE, decision="auto").fit(X, Y)
    assert isinstance(model.decision_, TunedThreshold | SCut | PCut)
    assert model.decision_reason_.startswith("held-out hF: tuned ")
    assert model.decision_reason_.endswith("(5 folds)")
    assert model.score(X, Y) > 0.9


@KINDS
def test_few_documents_get_the_nearest_category(kind):
    model = kind(hierarchy=TREE, decision="auto").fit(X[:12], Y[:12])
    assert model.decision_ == Threshold(otherwise="nearest")
    assert model.decision_reason_ == "12 labelled documents are too few to learn another one from"
    assert (np.diff(model.predict_indicator(X).indptr) > 0).all()


def test_where_some_belong_nowhere_nothing_is_an_answer():
    labels = [[], *Y[1:12]]
    assert FlatClassifier(hierarchy=TREE, decision="auto").fit(X[:12], labels).decision_ == Threshold()


@pytest.mark.parametrize("kind", [FlatClassifier, ConsistentClassifier])
def test_where_folds_take_too_long_a_threshold_is_tuned_on_some_nodes(kind):
    model = kind(hierarchy=TREE, decision="auto,seconds=0").fit(X, Y)
    assert isinstance(model.decision_, Threshold)
    assert not isinstance(model.decision_, TunedThreshold)
    assert (model.decision_.consistency, model.decision_.otherwise) == ("average", "nearest")
    assert "5 folds would take about" in model.decision_reason_
    nodes = 7 if kind is ConsistentClassifier else 5
    assert model.decision_reason_.endswith(f"a threshold tuned on {nodes} of {nodes} nodes instead")
    assert model.score(X, Y) > 0.85


@pytest.mark.parametrize("kind", [TopDownClassifier, HierCost])
def test_others_fall_back_to_0(kind):
    model = kind(hierarchy=TREE, decision="auto,seconds=0").fit(X, Y)
    assert model.decision_ == Threshold(otherwise="nearest")
    assert model.decision_reason_.endswith("a threshold of 0 instead")


@pytest.mark.parametrize("kind", [TopDownClassifier, HierCost])
def test_others_tune_on_one_part_where_there_is_time_for_that(kind):
    fitted = kind(hierarchy=TREE).fit(X, Y)
    seconds = seconds_to_fit(fitted, task_of(fitted))
    model = kind(hierarchy=TREE, decision=f"auto,seconds={1.5 * seconds}").fit(X, Y)
    assert isinstance(model.decision_, Threshold)
    assert (model.decision_.consistency, model.decision_.otherwise) == ("average", "nearest")
    assert model.decision_reason_.endswith("documents held out instead")
    assert model.score(X, Y) > 0.85


def test_where_scores_do_not_fit_into_memory_too(monkeypatch):
    monkeypatch.setattr(module, "SCORES_TO_LEARN_FROM", X.shape[0] * len(TREE) - 1)
    model = FlatClassifier(hierarchy=TREE, decision="auto").fit(X, Y)
    assert model.decision_reason_.endswith("nodes instead")


def test_a_threshold_tuned_on_all_nodes_is_the_tuned_one():
    """With time for every node of a flat hierarchy, the sample is the whole, and the weights are 1."""
    flat = Hierarchy.flat(LEAVES)
    quick = FlatClassifier(hierarchy=flat, decision="auto,seconds=0").fit(X, Y).decision_
    tuned = FlatClassifier(hierarchy=flat, decision="tuned,folds=5").fit(X, Y).decision_
    assert quick.value == tuned.value


@pytest.mark.parametrize(("n_jobs", "processes"), [(None, 8), (-1, 8), (-2, 7), (-100, 1), (3, 3)])
def test_processes_for_n_jobs_follows_joblib(monkeypatch, n_jobs, processes):
    monkeypatch.setattr("joblib.cpu_count", lambda: 8)
    monkeypatch.setattr(module, "WORTH_A_PROCESS", 0.0)
    model = FlatClassifier(hierarchy=TREE).fit(X, Y).set_params(n_jobs=n_jobs)
    assert processes_for(model, task_of(model), 9) == processes


def test_the_estimate_is_by_size_alone():
    model = FlatClassifier(hierarchy=TREE).fit(X, Y)
    task = task_of(model)
    assert seconds_to_fit(model, task) == seconds_to_fit(model, task) > 0
    twice = Task(*(csr_array(np.vstack([part.toarray()] * 2)) for part in task[:2]), None, np.arange(2 * X.shape[0]))
    # What a learner costs by itself is there once.
    overhead = 40e-9 * 20_000 * model.ends_.size
    assert seconds_to_fit(model, twice) + overhead == pytest.approx(2 * seconds_to_fit(model, task))


@KINDS
def test_folds_side_by_side_give_the_same_scores(kind, monkeypatch):
    model = kind(hierarchy=TREE, decision="scut", n_jobs=2).fit(X, Y)
    one = held_out_scores(model, task_of(model), 3)
    monkeypatch.setattr(module, "WORTH_A_PROCESS", 0.0)
    assert processes_for(model, task_of(model), 3) == 2
    assert held_out_scores(model, task_of(model), 3).tobytes() == one.tobytes()


def test_what_was_decided_and_why_is_in_the_model(tmp_path):
    texts = [" ".join(labels * 3) + " and more" for labels in Y]
    model = TextClassifier(hierarchy=TREE).fit(texts, Y)
    model.save(tmp_path / "model")
    again = TextClassifier.load(tmp_path / "model").classifier_
    assert again.decision_ == model.classifier_.decision_
    assert again.decision_reason_ == model.classifier_.decision_reason_ is not None


@pytest.mark.parametrize(
    "name", ["linear-svm", "logistic", "global-svm", "hiercost", "topdown-svm", "topdown-logistic"]
)
def test_linear_methods_decide_by_themselves(name):
    assert METHODS[name].learner.build(0, None).decision == "auto"
    assert parse_decision("auto").folds == 5
