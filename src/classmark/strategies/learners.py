"""Which learners of scikit-learn's a model file may name, and how they are written there.

Only linear ones: their learned state is a matrix of weights, and loading builds nothing but a class of this table.
"""

from importlib import import_module
from typing import Any

from classmark.persistence import State

LINEAR_LEARNERS = {
    "LinearSVC": "sklearn.svm",
    "LogisticRegression": "sklearn.linear_model",
    "PassiveAggressiveClassifier": "sklearn.linear_model",
    "Perceptron": "sklearn.linear_model",
    "RidgeClassifier": "sklearn.linear_model",
    "SGDClassifier": "sklearn.linear_model",
}


def learner_to_state(learner: Any) -> State | None:
    """Give a learner's class and the parameters that are not its defaults as plain data; None stays None.

    A default is left out, so that scikit-learn may drop a deprecated parameter and the model still loads.

    >>> from sklearn.linear_model import Perceptron
    >>> learner_to_state(Perceptron(alpha=0.5))["parameters"]["alpha"]
    0.5
    """
    if learner is None:
        return None
    name = type(learner).__name__
    if name not in LINEAR_LEARNERS:
        raise ValueError(f"a model around {name} cannot be saved; only {', '.join(LINEAR_LEARNERS)} can")
    defaults = type(learner)().get_params(deep=False)
    parameters = {key: value for key, value in learner.get_params(deep=False).items() if value != defaults[key]}
    for key, value in parameters.items():
        if not isinstance(value, str | int | float | None):
            raise ValueError(f"a model around {name} cannot be saved with {key}={value!r}; only plain values can")
    return {"class": name, "parameters": parameters}


def learner_from_state(state: State | None) -> Any:
    """Build the learner that a model file names, if the table has it."""
    if state is None:
        return None
    return getattr(import_module(LINEAR_LEARNERS[state["class"]]), state["class"])(**state["parameters"])
