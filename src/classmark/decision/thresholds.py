"""Thresholds: one for all nodes, given or tuned for F1 (consistent_global_2006, section 5.1), or one for each node.

S-cut and P-cut fit a threshold for each node, from the deepest nodes upward. S-cut is SCutFBR.1 of Yang, "A study of
thresholding strategies for text categorization" (2001).
"""

from collections.abc import Callable
from dataclasses import field, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.checks import BOOLEAN, Constraint, choice, optional, real
from classmark.decision.base import Decision, LearnedDecision
from classmark.decision.consistency import BY_SIGN, CONSISTENCY, Consistency
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.metrics.flat import Counts

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
    f1 = Counts(hits[ends], accepted[ends], n_true).f()
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


def _is_numbers(value: Any) -> bool:
    if not isinstance(value, tuple | list):
        return False
    numbers = np.asarray(value) if all(isinstance(one, int | float) for one in value) else np.array(["text"])
    return numbers.dtype.kind in "if" and bool(np.isfinite(numbers).all())


THRESHOLDS = Constraint(_is_numbers, "a finite number for each node, or none at all: fit learns them", None)


class NodeThresholds(LearnedDecision):
    """Accept a node that scores above its own threshold; a subclass learns the thresholds."""

    learned: ClassVar[tuple[str, ...]] = ("thresholds",)

    consistency: Consistency = "close"
    thresholds: Annotated[tuple[float, ...], THRESHOLDS, "One for each node."] = field(
        default=(), repr=False, kw_only=True
    )

    def decide(self, scores: npt.NDArray[np.float64], hierarchy: Hierarchy, ends: npt.NDArray[np.int32]) -> csr_array:
        """Give the nodes above their thresholds, made consistent."""
        return CONSISTENCY[self.consistency](scores - np.array(self.thresholds), hierarchy)

    def check(self, hierarchy: Hierarchy) -> None:
        """Refuse thresholds that are not one for each node."""
        if len(self.thresholds) != len(hierarchy):
            raise InputError(f"the decision has {len(self.thresholds)} threshold(s) for {len(hierarchy)} categories")


def bottom_up(
    scores: npt.NDArray[np.float64],
    hierarchy: Hierarchy,
    closing: bool,
    threshold_of: Callable[[int, npt.NDArray[np.float64]], float],
) -> tuple[float, ...]:
    """Find every node's threshold, the deepest nodes first.

    Where accepted nodes bring their ancestors, a document that a child brings is in whatever its score and whatever the
    threshold. It is shown to `threshold_of` above all others, so that a node's threshold answers only for the documents
    that nothing below it brings; a node whose own score says nothing of what lies below it, as a flat learner's may,
    then asks for none.
    """
    accepted = np.zeros(scores.shape, dtype=bool)
    thresholds = np.zeros(scores.shape[1])
    for node in reversed(range(scores.shape[1])):
        column = scores[:, node]
        brought = closing & accepted[:, hierarchy.child_positions(node)].any(axis=1)
        if brought.any():
            column = np.where(brought, np.max(column, initial=0.0, where=np.isfinite(column)) + 1.0, column)
        thresholds[node] = threshold_of(node, column)
        accepted[:, node] = brought | (column > thresholds[node])
    return tuple(thresholds.tolist())


def score_at_rank(scores: npt.NDArray[np.float64], count: int) -> float:
    """Give a threshold that so many scores lie above: halfway to the next, where there is one.

    Of scores at that rank that are equal but for rounding errors none lies above.

    >>> score_at_rank(np.array([1.0, 4.0, 2.0]), 2)
    1.5
    """
    ranked = np.sort(scores[np.isfinite(scores)])[::-1]
    if not ranked.size:
        return 0.0
    if count <= 0:
        return float(ranked[0])
    if count >= ranked.size:
        return float(np.nextafter(ranked[-1], -np.inf))
    ends = last_of_equals(ranked)
    run = int(np.searchsorted(ends, count - 1))
    if ends[run] == count - 1:
        return float((ranked[count - 1] + ranked[count]) / 2)
    return float(ranked[ends[run - 1] + 1 if run else 0])


class PCut(NodeThresholds):
    """Accept as large a share of documents into each node as it has among the training documents.

    Yang's P-cut ranks the documents of a batch; here the score at that rank among held-out documents is the
    threshold, so that an answer does not depend on what else is asked.
    """

    factor: Annotated[float, real(gt=0), "How many times its training share a node may take."] = 1.0

    def fit(self, scores: npt.NDArray[np.float64], labels: csr_array, hierarchy: Hierarchy) -> Self:
        """Learn for every node the score that lets its share of the documents in."""
        wanted = np.rint(self.factor * np.asarray(hierarchy.close(labels).sum(axis=0))).astype(int)
        found = bottom_up(
            scores, hierarchy, self.consistency == "close", lambda node, column: score_at_rank(column, wanted[node])
        )
        return replace(self, thresholds=found)


class SCut(NodeThresholds):
    """Accept a node that scores above its own threshold, the one with the best held-out F1.

    A rare category's best threshold is often an accident. Where its F1 stays under `fbr`, or where held-out scores
    say nothing of a category, it falls back to something steadier.
    """

    fbr: Annotated[float, real(), "The least held-out F1 that a category's own threshold must have."] = 0.3
    fallback: Annotated[
        str,
        choice(["share", "highest", "global"]),
        "What a category without such a threshold gets: that of P-cut, the highest held-out score, which lets hardly "
        "anything in (SCutFBR.1), or the threshold that is best for all nodes together.",
    ] = "share"
    steady: Annotated[
        bool,
        BOOLEAN,
        "Whether to go halfway from the threshold with the best F1 to that of P-cut. The first follows every accident "
        "of a few positive documents, the second none; between them lies, on `reuters90`, the best of both.",
    ] = True

    def fit(self, scores: npt.NDArray[np.float64], labels: csr_array, hierarchy: Hierarchy) -> Self:
        """Learn a threshold for every node."""
        truth = hierarchy.close(labels).toarray()
        # Where no label has a held-out score, as with one document a category, 0 is all that is left.
        known = truth[np.isfinite(scores)].any()
        common = best_f1(scores.ravel(), truth.ravel())[0] if known else 0.0
        found = bottom_up(
            scores,
            hierarchy,
            self.consistency == "close",
            lambda node, column: self._threshold(column, truth[:, node], common),
        )
        return replace(self, thresholds=found)

    def _threshold(self, scores: Any, truth: Any, common: float) -> float:
        """Give the threshold with the best F1, perhaps steadied, where that F1 is good enough."""
        known = bool(truth[np.isfinite(scores)].any())
        threshold, f1 = best_f1(scores, truth) if known else (common, -np.inf)
        if not known or f1 < self.fbr:
            if self.fallback == "global" or not np.isfinite(scores).any():
                return common
            return score_at_rank(scores, int(truth.sum()) if self.fallback == "share" else 0)
        return (threshold + score_at_rank(scores, int(truth.sum()))) / 2 if self.steady else threshold
