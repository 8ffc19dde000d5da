"""A threshold for each node, learned from the deepest nodes upward: what S-cut and P-cut have in common."""

from collections.abc import Callable
from dataclasses import field
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.checks import Constraint
from classmark.decision.base import LearnedDecision
from classmark.decision.consistency import CONSISTENCY, Consistency
from classmark.decision.thresholds import last_of_equals
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy


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
