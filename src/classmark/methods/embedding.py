"""The method among vectors, for short texts and for categories known by their names alone."""

from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
from msgspec import Meta

from classmark.methods.settings import LearnerSettings, Method

if TYPE_CHECKING:
    from classmark.base import HierarchicalClassifier


class EmbeddingEMSettings(LearnerSettings, frozen=True, kw_only=True):
    """Settings of `embedding-em`."""

    starts_at_names: ClassVar[bool] = True

    concentration: Annotated[float, Meta(gt=0, le=300, description="how sure a difference of cosines makes")] = 30.0
    labelled_weight: Annotated[
        float, Meta(gt=0, description="how many unlabelled documents a labelled one counts as")
    ] = 1.0
    tolerance: Annotated[float, Meta(ge=0, le=2, description="EM ends when no centre moves further")] = 1e-4
    max_iter: Annotated[int, Meta(ge=1, description="most iterations")] = 50

    def build(self, random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
        """Give the classifier."""
        from classmark.weak import EmbeddingEM

        return EmbeddingEM(**msgspec.structs.asdict(self))


EMBEDDING = (
    Method(
        "embedding-em",
        "A centre for each category, moved by EM among the vectors of all documents; for short texts.",
        EmbeddingEMSettings(),
    ),
)
