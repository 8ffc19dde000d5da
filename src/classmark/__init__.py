"""classmark puts texts into a hierarchy of categories.

The public names are imported when first used, so that `import classmark` stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from classmark.data import load_docstrings as load_docstrings
    from classmark.data import read_corpus as read_corpus
    from classmark.hierarchy import Hierarchy as Hierarchy
    from classmark.pipeline import TextClassifier as TextClassifier
    from classmark.selection import TermSelector as TermSelector
    from classmark.strategies import FlatClassifier as FlatClassifier
    from classmark.strategies import MajorityClassifier as MajorityClassifier
    from classmark.text import Analyser as Analyser
    from classmark.text import TermWeighting as TermWeighting
    from classmark.text import TextVectoriser as TextVectoriser

__version__ = "0.1.0"

_HOMES = {
    "Analyser": "text",
    "FlatClassifier": "strategies",
    "Hierarchy": "hierarchy",
    "MajorityClassifier": "strategies",
    "TermSelector": "selection",
    "TermWeighting": "text",
    "TextClassifier": "pipeline",
    "TextVectoriser": "text",
    "load_docstrings": "data",
    "read_corpus": "data",
}

__all__ = [
    "Analyser",
    "FlatClassifier",
    "Hierarchy",
    "MajorityClassifier",
    "TermSelector",
    "TermWeighting",
    "TextClassifier",
    "TextVectoriser",
    "load_docstrings",
    "read_corpus",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'classmark' has no attribute {name!r}")
    return getattr(import_module(f"classmark.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
