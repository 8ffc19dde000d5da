"""The one table of methods: name → what it is, its settings, how it is built, how it likes its text."""

from importlib import import_module

from classmark.base import HierarchicalClassifier
from classmark.methods.flat import FLAT
from classmark.methods.settings import Method

METHODS: dict[str, Method] = {method.name: method for family in (FLAT,) for method in family}

CLASSIFIERS = {
    "FlatClassifier": "strategies",
    "MajorityClassifier": "strategies",
}
"""The classifiers that a model file may hold, and the packages they live in: imported when one is asked for."""


def find_method(name: str) -> Method:
    """Look a method up by its name."""
    if name not in METHODS:
        raise ValueError(f"method {name!r} does not exist; choose one of {', '.join(METHODS)}")
    return METHODS[name]


def classifier_class(name: str) -> type[HierarchicalClassifier]:
    """Give the class of a name in the table `CLASSIFIERS`.

    >>> classifier_class("FlatClassifier").__module__
    'classmark.strategies.flat'
    """
    found: type[HierarchicalClassifier] = getattr(import_module(f"classmark.{CLASSIFIERS[name]}"), name)
    return found
