"""The table of classifiers, for whatever reads one from a model file."""

from importlib import import_module

from classmark.base import HierarchicalClassifier

CLASSIFIERS = {
    "AdaBoostMH": "boosting",
    "AdaBoostMHKR": "boosting",
    "BM25KNN": "neighbours",
    "ConsistentClassifier": "strategies",
    "EMMC": "generative",
    "EmbeddingEM": "weak",
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
    "SelfTrainingClassifier": "strategies",
    "TopDownClassifier": "strategies",
    "TopDownEM": "generative",
    "TopDownNB": "generative",
    "TreeBoostMH": "boosting",
    "WinDrivenEM": "generative",
    "WinDrivenNB": "generative",
}
"""The classifiers that a model file may hold, and the packages they live in: imported when one is asked for."""


def classifier_class(name: str) -> type[HierarchicalClassifier]:
    """Give the class of a name in the table; only what is in it is ever imported.

    >>> classifier_class("FlatClassifier").__module__
    'classmark.strategies.flat'
    """
    found: type[HierarchicalClassifier] = getattr(import_module(f"classmark.{CLASSIFIERS[name]}"), name)
    return found
