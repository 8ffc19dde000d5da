"""classmark puts texts into a hierarchy of categories.

The public names are imported when first used, so that `import classmark` stays quick. This file is written by
`tools/write_public_names.py`.
"""

from typing import TYPE_CHECKING

from classmark.lazy import names_of

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
    from classmark.strategies.majority import MajorityClassifier as MajorityClassifier
    from classmark.strategies.self_training import SelfTrainingClassifier as SelfTrainingClassifier
    from classmark.strategies.topdown.classifier import TopDownClassifier as TopDownClassifier
    from classmark.text.analyser import Analyser as Analyser
    from classmark.text.vectoriser import TextVectoriser as TextVectoriser
    from classmark.text.weighting import TermWeighting as TermWeighting
    from classmark.weak.embedding import EmbeddingEM as EmbeddingEM

__version__ = "0.1.0"

_HOMES = {
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

__all__ = [
    "BM25KNN",
    "EMMC",
    "NBMC",
    "AdaBoostMH",
    "AdaBoostMHKR",
    "Analyser",
    "BlendClassifier",
    "ConsistentClassifier",
    "EmbeddingEM",
    "FineTunedClassifier",
    "FlatClassifier",
    "FlatEM",
    "FlatNB",
    "FrozenEncoderClassifier",
    "HierCost",
    "HierarchicalKNN",
    "Hierarchy",
    "MPBoost",
    "MajorityClassifier",
    "OverlapKNN",
    "PathEM",
    "PathNB",
    "RerankClassifier",
    "SelfTrainingClassifier",
    "TeachingClassifier",
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
    "check_corpus",
    "cluster",
    "load_docstrings",
    "make_report",
    "read_corpus",
]

__getattr__ = names_of("classmark", _HOMES)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
