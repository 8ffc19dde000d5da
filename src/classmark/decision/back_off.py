"""Back off to the parent, or answer nothing, where the confidence is too low."""

from dataclasses import replace
from typing import Annotated, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.checks import choice, real
from classmark.decision.base import LearnedDecision
from classmark.decision.best_path import best_end
from classmark.decision.confidence import Temperature, fit_temperature, node_chances
from classmark.hierarchy import Hierarchy


class BackOff(LearnedDecision):
    """Take the best path as far down as its nodes reach a confidence."""

    learned: ClassVar[tuple[str, ...]] = ("temperature",)
    ranks_ends: ClassVar[bool] = True

    confidence: Annotated[float, real(ge=0, le=1), "The least chance that a node of the answer may have."] = 0.5
    to: Annotated[
        str,
        choice(["parent", "nothing"]),
        "Whether a path that is not sure at its end is cut, or the document gets no answer at all.",
    ] = "parent"
    temperature: Temperature = 1.0

    def fit(self, scores: npt.NDArray[np.float64], labels: csr_array, hierarchy: Hierarchy) -> Self:
        """Learn the temperature of the chances."""
        own = hierarchy.own(hierarchy.close(labels))
        ends = np.unique(own.indices).astype(np.int32)
        return replace(self, temperature=fit_temperature(scores, own, ends))

    def decide(self, scores: npt.NDArray[np.float64], hierarchy: Hierarchy, ends: npt.NDArray[np.int32]) -> csr_array:
        """Give the best path down to the last node that is sure enough."""
        chances = node_chances(scores, hierarchy, ends, self.temperature)
        chosen = best_end(scores, ends)
        path = hierarchy.ancestors[chosen]
        rows = np.repeat(np.arange(len(scores)), np.diff(path.indptr))
        sure = chances[rows, path.indices] >= self.confidence
        if self.to == "nothing":
            sure = (chances[np.arange(len(scores)), chosen] >= self.confidence)[rows]
        kept = csr_array((sure, path.indices.copy(), path.indptr.copy()), shape=scores.shape)
        kept.eliminate_zeros()
        return hierarchy.close(kept)
