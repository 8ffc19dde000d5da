"""The classifiers that a model file may hold: the public ones."""

from importlib import import_module
from typing import Any

from classmark.base import HierarchicalClassifier


def classifier_class(name: str) -> type[HierarchicalClassifier]:
    """Give the public classifier of a name; nothing else is ever imported.

    >>> classifier_class("FlatClassifier").__module__
    'classmark.strategies.flat'
    """
    public = import_module("classmark")
    found: Any = getattr(public, name) if name in public.__all__ else None
    if not (isinstance(found, type) and issubclass(found, HierarchicalClassifier)):
        raise ValueError(f"{name!r} is no classifier of classmark's")
    return found
