"""The generative methods: naive Bayes and EM, flat, by levels and by paths.

Without `-plus` they are those of the papers, on raw counts. With it documents are scaled, classes are equally likely
and, where there are unlabelled documents, EM runs longer and over a vocabulary that grows.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from classmark.methods.settings import LearnerSettings, Method
from classmark.text import TextSettings

if TYPE_CHECKING:
    from classmark.base import HierarchicalClassifier

Levels = Annotated[
    str | None, Meta(description="how much a node on each level counts, from the top, as in 1,2; none: 1 each")
]
Shrinkage = Annotated[
    float, Meta(ge=0, lt=1, description="which part of a path's counts the mean of its siblings replaces")
]
Components = Annotated[
    int, Meta(ge=1, le=1000, description="how many distributions of terms a category is a mixture of")
]


class NaiveBayesSettings(LearnerSettings, frozen=True, kw_only=True):
    """Settings of all generative methods."""

    estimator: ClassVar[str]

    smoothing: Annotated[float, Meta(gt=0, description="what is added to every count")] = 1.0
    prior: Annotated[bool, Meta(description="whether frequent categories are likelier")] = True
    vocabulary: Annotated[
        Literal["labelled", "all"], Meta(description="labelled: pass over terms that no labelled document has")
    ] = "labelled"
    unseen_leaves: Annotated[
        bool, Meta(description="whether leaves without a labelled document can be predicted, too")
    ] = False
    scaling: Annotated[
        Literal["log-idf"] | None, Meta(description="log-idf: log(1 + tf) · idf, every document of one length")
    ] = None
    length: Annotated[float, Meta(gt=0, description="the length of scaled documents")] = 100.0

    def build(self, random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
        """Give the classifier, imported here because numba takes its time."""
        kind: type[HierarchicalClassifier] = getattr(import_module("classmark.generative"), self.estimator)
        return kind(**self._parameters(random_state), n_jobs=n_jobs)

    def _parameters(self, random_state: int | None) -> dict[str, Any]:
        return msgspec.structs.asdict(self)


class EMSettings(NaiveBayesSettings, frozen=True, kw_only=True):
    """Settings of the methods that learn from unlabelled documents."""

    unlabelled_weight: Annotated[float, Meta(ge=0, description="how much an unlabelled document counts")] = 1.0
    tolerance: Annotated[
        float, Meta(ge=0, description="the relative gain of the likelihood that ends EM; 0: never")
    ] = 1e-3
    max_iter: Annotated[int, Meta(ge=1, description="most iterations")] = 50
    growth: Annotated[int, Meta(ge=0, description="further iterations over the terms of all documents")] = 0
    growth_min_df: Annotated[
        int, Meta(ge=1, description="least documents with a term that no labelled document has")
    ] = 1


class FlatNBSettings(NaiveBayesSettings, frozen=True, kw_only=True):
    """Settings of `nb` and `nb-plus`."""

    estimator: ClassVar[str] = "FlatNB"


class FlatEMSettings(EMSettings, frozen=True, kw_only=True):
    """Settings of `em` and `em-plus`."""

    estimator: ClassVar[str] = "FlatEM"


class TopDownNBSettings(NaiveBayesSettings, frozen=True, kw_only=True):
    """Settings of `tdnb`."""

    estimator: ClassVar[str] = "TopDownNB"


class TopDownEMSettings(EMSettings, frozen=True, kw_only=True):
    """Settings of `tdem`."""

    estimator: ClassVar[str] = "TopDownEM"


class WinDrivenNBSettings(NaiveBayesSettings, frozen=True, kw_only=True):
    """Settings of `wdnb`."""

    estimator: ClassVar[str] = "WinDrivenNB"


class WinDrivenEMSettings(EMSettings, frozen=True, kw_only=True):
    """Settings of `wdem`."""

    estimator: ClassVar[str] = "WinDrivenEM"


class NBMCSettings(NaiveBayesSettings, frozen=True, kw_only=True):
    """Settings of `nbmc`."""

    estimator: ClassVar[str] = "NBMC"

    n_components: Components = 1
    tolerance: Annotated[
        float, Meta(ge=0, description="the relative gain of the likelihood that ends EM; 0: never")
    ] = 1e-3
    max_iter: Annotated[int, Meta(ge=1, description="most iterations")] = 50

    def _parameters(self, random_state: int | None) -> dict[str, Any]:
        return msgspec.structs.asdict(self) | {"random_state": random_state}


class EMMCSettings(EMSettings, frozen=True, kw_only=True):
    """Settings of `emmc`."""

    estimator: ClassVar[str] = "EMMC"

    n_components: Components = 1

    def _parameters(self, random_state: int | None) -> dict[str, Any]:
        return msgspec.structs.asdict(self) | {"random_state": random_state}


class PathNBSettings(NaiveBayesSettings, frozen=True, kw_only=True):
    """Settings of `pcnb`."""

    estimator: ClassVar[str] = "PathNB"

    level_weights: Levels = None
    shrinkage: Shrinkage = 0.0

    def _parameters(self, random_state: int | None) -> dict[str, Any]:
        return msgspec.structs.asdict(self) | {"level_weights": level_weights(self.level_weights)}


class PathEMSettings(EMSettings, frozen=True, kw_only=True):
    """Settings of `pcem` and `pcem-plus`."""

    estimator: ClassVar[str] = "PathEM"

    level_weights: Levels = None
    shrinkage: Shrinkage = 0.0

    def _parameters(self, random_state: int | None) -> dict[str, Any]:
        return msgspec.structs.asdict(self) | {"level_weights": level_weights(self.level_weights)}


def level_weights(text: str | None) -> list[float] | None:
    """Read the weights of levels.

    >>> level_weights("1, 2.5")
    [1.0, 2.5]
    """
    if text is None:
        return None
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise ValueError(f"setting level_weights={text}: must be numbers with commas between them, as in 1,2") from None


WORDS = TextSettings(weighting="counts", norm=None, stemmer=None)
STEMS = TextSettings(weighting="counts", norm=None)
SCALED: dict[str, Any] = {"scaling": "log-idf", "prior": False}
LONGER: dict[str, Any] = {"tolerance": 0.0, "max_iter": 20, "growth": 5, "growth_min_df": 3}

GENERATIVE = (
    Method("nb", "Naive Bayes over the categories that documents have.", FlatNBSettings(), WORDS),
    Method("em", "nb that learns from unlabelled documents too, by EM.", FlatEMSettings(), WORDS),
    Method(
        "nbmc",
        "Naive Bayes with chances chained along the levels, several components a category.",
        NBMCSettings(),
        WORDS,
    ),
    Method("emmc", "nbmc that learns from unlabelled documents too, by EM.", EMMCSettings(), WORDS),
    Method("tdnb", "Naive Bayes among the children of each node, from the top down.", TopDownNBSettings(), WORDS),
    Method("tdem", "tdnb that learns from unlabelled documents too, by EM.", TopDownEMSettings(), WORDS),
    Method("wdnb", "Naive Bayes on each level; the path that wins on most levels.", WinDrivenNBSettings(), WORDS),
    Method("wdem", "wdnb that learns from unlabelled documents too, by EM.", WinDrivenEMSettings(), WORDS),
    Method(
        "pcnb",
        "Path cost-sensitive naive Bayes: documents count for all paths that share a node.",
        PathNBSettings(),
        WORDS,
    ),
    Method("pcem", "pcnb that learns from unlabelled documents too, by EM; for few labels.", PathEMSettings(), WORDS),
    Method("nb-plus", "nb on scaled documents.", FlatNBSettings(**SCALED), STEMS),
    Method(
        "em-plus", "em on scaled documents, with a vocabulary that grows.", FlatEMSettings(**SCALED, **LONGER), STEMS
    ),
    Method(
        "pcem-plus",
        "pcem on scaled documents, with a vocabulary that grows; the best for few labels.",
        PathEMSettings(**SCALED, **LONGER, shrinkage=0.3),
        STEMS,
    ),
)
