"""classmark puts texts into a hierarchy of categories.

The public names are imported when first used, so that `import classmark` stays fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from classmark.boosting.adaboost_mh import AdaBoostMH as AdaBoostMH
    from classmark.boosting.adaboost_mh_kr import AdaBoostMHKR as AdaBoostMHKR
    from classmark.boosting.mp_boost import MPBoost as MPBoost
    from classmark.boosting.treeboost_mh import TreeBoostMH as TreeBoostMH
    from classmark.data import load_docstrings as load_docstrings
    from classmark.data import read_corpus as read_corpus
    from classmark.ensembles.blend import BlendClassifier as BlendClassifier
    from classmark.ensembles.rerank import RerankClassifier as RerankClassifier
    from classmark.ensembles.teaching import TeachingClassifier as TeachingClassifier
    from classmark.generative.flat import FlatEM as FlatEM
    from classmark.generative.flat import FlatNB as FlatNB
    from classmark.generative.multicomponent import EMMC as EMMC
    from classmark.generative.multicomponent import NBMC as NBMC
    from classmark.generative.path import PathEM as PathEM
    from classmark.generative.path import PathNB as PathNB
    from classmark.generative.topdown import TopDownEM as TopDownEM
    from classmark.generative.topdown import TopDownNB as TopDownNB
    from classmark.generative.windriven import WinDrivenEM as WinDrivenEM
    from classmark.generative.windriven import WinDrivenNB as WinDrivenNB
    from classmark.hierarchy import Hierarchy as Hierarchy
    from classmark.inspection import check_corpus as check_corpus
    from classmark.linear.hiercost import HierCost as HierCost
    from classmark.neighbours.bm25 import BM25KNN as BM25KNN
    from classmark.neighbours.hierarchical import HierarchicalKNN as HierarchicalKNN
    from classmark.neighbours.overlap import OverlapKNN as OverlapKNN
    from classmark.neural.fine_tuned import FineTunedClassifier as FineTunedClassifier
    from classmark.neural.frozen import FrozenEncoderClassifier as FrozenEncoderClassifier
    from classmark.parallel.cluster.connecting import cluster as cluster
    from classmark.pipeline import TextClassifier as TextClassifier
    from classmark.selection import TermSelector as TermSelector
    from classmark.service.reporting import make_report as make_report
    from classmark.strategies.consistent import ConsistentClassifier as ConsistentClassifier
    from classmark.strategies.flat import FlatClassifier as FlatClassifier
    from classmark.strategies.linear_svm import LinearSVMClassifier as LinearSVMClassifier
    from classmark.strategies.majority import MajorityClassifier as MajorityClassifier
    from classmark.strategies.self_training import SelfTrainingClassifier as SelfTrainingClassifier
    from classmark.strategies.topdown.classifier import TopDownClassifier as TopDownClassifier
    from classmark.text.analyser import Analyser as Analyser
    from classmark.text.vectoriser import TextVectoriser as TextVectoriser
    from classmark.text.weighting import TermWeighting as TermWeighting
    from classmark.weak.embedding import EmbeddingEM as EmbeddingEM

__version__ = "0.1.0"

_MODULES = {
    "AdaBoostMH": "boosting.adaboost_mh",
    "AdaBoostMHKR": "boosting.adaboost_mh_kr",
    "Analyser": "text.analyser",
    "BM25KNN": "neighbours.bm25",
    "BlendClassifier": "ensembles.blend",
    "ConsistentClassifier": "strategies.consistent",
    "EMMC": "generative.multicomponent",
    "EmbeddingEM": "weak.embedding",
    "FineTunedClassifier": "neural.fine_tuned",
    "FlatClassifier": "strategies.flat",
    "FlatEM": "generative.flat",
    "FlatNB": "generative.flat",
    "FrozenEncoderClassifier": "neural.frozen",
    "HierCost": "linear.hiercost",
    "HierarchicalKNN": "neighbours.hierarchical",
    "Hierarchy": "hierarchy",
    "LinearSVMClassifier": "strategies.linear_svm",
    "MPBoost": "boosting.mp_boost",
    "MajorityClassifier": "strategies.majority",
    "NBMC": "generative.multicomponent",
    "OverlapKNN": "neighbours.overlap",
    "PathEM": "generative.path",
    "PathNB": "generative.path",
    "RerankClassifier": "ensembles.rerank",
    "SelfTrainingClassifier": "strategies.self_training",
    "TeachingClassifier": "ensembles.teaching",
    "TermSelector": "selection",
    "TermWeighting": "text.weighting",
    "TextClassifier": "pipeline",
    "TextVectoriser": "text.vectoriser",
    "TopDownClassifier": "strategies.topdown.classifier",
    "TopDownEM": "generative.topdown",
    "TopDownNB": "generative.topdown",
    "TreeBoostMH": "boosting.treeboost_mh",
    "WinDrivenEM": "generative.windriven",
    "WinDrivenNB": "generative.windriven",
    "check_corpus": "inspection",
    "cluster": "parallel.cluster.connecting",
    "load_docstrings": "data",
    "make_report": "service.reporting",
    "read_corpus": "data",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"classmark.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
