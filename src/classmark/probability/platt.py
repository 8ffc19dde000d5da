"""Platt's logistic curves."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit, logit

from classmark.arrays import Floats
from classmark.hierarchy import Hierarchy
from classmark.persistence import State, checked_array
from classmark.probability.order import monotone
from classmark.probability.pairs import Ends, Truth, known_pairs, targets

NEWTON_STEPS = 100
TOLERANCE = 1e-10


# eq=False: numpy compares arrays element by element, so a generated == could only raise.
@dataclass(frozen=True, eq=False)
class Platt:
    """A logistic curve for each node, or one for all.

    Examples
    --------
    >>> one = Hierarchy.flat(["a"])
    >>> scores, own = np.array([[2.0], [1.0], [-1.0], [-2.0]]), csr_array([[True], [True], [False], [False]])
    >>> curves = Platt.fit(scores, own, one, one.leaves)
    >>> curves.probabilities(np.array([[0.0], [1.5]]), one, one.leaves).round(2)
    array([[0.5 ],
           [0.73]])
    """

    ranks_ends: ClassVar[bool] = False

    slopes: Floats
    intercepts: Floats

    @classmethod
    def fit(cls, scores: Floats, own: csr_array, hierarchy: Hierarchy, ends: Ends, pooled: bool = False) -> Self:
        """Learn from the scores and the own labels of held-out documents."""
        found = [fit_logistic(*pair) for pair in known_pairs(scores, hierarchy.close(own), pooled)]
        slopes, intercepts = np.array(found).reshape(-1, 2).T
        return cls(slopes.copy(), intercepts.copy())

    def probabilities(self, scores: Floats, hierarchy: Hierarchy, ends: Ends) -> Floats:
        """Give every node's probability, no node's above its parents'."""
        known = np.isfinite(scores)
        chances = expit(np.where(known, scores, 0.0) * self.slopes + self.intercepts)
        return monotone(np.where(known, chances, 0.0), hierarchy)

    def to_state(self) -> State:
        """Give the curves as arrays."""
        return {"slopes": self.slopes, "intercepts": self.intercepts}

    @classmethod
    def from_state(cls, state: State, size: int) -> Self:
        """Take up the curves of so many nodes, refusing what cannot be."""
        return cls(*(checked_array(state, key, np.float64, (size,)) for key in ("slopes", "intercepts")))


def fit_logistic(scores: Floats, truth: Truth) -> tuple[float, float]:
    """Give slope and intercept of the logistic curve with the best likelihood; the slope is never negative.

    Where only one kind of document is known the curve is flat, and at one half where none is.
    """
    if not scores.size:
        return 0.0, 0.0
    wanted = targets(truth)
    level, spread = float(logit(wanted.mean())), float(scores.std())
    if truth.all() == truth.any() or spread == 0.0:
        return 0.0, level
    # In units of the spread the two parameters are of one size, and Newton's steps safe.
    centre = float(scores.mean())
    slope, intercept = _newton((scores - centre) / spread, wanted, level)
    if slope <= 0:
        return 0.0, level
    return slope / spread, intercept - slope * centre / spread


def _newton(scores: Floats, wanted: Floats, level: float) -> tuple[float, float]:
    """Minimise Σ log(1 + exp(z)) − t z over z = a s + b, a step back being taken in half until it helps."""
    place = np.array([0.0, level])
    loss = _loss(place, scores, wanted)
    for _ in range(NEWTON_STEPS):
        chances = expit(place[0] * scores + place[1])
        short = chances - wanted
        gradient = np.array([short @ scores, short.sum()])
        bend = chances * (1 - chances)
        cross = bend @ scores
        # A little on the diagonal, for scores that tell the documents apart so well that nothing bends.
        hessian = np.array([[bend @ scores**2 + 1e-12, cross], [cross, bend.sum() + 1e-12]])
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while (new := _loss(place - size * step, scores, wanted)) > loss and size > TOLERANCE:
            size /= 2
        if loss - new <= TOLERANCE * (1 + abs(loss)):
            break
        place, loss = place - size * step, new
    return float(place[0]), float(place[1])


def _loss(place: Floats, scores: Floats, wanted: Floats) -> float:
    line = place[0] * scores + place[1]
    return float((np.logaddexp(0.0, line) - wanted * line).sum())
