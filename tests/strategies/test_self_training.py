"""Self-training: equal to the plain loop, to EM where it is EM, and to the wrapped classifier where it adds nothing."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from classmark import (
    ConsistentClassifier,
    FlatClassifier,
    FlatEM,
    FlatNB,
    Hierarchy,
    MajorityClassifier,
    PathNB,
    SelfTrainingClassifier,
    TextClassifier,
    TopDownNB,
)
from classmark.probability import own_chances
from classmark.progress import listening
from classmark.registry import METHODS
from tests.generative.problems import partly_labelled, problems
from tests.oracles import generative
from tests.oracles import self_training as oracle

TREE = Hierarchy.from_paths(["a/x", "a/y", "b/z", "b/w"])
LEARNER = FlatClassifier(LogisticRegression(C=10, solver="liblinear"), calibration="softmax")


def assert_posteriors(model, problem, prior, theta):
    chances = model.predict_proba(problem.X)[:, model.ends_]
    for row, x in zip(chances, problem.X.tolist(), strict=True):
        assert row == pytest.approx(generative.posterior(generative.log_joint(x, prior, theta)), abs=1e-7)


@settings(max_examples=60)
@given(problems(most_labels=1), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.6, 0.9]), st.integers(1, 4))
def test_hard_equals_the_oracle(problem, weight, threshold, rounds):
    flat = FlatNB(vocabulary="all")
    model = SelfTrainingClassifier(
        flat, hierarchy=problem.tree, threshold=threshold, unlabeled_weight=weight, max_iter=rounds
    ).fit(problem.X, problem.labels)
    found = oracle.hard_bayes(problem.X.tolist(), problem.flat_scores(), 1.0, weight, threshold, rounds)
    # On the threshold itself rounding decides.
    assume(all(abs(chance - threshold) > 1e-9 for chance in found[2]))
    assert model.ends_.tolist() == problem.ends
    assert_posteriors(model, problem, *found[:2])


@settings(max_examples=60)
@given(problems(most_labels=1), st.sampled_from([0.0, 0.5, 1.0]), st.integers(1, 4))
def test_soft_over_naive_bayes_is_em(problem, weight, rounds):
    shared = {"hierarchy": problem.tree, "unlabeled_weight": weight, "tol": 0, "max_iter": rounds}
    model = SelfTrainingClassifier(FlatNB(vocabulary="all"), kind="soft", least_share=0, **shared)
    model.fit(problem.X, problem.labels)
    iterations = rounds if None in problem.labels else 0
    known = [True] * problem.X.shape[1]
    prior, theta, _ = generative.em(problem.X.tolist(), problem.flat_scores(), known, 1.0, weight, iterations)
    assert_posteriors(model, problem, prior, theta)
    em = FlatEM(vocabulary="all", **shared).fit(problem.X, problem.labels)
    assert model.predict_proba(problem.X) == pytest.approx(em.predict_proba(problem.X), abs=1e-7)


@settings(max_examples=40)
@given(problems(), st.sampled_from([0.2, 0.45, 0.8]), st.integers(1, 4))
def test_label_sets_equal_the_oracle(problem, threshold, rounds):
    # Where one label each is all there is, the best end is asked for, and the oracle above answers.
    assume(any(len(own) > 1 for own in problem.own if own is not None))

    def wrapped():
        return PathNB(hierarchy=problem.tree, decision="threshold,value=-1.5")

    X = problem.X.tolist()
    model = SelfTrainingClassifier(wrapped(), hierarchy=problem.tree, threshold=threshold, max_iter=rounds)
    model.fit(problem.X, problem.labels)
    expected, changes = oracle.hard_sets(wrapped, problem.tree, X, problem.labels, threshold, rounds)
    assert model.rounds_.tolist() == changes
    assert model.node_scores(X) == pytest.approx(expected.node_scores(X), abs=1e-9)
    assert model.predict(X) == expected.predict(X)


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_with_nothing_unlabelled_it_is_the_wrapped_classifier(kind):
    X, _, truth = partly_labelled(documents=60)
    model = SelfTrainingClassifier(LEARNER, hierarchy=TREE, kind=kind).fit(X, truth)
    alone = FlatClassifier(LEARNER.estimator, hierarchy=TREE, calibration="softmax").fit(X, truth)
    assert model.rounds_.tolist() == [60]
    assert model.node_scores(X).tobytes() == alone.node_scores(X).tobytes()
    assert model.predict_proba(X).tobytes() == alone.predict_proba(X).tobytes()


@pytest.mark.parametrize("settings", [{"threshold": 1.0}, {"unlabeled_weight": 0.0}])
def test_where_nothing_is_sure_or_counts_it_is_the_wrapped_classifier(settings):
    X, y, _ = partly_labelled(documents=60)
    model = SelfTrainingClassifier(LEARNER, hierarchy=TREE, **settings).fit(X, y)
    alone = FlatClassifier(LEARNER.estimator, hierarchy=TREE).fit(X[::10], y[::10])
    assert model.rounds_.tolist() == [6]
    assert model.node_scores(X).tobytes() == alone.node_scores(X).tobytes()


@pytest.mark.parametrize("wrapped", [None, FlatNB(), ConsistentClassifier(calibration="platt")], ids=str)
@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_unlabelled_documents_help(wrapped, kind):
    X, y, _ = partly_labelled()
    held_out, _, expected = partly_labelled(1)
    model = SelfTrainingClassifier(wrapped, hierarchy=TREE, kind=kind, max_iter=4).fit(X, y)
    first = SelfTrainingClassifier(wrapped, hierarchy=TREE).fit(X[::10], y[::10])
    assert (model.predict(held_out) == expected).mean() > (first.predict(held_out) == expected).mean() > 0.5
    assert model.rounds_[0] == 30
    assert model.n_iter_ == len(model.rounds_) > 1


def test_rounds_end_when_nothing_changes():
    X, y, _ = partly_labelled()
    model = SelfTrainingClassifier(FlatNB(), hierarchy=TREE, max_iter=100).fit(X, y)
    assert len(model.rounds_) < 40
    one = SelfTrainingClassifier(FlatNB(), hierarchy=TREE, max_iter=1).fit(X, y)
    assert one.rounds_.tolist() == model.rounds_[:2].tolist()
    loose = SelfTrainingClassifier(FlatNB(), hierarchy=TREE, kind="soft", tol=0.5, max_iter=100).fit(X, y)
    tight = SelfTrainingClassifier(FlatNB(), hierarchy=TREE, kind="soft", tol=1e-6, max_iter=100).fit(X, y)
    assert len(loose.rounds_) == 2 < len(tight.rounds_) < 100


def test_progress_is_told():
    X, y, _ = partly_labelled()
    heard = []
    with listening(lambda what, done, total: heard.append((what, done, total))):
        SelfTrainingClassifier(FlatNB(), hierarchy=TREE, max_iter=2).fit(X, y)
    assert [one for one in heard if one[0] == "rounds"] == [("rounds", done, 2) for done in range(3)]


def test_the_number_of_threads_changes_nothing():
    X, y, _ = partly_labelled()
    one, two = (SelfTrainingClassifier(FlatNB(), hierarchy=TREE, n_jobs=jobs).fit(X, y) for jobs in (None, 2))
    assert (one.estimator_.n_jobs, two.estimator_.n_jobs) == (None, 2)
    assert one.node_scores(X).tobytes() == two.node_scores(X).tobytes()


def test_an_inner_node_has_what_the_ends_below_leave():
    tree = Hierarchy.from_parents({"a": None, "b": None, "x": ["a", "b"], "u": "x"})
    chances = np.array([[0.9, 0.6, 0.5, 0.2]])
    ends = np.arange(4, dtype=np.int32)
    assert own_chances(chances, ends, tree)[0] == pytest.approx([0.9 - 0.5, 0.6 - 0.5, 0.5 - 0.2, 0.2])
    assert own_chances(chances, ends[[0, 3]], tree)[0] == pytest.approx([0.9 - 0.2, 0, 0, 0.2])


def test_documents_that_belong_nowhere_are_left_out():
    X, y, _ = partly_labelled(documents=80, every=2)
    lists = [None if one is None else [one] for one in y]
    lists[0] = lists[2] = []
    with pytest.warns(UserWarning, match="left out 2 of 80 documents that belong nowhere"):
        model = SelfTrainingClassifier(hierarchy=TREE, decision="best-path").fit(X, lists)
    kept = [row for row in range(80) if row not in (0, 2)]
    expected = SelfTrainingClassifier(hierarchy=TREE).fit(X[kept], [lists[row] for row in kept])
    assert model.rounds_.tolist() == expected.rounds_.tolist()
    assert model.node_scores(X).tobytes() == expected.node_scores(X).tobytes()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": FlatClassifier()}, r"FlatClassifier gives no probabilities.*platt"),
        ({"estimator": TopDownNB()}, "TopDownNB gives no probabilities"),
        ({"estimator": MajorityClassifier()}, "MajorityClassifier gives no probabilities.*platt"),
        (
            {"estimator": KNeighborsClassifier()},
            r"estimator=KNeighborsClassifier\(\)",
        ),
        ({"estimator": "nb"}, "estimator='.*'"),
        ({"kind": "firm"}, "kind='firm'.*hard, soft"),
        ({"threshold": 0}, "threshold=0.*> 0 and <= 1"),
        ({"threshold": 1.1}, "threshold=1.1"),
        ({"unlabeled_weight": -1}, "unlabeled_weight=-1.*>= 0"),
        ({"least_share": 1}, "least_share=1.*>= 0 and < 1"),
        ({"tol": float("nan")}, "tol=nan.*>= 0"),
        ({"max_iter": 0}, "max_iter=0.*>= 1"),
    ],
)
def test_refusals(parameters, message):
    X, y, _ = partly_labelled(documents=40)
    with pytest.raises(ValueError, match=message) as error:
        SelfTrainingClassifier(**parameters).fit(X, y)
    assert "\n" not in str(error.value)


def test_shares_are_for_one_label_each():
    X, y, _ = partly_labelled(documents=40)
    labels = [None if one is None else [one, "b/z"] for one in y]
    with pytest.raises(ValueError, match='kind is "soft", and some documents have several labels; choose kind="hard"'):
        SelfTrainingClassifier(kind="soft").fit(X, labels)


def test_labels_without_weight_are_none():
    X, y, _ = partly_labelled(documents=40)
    with pytest.raises(ValueError, match="no labelled document"):
        SelfTrainingClassifier().fit(X, y, sample_weight=np.array([one is None for one in y], float))


TEXTS = ["roses bloom", "tulips bloom", "bread dough", "oven bread", "roses tulips", "dough oven", "bulbs roses"]
LABELS = ["garden", "garden", "kitchen", "kitchen", None, None, None]


@pytest.mark.parametrize("learner", METHODS["self-training"].learners)
@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_every_learner_into_a_file_and_back(learner, kind, tmp_path):
    settings = {"learner": learner, "kind": kind, "threshold": 0.6, "weighting": "counts", "norm": None}
    model = TextClassifier("self-training", settings=settings).fit(TEXTS, LABELS)
    model.save(tmp_path / "model")
    again = TextClassifier.load(tmp_path / "model")
    assert again.predict_proba(TEXTS).tobytes() == model.predict_proba(TEXTS).tobytes()
    assert again.predict(TEXTS).tolist() == model.predict(TEXTS).tolist()
    assert again.classifier_.rounds_.tolist() == model.classifier_.rounds_.tolist()
    assert (again.classifier_.kind, again.classifier_.threshold) == (kind, 0.6)
    assert type(again.classifier_.estimator) is type(model.classifier_.estimator_)


def test_probabilities_by_a_calibration_of_the_whole():
    X, y, _ = partly_labelled(documents=100, every=4)
    plain = SelfTrainingClassifier(FlatNB(), hierarchy=TREE).fit(X, y)
    model = SelfTrainingClassifier(FlatNB(), hierarchy=TREE, calibration="softmax").fit(X, y)
    assert plain.calibrator_ is None
    assert model.calibrator_.temperature > 1
    assert model.predict_proba(X).max(axis=1).mean() < plain.predict_proba(X).max(axis=1).mean()
    again = SelfTrainingClassifier().from_state(model.to_state())
    assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()


def test_self_training_wraps_no_self_training():
    X, y, _ = partly_labelled(documents=40)
    inside = SelfTrainingClassifier(FlatNB(), hierarchy=TREE)
    with pytest.raises(ValueError, match="trains itself already; give the classifier that it wraps"):
        SelfTrainingClassifier(inside, hierarchy=TREE).fit(X, y)
    state = inside.fit(X, y).to_state()
    state["learned"]["wrapped"] = {"class": "SelfTrainingClassifier", "state": inside.to_state()}
    with pytest.raises(ValueError, match="inside another"):
        SelfTrainingClassifier().from_state(state)


def test_models_inside_that_do_not_fit_are_refused():
    X, y, _ = partly_labelled(documents=40)
    state = SelfTrainingClassifier(FlatNB(), hierarchy=TREE).fit(X, y).to_state()
    other = SelfTrainingClassifier(FlatNB()).fit(X, y).to_state()
    narrow = SelfTrainingClassifier(FlatNB(), hierarchy=TREE).fit(X[:, :5], y).to_state()
    for inside, message in ((other, "other categories than the model"), (narrow, "other terms than the model")):
        with pytest.raises(ValueError, match=message):
            SelfTrainingClassifier().from_state(
                state | {"learned": state["learned"] | {"wrapped": inside["learned"]["wrapped"]}}
            )
    with pytest.raises(ValueError, match="parameters are not those of SelfTrainingClassifier"):
        SelfTrainingClassifier().from_state(state | {"learned": state["learned"] | {"parameters": {"kind": "hard"}}})
