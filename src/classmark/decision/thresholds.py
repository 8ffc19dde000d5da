"""One threshold for all nodes: given, or tuned for F1 (consistent_global_2006, section 5.1)."""

from dataclasses import replace
from typing import Annotated, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.checks import choice, optional, real
from classmark.decision.base import Decision, LearnedDecision
from classmark.decision.consistency import BY_SIGN, CONSISTENCY, Consistency
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy

ROUNDING = 1e-12
"""Scores are equal that differ by no more than this share of the largest: by rounding errors, that is."""


def last_of_equals(ranked: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """Give the positions at which runs of equal scores end; the scores are in decreasing order.

    Sums of the same numbers in another order differ in their last digits. A threshold between such scores would part
    them by chance, and otherwise on another machine.

    >>> last_of_equals(np.array([3.0, 0.1 + 0.2, 0.3, 0.0]))
    array([0, 2, 3])
    """
    rounding = ROUNDING * np.abs(ranked[[0, -1]]).max()
    return np.flatnonzero(np.append(ranked[1:] < ranked[:-1] - rounding, True))


def best_f1(
    scores: npt.NDArray[np.float64], truth: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64] | None = None
) -> tuple[float, float]:
    """Give the threshold with the best F1 and that F1, where a score may count for several.

    >>> best_f1(np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, False, True, False]))
    (0.5, 0.8)
    """
    finite = np.isfinite(scores)
    counted = np.ones(scores.size) if weights is None else weights
    n_true = counted[truth].sum()
    order = np.argsort(-scores[finite], kind="stable")
    ranked = scores[finite][order]
    accepted = np.cumsum(counted[finite][order])
    hits = np.cumsum((counted * truth)[finite][order])
    if not ranked.size or not hits[-1]:
        raise InputError("no positive example with a score: a threshold cannot be tuned; give one")
    ends = last_of_equals(ranked)
    f1 = 2 * hits[ends] / (accepted[ends] + n_true)
    winner = int(np.argmax(f1))
    best = int(ends[winner])
    below = ranked[best + 1] if best + 1 < ranked.size else ranked[best] - 1.0
    # A large number less 1 is itself, and would then not be above the threshold.
    return float(min((ranked[best] + below) / 2, np.nextafter(ranked[best], -np.inf))), float(f1[winner])


def f1_threshold(scores: npt.NDArray[np.float64], truth: npt.NDArray[np.bool_]) -> float:
    """Give the threshold with the best F1, by the paper's rule.

    The scores in decreasing order, t_1, t_2, …, are tried one by one as thresholds; where t_k gives the best F1 the
    answer is (t_k + t_{k+1}) / 2. Scores that are equal but for rounding errors are accepted together, and the highest
    of equally good thresholds wins.

    >>> f1_threshold(np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, True, False, False]))
    1.5
    """
    return best_f1(scores, truth)[0]


class Threshold(Decision):
    """Accept every node that scores above a value.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> tree = Hierarchy.from_paths(["a/b", "c"])
    >>> Threshold().decide(np.array([[-1.0, -1.0, 2.0]]), tree, tree.leaves).toarray()
    array([[ True, False,  True]])
    """

    value: Annotated[float, real(), "The threshold."] = 0.0
    consistency: Consistency = "close"
    otherwise: Annotated[
        str | None,
        optional(choice(["nearest"])),
        "What a document gets that reaches no category: nothing, or the category that comes nearest to the threshold.",
    ] = None

    def stops_at(self, hierarchy: Hierarchy) -> float:
        """Give the threshold, where no answer depends on how far below it a score is.

        Nothing below a node that is not above the threshold is above it, so that in a tree no rule takes any of it. In
        a DAG something may be, by another way; what is then missed is how far below the threshold its ancestors are.
        Which of the nodes below the threshold comes nearest is not known of documents that were stopped.
        """
        known = hierarchy.is_tree or self.consistency in BY_SIGN
        return self.value if self.otherwise is None and known else -np.inf

    def decide(self, scores: npt.NDArray[np.float64], hierarchy: Hierarchy, ends: npt.NDArray[np.int32]) -> csr_array:
        """Give the nodes above the threshold, made consistent."""
        accepted = CONSISTENCY[self.consistency](scores - self.value, hierarchy)
        return accepted if self.otherwise is None else with_nearest(accepted, scores, hierarchy)


def with_nearest(accepted: csr_array, scores: npt.NDArray[np.float64], hierarchy: Hierarchy) -> csr_array:
    """Give each document without an answer the node with the highest score, the deepest of equals, and its ancestors.

    >>> from classmark import Hierarchy
    >>> none = csr_array((1, 3), dtype=bool)
    >>> with_nearest(none, np.array([[-2.0, -3.0, -1.0]]), Hierarchy.from_paths(["a/b", "c"])).toarray()
    array([[ True, False,  True]])
    """
    empty = np.flatnonzero(np.diff(accepted.indptr) == 0)
    nearest = scores.shape[1] - 1 - scores[empty, ::-1].argmax(axis=1)
    known = np.isfinite(scores[empty, nearest])
    rows, nodes = empty[known], nearest[known]
    added = csr_array((np.ones(rows.size, bool), (rows, nodes)), shape=accepted.shape)
    return hierarchy.close(csr_array(accepted + added))


class TunedThreshold(Threshold, LearnedDecision):
    """Accept every node above the threshold with the best micro-F1 over all nodes.

    The paper tunes on the training scores, `on="training"`; by default cross-validation gives the scores.
    """

    def fit(self, scores: npt.NDArray[np.float64], labels: csr_array, hierarchy: Hierarchy) -> Self:
        """Learn the threshold from scores and label sets."""
        truth = hierarchy.close(labels).toarray()
        return replace(self, value=f1_threshold(scores.ravel(), truth.ravel()))
