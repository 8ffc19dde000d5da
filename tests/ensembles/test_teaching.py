"""A student learns from what its teacher is surest of, and is kept unless it is worse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import FlatClassifier, FlatEM, FlatNB, MajorityClassifier, TeachingClassifier, TextClassifier
from classmark.decision import BestPath
from classmark.ensembles.teaching import Answered, surest
from tests.ensembles.test_blend import TREE, documents

PARTS = [("teacher", FlatEM()), ("student", FlatClassifier())]


def few(y: list[str], every: int = 10) -> list[str | None]:
    """Keep some of the labels."""
    return [label if row % every == 0 else None for row, label in enumerate(y)]


def test_the_student_learns_from_the_surest_answers():
    X, y = documents(200)
    model = TeachingClassifier(PARTS, hierarchy=TREE, rounds=1, surest=0.5).fit(X, few(y))
    teacher = FlatEM(hierarchy=TREE, decision=BestPath()).fit(X, few(y))
    unlabelled = np.flatnonzero([label is None for label in few(y)])
    scores = np.sort(teacher.own_scores(X[unlabelled])[:, teacher.ends_], axis=1)
    answered = Answered(TREE.own(teacher.predict_indicator(X[unlabelled])), scores[:, -1] - scores[:, -2])
    told = surest(answered, 0.5)
    labelled = np.flatnonzero([label is not None for label in few(y)])
    rows = np.append(labelled, unlabelled[told])
    answers = teacher.predict_first(X)
    labels = [y[row] if row in labelled else TREE.names[answers[row]] for row in rows]
    student = FlatClassifier(hierarchy=TREE, decision=BestPath()).fit(X[rows], labels)
    assert model.rounds_.tolist() == [told.size]
    assert model.parts_[1].node_scores(X) == pytest.approx(student.node_scores(X))
    assert model.trusted_ == "both"
    assert "too few" in model.trust_reason_


def test_both_answer_together_where_documents_have_one_label():
    X, y = documents(200)
    model = TeachingClassifier(PARTS, hierarchy=TREE).fit(X, few(y))
    total = 0.0
    for part in model.parts_:
        own = part.own_scores(X)[:, part.ends_]
        total = total + own / own.std()
    assert model.trusted_ == "both"
    assert model.own_scores(X)[:, model.ends_] == pytest.approx(total)
    assert model.predict_first(X).tolist() == model.ends_[total.argmax(axis=1)].tolist()


def test_a_student_that_is_worse_is_not_kept():
    X, y = documents(1500)
    parts = [("teacher", FlatNB()), ("student", MajorityClassifier())]
    model = TeachingClassifier(parts, hierarchy=TREE).fit(X, few(y, every=3))
    assert model.trusted_ == "teacher"
    assert "teacher" in model.trust_reason_
    alone = FlatNB(hierarchy=TREE).fit(X[::3], y[::3])
    assert model.node_scores(X) == pytest.approx(alone.node_scores(X))


def test_what_was_held_out_is_learned_from_in_the_end():
    X, y = documents(1500)
    model = TeachingClassifier(PARTS, hierarchy=TREE, surest=1.0, rounds=1).fit(X, few(y, every=3))
    assert "held out" in model.trust_reason_
    assert model.score(X, y) > 0.8


def test_without_unlabelled_documents_both_learn_from_the_labelled_ones():
    X, y = documents()
    model = TeachingClassifier(PARTS, hierarchy=TREE).fit(X, y)
    alone = FlatClassifier(hierarchy=TREE, decision=BestPath()).fit(X, y)
    assert model.rounds_.tolist() == [0, 0]
    assert model.parts_[1].node_scores(X) == pytest.approx(alone.node_scores(X))


def test_several_labels():
    X, y = documents(200)
    lists = [None if label is None else [label, "fern"] for label in few(y, every=4)]
    parts = [("teacher", FlatClassifier()), ("student", FlatClassifier())]
    model = TeachingClassifier(parts, hierarchy=TREE).fit(X, lists)
    assert model.rounds_.min() > 0
    assert model.trusted_ == "student"
    assert all("fern" in labels for labels in model.predict(X))


@given(st.integers(0, 10_000), st.floats(0.01, 1))
def test_the_surest_of_each_category_against_a_slow_twin(seed, share):
    random = np.random.default_rng(seed)
    own = random.random((30, 4)) < 0.3
    sureness = np.where(own.any(axis=1), random.integers(5, size=30).astype(float), -np.inf)
    expected = set()
    for category in range(4):
        put = sorted((row for row in range(30) if own[row, category]), key=lambda row: (-sureness[row], row))
        expected |= set(put[: int(np.ceil(share * len(put)))])
    assert set(surest(Answered(csr_array(own), sureness), share).tolist()) == expected


TEXTS = ["Roses", "Beans", "Roses, tulips and bulbs", "Tulips from bulbs", "Beans and peas", "Rows of peas"] * 3
LABELS = ["flowers", "vegetables", None, None, None, None] * 3


def test_teacher_and_student_read_each_in_its_own_way(tmp_path):
    chosen = {
        "teacher": "em",
        "student": "linear-svm",
        "student.C": 10,
        "teacher.smoothing": 0.5,
        "teacher.vocabulary": "all",
        "surest": 1,
    }
    model = TextClassifier("self-training", settings=chosen).fit(TEXTS, LABELS)
    teacher, student = model.classifier_.parts_
    assert teacher.smoothing == 0.5
    assert student.estimator.C == 10
    assert model.predict(["bulbs", "peas"]).tolist() == ["flowers", "vegetables"]
    path = tmp_path / "taught.classmark"
    model.save(path)
    again = TextClassifier.load(path)
    assert again.node_scores(TEXTS).tobytes() == model.node_scores(TEXTS).tobytes()
    assert (again.classifier_.trusted_, again.classifier_.trust_reason_) == (
        model.classifier_.trusted_,
        model.classifier_.trust_reason_,
    )


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"teacher": "owl"}, "unknown method 'owl'"),
        ({"student": "self-training"}, "made of several methods itself"),
        ({"student": "blend"}, "made of several methods itself"),
        ({"rounds": 3}, "has no setting 'rounds'"),
        ({"student": "linear-svm", "learner": "nb"}, "has no setting 'learner'"),
        ({"student": "linear-svm", "surest": 0}, "surest=0: must be a number > 0"),
    ],
)
def test_what_cannot_teach_or_learn_is_refused(chosen, message):
    with pytest.raises(ValueError, match=message):
        TextClassifier("self-training", settings=chosen).fit(TEXTS, LABELS)


def test_other_parts_than_a_teacher_and_a_student_are_refused():
    with pytest.raises(ValueError, match="give a teacher and a student"):
        TeachingClassifier([("one", FlatNB()), ("two", FlatNB())]).fit(*documents())
