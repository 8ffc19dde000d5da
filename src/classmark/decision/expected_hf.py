"""The node with the best expected hF, instead of the most likely one."""

from dataclasses import replace
from typing import Annotated, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.checks import optional, real
from classmark.decision.base import LearnedDecision
from classmark.decision.confidence import Temperature, fit_temperature, node_chances
from classmark.hierarchy import Hierarchy

COSTS = np.linspace(0.1, 1.9, 37)
COST = 1.0
"""λ where nothing was learned: at it a node is worth what it costs when it is as likely as not."""


class ExpectedHF(LearnedDecision):
    """Take the path whose nodes are worth most: each wins twice its chance and costs λ.

    With hF = 2 |shared| / (|predicted| + |true|), a node on the path adds 2 · p to the numerator in expectation and 1
    to the denominator; λ, the price of the denominator, is the hF that can be had, and is tuned on held-out scores.
    An inner node may win, so that a document goes only as deep as the scores warrant.

    A classifier that gives chances by itself, and is not asked for another λ, has nothing to learn: λ is 1 then, so
    that a node on the path wins where it is more likely than not.
    """

    one_label: ClassVar[bool] = True
    ranks_ends: ClassVar[bool] = True
    weighs_chances: ClassVar[bool] = True
    learned: ClassVar[tuple[str, ...]] = ("temperature",)

    cost: Annotated[float | None, optional(real()), "λ; tuned where it is not given."] = None
    temperature: Temperature = 1.0

    def fit(self, scores: npt.NDArray[np.float64], labels: csr_array, hierarchy: Hierarchy) -> Self:
        """Learn the temperature of the chances, and the cost where it is not given."""
        own = hierarchy.own(hierarchy.close(labels))
        ends = np.unique(own.indices).astype(np.int32)
        fitted = replace(self, temperature=fit_temperature(scores, own, ends))
        if self.cost is not None:
            return fitted
        truth = hierarchy.close(own)
        tried = [replace(fitted, cost=float(cost)) for cost in COSTS]
        return max(tried, key=lambda one: _hf(truth, one.decide(scores, hierarchy, ends)))

    def decide(self, scores: npt.NDArray[np.float64], hierarchy: Hierarchy, ends: npt.NDArray[np.int32]) -> csr_array:
        """Give the path that is worth most by the chances that scores say."""
        return self.decide_by(node_chances(scores, hierarchy, ends, self.temperature), hierarchy, ends)

    def decide_by(
        self, chances: npt.NDArray[np.float64], hierarchy: Hierarchy, ends: npt.NDArray[np.int32]
    ) -> csr_array:
        """Give the path that is worth most."""
        worth = (hierarchy.ancestors @ (2 * chances - (COST if self.cost is None else self.cost)).T).T
        # Nodes that no end lies below have no chance, whatever their ancestors are worth.
        reachable = np.unique(hierarchy.ancestors[ends].indices)
        chosen = reachable[np.argmax(worth[:, reachable], axis=1)]
        own = csr_array((np.ones(len(chances), bool), chosen, np.arange(len(chances) + 1)), shape=chances.shape)
        return hierarchy.close(own)


def _hf(truth: csr_array, predicted: csr_array) -> float:
    """Give micro hF of closed sets; decisions lie beside the measures, not above them."""
    return float(2.0 * truth.multiply(predicted).sum() / max(1, truth.sum() + predicted.sum()))
