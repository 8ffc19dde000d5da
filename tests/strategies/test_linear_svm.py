import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

from classmark import FlatClassifier, LinearSVMClassifier

RANDOM = np.random.default_rng(0)
X = RANDOM.poisson(1.0, (60, 8)).astype(float)
Y = RANDOM.choice(["owl", "gull", "oak"], 60).tolist()
CHANGED = {"C": 3.0, "class_weight": "balanced", "max_iter": 200, "random_state": 5}


def test_scores_are_those_of_a_flat_classifier_over_linear_svc():
    wrapped = FlatClassifier(LinearSVC(**CHANGED)).fit(X, Y)
    assert LinearSVMClassifier(**CHANGED).fit(X, Y).node_scores(X).tolist() == wrapped.node_scores(X).tolist()


def test_from_state_restores_parameters_and_scores():
    model = LinearSVMClassifier(**CHANGED).fit(X, Y)
    again = LinearSVMClassifier().from_state(model.to_state())
    assert {name: getattr(again, name) for name in CHANGED} == CHANGED
    assert again.n_iter_ == model.n_iter_ > 1
    assert again.node_scores(X).tolist() == model.node_scores(X).tolist()


def test_grid_search_sets_c_by_name():
    search = GridSearchCV(LinearSVMClassifier(), {"C": [0.001, 10.0]}, cv=2).fit(X, Y)
    assert search.best_estimator_.C == search.best_params_["C"] == search.best_estimator_.estimator.C
