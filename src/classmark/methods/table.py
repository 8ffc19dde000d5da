"""The one table of methods: name → what it is, its settings, how it is built, how it likes its text."""

from importlib import import_module

from classmark.base import HierarchicalClassifier
from classmark.methods.boosting import BOOSTING
from classmark.methods.consistent import CONSISTENT
from classmark.methods.flat import FLAT
from classmark.methods.generative import GENERATIVE
from classmark.methods.linear import LINEAR
from classmark.methods.neighbours import NEIGHBOURS
from classmark.methods.settings import Method

FAMILIES = (FLAT, BOOSTING, CONSISTENT, GENERATIVE, LINEAR, NEIGHBOURS)
METHODS: dict[str, Method] = {method.name: method for family in FAMILIES for method in family}

CLASSIFIERS = {
    "AdaBoostMH": "boosting",
    "AdaBoostMHKR": "boosting",
    "BM25KNN": "neighbours",
    "ConsistentClassifier": "strategies",
    "EMMC": "generative",
    "FlatClassifier": "strategies",
    "FlatEM": "generative",
    "FlatNB": "generative",
    "HierCost": "linear",
    "HierarchicalKNN": "neighbours",
    "MPBoost": "boosting",
    "MajorityClassifier": "strategies",
    "NBMC": "generative",
    "OverlapKNN": "neighbours",
    "PathEM": "generative",
    "PathNB": "generative",
    "TopDownClassifier": "strategies",
    "TopDownEM": "generative",
    "TopDownNB": "generative",
    "TreeBoostMH": "boosting",
    "WinDrivenEM": "generative",
    "WinDrivenNB": "generative",
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
