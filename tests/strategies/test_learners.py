"""The learners that a model file may name, there and back."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from classmark.strategies.learners import LINEAR_LEARNERS, learner_from_state, learner_to_state


@pytest.mark.parametrize("name", LINEAR_LEARNERS)
def test_every_learner_there_and_back(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # PassiveAggressiveClassifier is on its way out
        learner = LINEAR_LEARNERS[name](class_weight="balanced")
        found = learner_from_state(learner_to_state(learner))
    assert type(found) is type(learner)
    assert found.get_params() == learner.get_params()


def test_only_what_is_not_a_default_is_written():
    assert learner_to_state(LinearSVC(C=10)) == {"class": "LinearSVC", "parameters": {"C": 10}}
    assert learner_to_state(LogisticRegression()) == {"class": "LogisticRegression", "parameters": {}}
    state = learner_to_state(SGDClassifier(loss="log_loss", random_state=3, tol=None))
    assert state["parameters"] == {"loss": "log_loss", "random_state": 3, "tol": None}


def test_numbers_of_numpy_are_plain():
    assert learner_to_state(LinearSVC(C=np.float64(0.5)))["parameters"] == {"C": 0.5}


def test_no_learner_is_none():
    assert learner_to_state(None) is None
    assert learner_from_state(None) is None


def test_other_learners_are_refused_by_name():
    with pytest.raises(ValueError, match=r"around MultinomialNB cannot be saved.*LinearSVC, LogisticRegression"):
        learner_to_state(MultinomialNB())


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (LinearSVC(class_weight={0: 1, 1: 5}), r"around LinearSVC cannot be saved with class_weight={0: 1, 1: 5}"),
        (Perceptron(random_state=np.random.RandomState(0)), r"around Perceptron cannot be saved.*random_state="),
    ],
)
def test_parameters_that_are_not_plain_are_refused_by_name(learner, message):
    with pytest.raises(ValueError, match=message):
        learner_to_state(learner)


def test_a_state_names_nothing_outside_the_table():
    with pytest.raises(ValueError, match="system"):
        learner_from_state({"class": "system", "parameters": {}})
