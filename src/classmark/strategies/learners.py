"""Which learners a model file may name inside a strategy, and how they are written there.

Of scikit-learn's only linear ones: their learned state is a matrix of weights. Of ours those that a strategy may be
built over: they bring a state of their own. Loading builds nothing but a class of these tables.
"""

from typing import Any

from sklearn import linear_model, svm

from classmark.checks import Constraint
from classmark.errors import InputError
from classmark.persistence import State
from classmark.registry import find_class

LEARNER = Constraint(
    lambda value: value is None or is_learner(value),
    "a classifier such as LinearSVC(), or None for the default",
    None,
)

LINEAR_LEARNERS: dict[str, type[Any]] = {"LinearSVC": svm.LinearSVC} | {
    name: getattr(linear_model, name)
    for name in ("LogisticRegression", "PassiveAggressiveClassifier", "Perceptron", "RidgeClassifier", "SGDClassifier")
    # scikit-learn may drop one that it has deprecated.
    if hasattr(linear_model, name)
}
OWN_LEARNERS = (
    *("AdaBoostMH", "AdaBoostMHKR", "FlatClassifier", "LinearSVMClassifier", "MPBoost", "MajorityClassifier"),
)
"""Classifiers of ours by name; the module is imported when a file asks for one, never by a strategy itself."""
SAVED = (*LINEAR_LEARNERS, *OWN_LEARNERS)


def is_learner(value: Any) -> bool:
    """Say whether a value is a classifier that a strategy can copy, fit and ask for margins or probabilities.

    >>> from sklearn.linear_model import LinearRegression, Perceptron
    >>> is_learner(Perceptron()), is_learner(Perceptron), is_learner(LinearRegression())
    (True, False, False)
    """
    if isinstance(value, type) or not (hasattr(value, "fit") and hasattr(value, "get_params")):
        return False
    return hasattr(value, "decision_function") or hasattr(value, "predict_proba")


def own_to_state(fitted: Any) -> State:
    """Give a fitted classifier of ours as plain data and arrays: its name, and all that it learned."""
    name = type(fitted).__name__
    if name not in OWN_LEARNERS:
        raise InputError(f"a model around {name} cannot be saved; only {', '.join(OWN_LEARNERS)} can")
    return {"class": name, "state": fitted.to_state()}


def own_from_state(state: State) -> Any:
    """Build the fitted classifier of ours that a model file names, if the table has it."""
    return _own_class(state["class"])().from_state(state["state"])


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
    if name not in SAVED:
        raise InputError(f"a model around {name} cannot be saved; only {', '.join(SAVED)} can")
    defaults = type(learner)().get_params(deep=False)
    parameters = {key: value for key, value in learner.get_params(deep=False).items() if value != defaults[key]}
    for key, value in parameters.items():
        if not isinstance(value, str | int | float | None):
            raise InputError(f"a model around {name} cannot be saved with {key}={value!r}; only plain values can")
    return {"class": name, "parameters": parameters}


def learner_from_state(state: State | None) -> Any:
    """Build the learner that a model file names, if the table has it."""
    if state is None:
        return None
    kind = LINEAR_LEARNERS.get(state["class"]) or _own_class(state["class"])
    return kind(**state["parameters"])


def _own_class(name: str) -> type[Any]:
    """Give the class of one of our learners, and of nothing else."""
    if name not in OWN_LEARNERS:
        raise InputError(f"{name!r} is no learner that a model is built around")
    return find_class(name)
