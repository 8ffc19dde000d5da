"""classmark puts texts into a hierarchy of categories.

The public names are imported when first used, so that `import classmark` stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from classmark.boosting import AdaBoostMH as AdaBoostMH
    from classmark.boosting import AdaBoostMHKR as AdaBoostMHKR
    from classmark.boosting import MPBoost as MPBoost
    from classmark.boosting import TreeBoostMH as TreeBoostMH
    from classmark.data import load_docstrings as load_docstrings
    from classmark.data import read_corpus as read_corpus
    from classmark.generative import EMMC as EMMC
    from classmark.generative import NBMC as NBMC
    from classmark.generative import FlatEM as FlatEM
    from classmark.generative import FlatNB as FlatNB
    from classmark.generative import PathEM as PathEM
    from classmark.generative import PathNB as PathNB
    from classmark.generative import TopDownEM as TopDownEM
    from classmark.generative import TopDownNB as TopDownNB
    from classmark.generative import WinDrivenEM as WinDrivenEM
    from classmark.generative import WinDrivenNB as WinDrivenNB
    from classmark.hierarchy import Hierarchy as Hierarchy
    from classmark.linear import HierCost as HierCost
    from classmark.neighbours import BM25KNN as BM25KNN
    from classmark.neighbours import HierarchicalKNN as HierarchicalKNN
    from classmark.neighbours import OverlapKNN as OverlapKNN
    from classmark.pipeline import TextClassifier as TextClassifier
    from classmark.selection import TermSelector as TermSelector
    from classmark.strategies import ConsistentClassifier as ConsistentClassifier
    from classmark.strategies import FlatClassifier as FlatClassifier
    from classmark.strategies import MajorityClassifier as MajorityClassifier
    from classmark.strategies import SelfTrainingClassifier as SelfTrainingClassifier
    from classmark.strategies import TopDownClassifier as TopDownClassifier
    from classmark.text import Analyser as Analyser
    from classmark.text import TermWeighting as TermWeighting
    from classmark.text import TextVectoriser as TextVectoriser
    from classmark.weak import EmbeddingEM as EmbeddingEM

__version__ = "0.1.0"

_HOMES = {
    "AdaBoostMH": "boosting",
    "AdaBoostMHKR": "boosting",
    "Analyser": "text",
    "BM25KNN": "neighbours",
    "ConsistentClassifier": "strategies",
    "EMMC": "generative",
    "EmbeddingEM": "weak",
    "FlatClassifier": "strategies",
    "FlatEM": "generative",
    "FlatNB": "generative",
    "HierCost": "linear",
    "HierarchicalKNN": "neighbours",
    "Hierarchy": "hierarchy",
    "MPBoost": "boosting",
    "MajorityClassifier": "strategies",
    "NBMC": "generative",
    "OverlapKNN": "neighbours",
    "PathEM": "generative",
    "PathNB": "generative",
    "SelfTrainingClassifier": "strategies",
    "TermSelector": "selection",
    "TermWeighting": "text",
    "TextClassifier": "pipeline",
    "TextVectoriser": "text",
    "TopDownClassifier": "strategies",
    "TopDownEM": "generative",
    "TopDownNB": "generative",
    "TreeBoostMH": "boosting",
    "WinDrivenEM": "generative",
    "WinDrivenNB": "generative",
    "load_docstrings": "data",
    "read_corpus": "data",
}

__all__ = [
    "BM25KNN",
    "EMMC",
    "NBMC",
    "AdaBoostMH",
    "AdaBoostMHKR",
    "Analyser",
    "ConsistentClassifier",
    "EmbeddingEM",
    "FlatClassifier",
    "FlatEM",
    "FlatNB",
    "HierCost",
    "HierarchicalKNN",
    "Hierarchy",
    "MPBoost",
    "MajorityClassifier",
    "OverlapKNN",
    "PathEM",
    "PathNB",
    "SelfTrainingClassifier",
    "TermSelector",
    "TermWeighting",
    "TextClassifier",
    "TextVectoriser",
    "TopDownClassifier",
    "TopDownEM",
    "TopDownNB",
    "TreeBoostMH",
    "WinDrivenEM",
    "WinDrivenNB",
    "load_docstrings",
    "read_corpus",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'classmark' has no attribute {name!r}")
    return getattr(import_module(f"classmark.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
