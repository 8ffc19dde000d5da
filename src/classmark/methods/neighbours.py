"""The neighbour methods: the two of lshtc_knn_2014, and one that knows the hierarchy.

All count the words as they stand: on short texts stems make more documents near, and not the right ones.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from classmark.methods.settings import LearnerSettings, Method
from classmark.text import TextSettings

if TYPE_CHECKING:
    from classmark.base import HierarchicalClassifier

Terms = Annotated[
    Annotated[int, Meta(ge=1)] | None,
    Meta(description="look only at documents with one of so many of the heaviest terms; none: at all"),
]
Thresholds = Annotated[str, Meta(description="the share of the best score a label needs, by rank, as in 1/0.6/0.4")]


class NeighbourSettings(LearnerSettings, frozen=True, kw_only=True):
    """Settings of all neighbour methods."""

    estimator: ClassVar[str]

    def build(self, random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
        """Give the classifier, imported here because numba takes its time."""
        kind: type[HierarchicalClassifier] = getattr(import_module("classmark.neighbours"), self.estimator)
        return kind(**self._parameters(), n_jobs=n_jobs)

    def _parameters(self) -> dict[str, Any]:
        return msgspec.structs.asdict(self)


class OverlapSettings(NeighbourSettings, frozen=True, kw_only=True):
    """Settings of `knn-overlap`."""

    estimator: ClassVar[str] = "OverlapKNN"

    k: Annotated[int, Meta(ge=1, description="how many neighbours vote")] = 5
    terms: Terms = 3
    n_labels: Annotated[int, Meta(ge=1, le=1000, description="the most labels of a document")] = 3


class BM25Settings(NeighbourSettings, frozen=True, kw_only=True):
    """Settings of `knn-bm25` and `knn-bm25-paper`.

    BM25's k1 and b have longer names here: the text's own are those of the weighting.
    """

    estimator: ClassVar[str] = "BM25KNN"

    k: Annotated[int, Meta(ge=1, description="how many neighbours vote")] = 30
    alpha: Annotated[float, Meta(ge=0, description="a neighbour votes by its similarity to this power")] = 2.5
    bm25_k1: Annotated[float, Meta(ge=0, description="how late a count saturates")] = 1.2
    bm25_b: Annotated[float, Meta(ge=0, le=1, description="how much a document's length counts")] = 0.75
    scoring: Annotated[
        Literal["okapi", "printed"], Meta(description="BM25 by Okapi, or as printed, where counts never saturate")
    ] = "okapi"
    idf: Annotated[
        Literal["lucene", "robertson"],
        Meta(description="the weight of a term: always above 0, or 0 for one in half of the documents or more"),
    ] = "lucene"
    terms: Terms = None
    thresholds: Thresholds = "1/0.7/0.7"

    def _parameters(self) -> dict[str, Any]:
        given = msgspec.structs.asdict(self)
        return given | {
            "k1": given.pop("bm25_k1"),
            "b": given.pop("bm25_b"),
            "thresholds": thresholds_of(given.pop("thresholds")),
        }


class HierarchicalSettings(BM25Settings, frozen=True, kw_only=True):
    """Settings of `knn-bm25-hier`."""

    estimator: ClassVar[str] = "HierarchicalKNN"

    thresholds: Thresholds = "1/0.9/0.9"
    decay: Annotated[float, Meta(ge=0, le=1, description="what is left of a vote one level further up")] = 0.7
    ancestors: Annotated[float, Meta(ge=0, description="how much votes for the parents count")] = 0.5
    centroid: Annotated[float, Meta(ge=0, description="how much the cosine with the centroid counts")] = 1.0
    borrow: Annotated[float, Meta(ge=0, description="how many documents the parents count for in a centroid")] = 1.0
    bayes: Annotated[float, Meta(ge=0, description="how much naive Bayes among the candidates counts")] = 0.0
    descent: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="how sharply the way from the top keeps to the best category; none: no way from the top"),
    ] = 5.0


def thresholds_of(text: str) -> tuple[float, ...]:
    """Read thresholds by rank.

    >>> thresholds_of("1/0.6")
    (1.0, 0.6)
    """
    try:
        return tuple(float(number) for number in text.split("/"))
    except ValueError:
        raise ValueError(f"setting thresholds={text}: must be numbers with / between them, as in 1/0.6/0.4") from None


WORDS = TextSettings(weighting="counts", norm=None, stemmer=None)
PAPER: dict[str, Any] = {
    "k": 50,
    "alpha": 0.75,
    "bm25_k1": 6.0,
    "bm25_b": 0.75,
    "scoring": "printed",
    "idf": "robertson",
    "terms": 3,
    "thresholds": "1/0.6/0.4",
}
"""As in `classmark.neighbours.bm25.PRESETS`, which is not imported before it is needed."""

NEIGHBOURS = (
    Method(
        "knn-overlap", "The commonest categories of the 5 nearest documents by common terms.", OverlapSettings(), WORDS
    ),
    Method("knn-bm25", "The nearest documents by BM25 vote, each as loud as it is near.", BM25Settings(), WORDS),
    Method("knn-bm25-paper", "knn-bm25 with the paper's values.", BM25Settings(**PAPER), WORDS),
    Method(
        "knn-bm25-hier",
        "knn-bm25 with votes for ancestors, centroids that borrow from their parents, and a way from the top.",
        HierarchicalSettings(),
        WORDS,
    ),
)
