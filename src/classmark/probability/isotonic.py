"""Isotonic curves."""

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.isotonic import IsotonicRegression

from classmark.arrays import Floats
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.persistence import State, checked_array
from classmark.probability.order import monotone
from classmark.probability.pairs import Ends, Truth, known_pairs, targets


# eq=False: numpy compares arrays element by element, so a generated == could only raise.
@dataclass(frozen=True, eq=False)
class Isotonic:
    """A rising curve of straight pieces for each node, or one for all: the corners of curve i from `starts[i]` on.

    Examples
    --------
    >>> one = Hierarchy.flat(["a"])
    >>> scores, own = np.array([[2.0], [1.0], [-1.0], [-2.0]]), csr_array([[True], [False], [True], [False]])
    >>> curves = Isotonic.fit(scores, own, one, one.leaves)
    >>> curves.probabilities(np.array([[0.0], [9.0]]), one, one.leaves)  # (3/4 + 1/4) / 2 in the middle, 3/4 above
    array([[0.5 ],
           [0.75]])
    """

    ranks_ends: ClassVar[bool] = False

    starts: npt.NDArray[np.int64]
    scores: Floats
    chances: Floats

    @classmethod
    def fit(cls, scores: Floats, own: csr_array, hierarchy: Hierarchy, ends: Ends, pooled: bool = False) -> Self:
        """Learn from the scores and the own labels of held-out documents."""
        found = [fit_isotonic(*pair) for pair in known_pairs(scores, hierarchy.close(own), pooled)]
        starts = np.cumsum([0, *(corners.size for corners, _ in found)]).astype(np.int64)
        corners, chances = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return cls(starts, corners, chances)

    def probabilities(self, scores: Floats, hierarchy: Hierarchy, ends: Ends) -> Floats:
        """Give every node's probability, no node's above its parents'."""
        known = np.isfinite(scores)
        chances = np.empty(scores.shape)
        if self.starts.size == 2:
            chances = np.interp(scores, self.scores, self.chances)
        else:
            for node, (start, stop) in enumerate(pairwise(self.starts)):
                chances[:, node] = np.interp(scores[:, node], self.scores[start:stop], self.chances[start:stop])
        return monotone(np.where(known, chances, 0.0), hierarchy)

    def to_state(self) -> State:
        """Give the curves as arrays."""
        return {"starts": self.starts, "scores": self.scores, "chances": self.chances}

    @classmethod
    def from_state(cls, state: State, size: int) -> Self:
        """Take up the curves of so many nodes, refusing what cannot be."""
        starts = checked_array(state, "starts", np.int64, (size + 1,))
        if starts[0] != 0 or (np.diff(starts) < 1).any():
            raise InputError("the model's curves of probabilities are not one for each category")
        scores, chances = (checked_array(state, key, np.float64, (int(starts[-1]),)) for key in ("scores", "chances"))
        if not ((chances >= 0) & (chances <= 1)).all():
            raise InputError("the model's curves of probabilities leave the range from 0 to 1")
        return cls(starts, scores, chances)


def fit_isotonic(scores: Floats, truth: Truth) -> tuple[Floats, Floats]:
    """Give the corners of the rising curve with the least squares, at least one."""
    if not scores.size:
        return np.zeros(1), np.full(1, 0.5)
    curve = IsotonicRegression(out_of_bounds="clip").fit(scores, targets(truth))
    return curve.X_thresholds_.astype(np.float64), curve.y_thresholds_.astype(np.float64)
