"""Decisions that assign each document one path: the best, the best as far as it is probable, or the best expected hF.

The probability of a target is the softmax of the scores of all targets, divided by a temperature that is fitted on
held-out scores; the probability of a node is the sum over the targets at or below it. So probabilities are monotone
along the hierarchy, and those of the top level sum to 1: every document is assumed to have a category.
"""

from dataclasses import replace
from typing import Annotated, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_array
from scipy.special import log_softmax, softmax

from classmark.arrays import Floats
from classmark.checks import choice, optional, real
from classmark.decision.base import Decision, LearnedDecision
from classmark.hierarchy import Hierarchy
from classmark.metrics.flat import micro_f1

Temperature: TypeAlias = Annotated[float, real(gt=0), "What the scores of ends are divided by."]


def node_chances(scores: Floats, hierarchy: Hierarchy, ends: npt.NDArray[np.int32], temperature: float = 1.0) -> Floats:
    """Give each node's chance, for every document: `(n_documents, n_nodes)`.

    >>> from classmark import Hierarchy
    >>> tree = Hierarchy.from_paths(["a/b", "a/c", "d"])
    >>> node_chances(np.log([[9.0, 2.0, 1.0, 1.0]]), tree, np.array([1, 2, 3])).round(2)
    array([[0.5 , 0.5 , 0.25, 0.25]])
    """
    given = scores[:, ends]
    # Where nothing is known of any end, each is as likely as the others.
    given[~np.isfinite(given).any(axis=1)] = 0.0
    chances = softmax(given / temperature, axis=1)
    return np.asarray((hierarchy.ancestors[ends].T @ chances.T).T)


def fit_temperature(scores: Floats, labels: csr_array, ends: npt.NDArray[np.int32]) -> float:
    """Give the temperature under which the own labels of documents are most likely.

    A document with several labels counts each by its share; scores of minus infinity at a label say nothing.
    """
    rows, columns = labels[:, ends].nonzero()
    known = np.isfinite(scores[rows, ends[columns]])
    documents, places = np.unique(rows[known], return_inverse=True)
    if not documents.size:
        return 1.0
    given = scores[np.ix_(documents, ends)]
    weights = 1.0 / np.bincount(places)[places]

    def loss(log_temperature: float) -> float:
        chances = log_softmax(given / np.exp(log_temperature), axis=1)
        return float(-(weights * chances[places, columns[known]]).sum())

    return float(np.exp(minimize_scalar(loss, bounds=(-7.0, 7.0), method="bounded").x))


def best_end(scores: npt.NDArray[np.float64], ends: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Give for each document the end with the highest score, the first of equals.

    >>> best_end(np.array([[9.0, 1.0, 2.0]]), np.array([1, 2], dtype=np.int32))
    array([2], dtype=int32)
    """
    return np.asarray(ends[np.argmax(scores[:, ends], axis=1)], dtype=np.int32)


class BestPath(Decision):
    """Take the path that ends in the node with the highest score among the ends.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> tree = Hierarchy.from_paths(["a/b", "c"])
    >>> BestPath().decide(np.array([[0.0, -2.0, -1.0]]), tree, np.array([1, 2], dtype=np.int32)).toarray()
    array([[ True, False,  True]])
    """

    one_label: ClassVar[bool] = True
    takes_best_end: ClassVar[bool] = True
    ranks_ends: ClassVar[bool] = True

    @property
    def ranks(self) -> int:
        """The best one."""
        return 1

    def decide(self, scores: npt.NDArray[np.float64], hierarchy: Hierarchy, ends: npt.NDArray[np.int32]) -> csr_array:
        """Give the best end of each document and its ancestors."""
        documents = len(scores)
        chosen = best_end(scores, ends)
        own = csr_array((np.ones(documents, bool), chosen, np.arange(documents + 1)), shape=scores.shape)
        return hierarchy.close(own)


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
        return max(tried, key=lambda one: micro_f1(truth, one.decide(scores, hierarchy, ends)))

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
