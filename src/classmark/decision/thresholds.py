"""One threshold for all nodes: given, or tuned for F1 (consistent_global_2006, section 5.1)."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.checks import Allowed, number
from classmark.decision.base import Decision, LearnedDecision
from classmark.decision.consistency import CONSISTENCIES, CONSISTENCY
from classmark.hierarchy import Hierarchy


def best_f1(scores: npt.NDArray[np.float64], truth: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """Give the threshold with the best F1 and that F1.

    >>> best_f1(np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, False, True, False]))
    (0.5, 0.8)
    """
    finite = np.isfinite(scores)
    n_true = truth.sum()
    order = np.argsort(-scores[finite], kind="stable")
    ranked = scores[finite][order]
    hits = np.cumsum(truth[finite][order])
    if not ranked.size or not hits[-1]:
        raise ValueError("no positive example with a score: a threshold cannot be tuned; give one")
    last_of_equals = np.flatnonzero(np.append(ranked[1:] < ranked[:-1], True))
    f1 = 2 * hits[last_of_equals] / (last_of_equals + 1 + n_true)
    winner = int(np.argmax(f1))
    best = int(last_of_equals[winner])
    below = ranked[best + 1] if best + 1 < ranked.size else ranked[best] - 1.0
    # Between neighbouring numbers the middle may round up to t_k, which would then not be above the threshold.
    return float(min((ranked[best] + below) / 2, np.nextafter(ranked[best], -np.inf))), float(f1[winner])


def f1_threshold(scores: npt.NDArray[np.float64], truth: npt.NDArray[np.bool_]) -> float:
    """Give the threshold with the best F1, by the paper's rule.

    The scores in decreasing order, t_1, t_2, …, are tried one by one as thresholds; where t_k gives the best F1 the
    answer is (t_k + t_{k+1}) / 2. Equal scores are accepted together, and the highest of equally good thresholds wins.

    >>> f1_threshold(np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, True, False, False]))
    1.5
    """
    return best_f1(scores, truth)[0]


@dataclass(frozen=True)
class Threshold(Decision):
    """Accept every node that scores above a value.

    Parameters
    ----------
    value : float
        The threshold.
    consistency : "close", "filter", "average", "minimum", "product" or "likelihood"
        How accepted nodes are made consistent: an accepted node brings its ancestors (close), needs them all (filter,
        or minimum), stands by the average confidence of all of them, by the product of their chances, or in the most
        likely consistent set.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> tree = Hierarchy.from_paths(["a/b", "c"])
    >>> Threshold().decide(np.array([[-1.0, -1.0, 2.0]]), tree, tree.leaves).toarray()
    array([[ True, False,  True]])
    """

    allowed: ClassVar[Allowed] = {"value": number(), "consistency": CONSISTENCIES}

    value: float = 0.0
    consistency: str = "close"

    def decide(self, scores: npt.NDArray[np.float64], hierarchy: Hierarchy, ends: npt.NDArray[np.int32]) -> csr_array:
        """Give the nodes above the threshold, made consistent."""
        return CONSISTENCY[self.consistency](scores - self.value, hierarchy)


@dataclass(frozen=True)
class TunedThreshold(Threshold, LearnedDecision):
    """Accept every node above the threshold with the best micro-F1 over all nodes.

    The paper tunes on the training scores, `on="training"`; by default cross-validation gives the scores.
    """

    allowed: ClassVar[Allowed] = {**Threshold.allowed, **LearnedDecision.allowed}

    def fit(self, scores: npt.NDArray[np.float64], labels: csr_array, hierarchy: Hierarchy) -> Self:
        """Learn the threshold from scores and label sets."""
        truth = hierarchy.close(labels).toarray()
        return replace(self, value=f1_threshold(scores.ravel(), truth.ravel()))
