"""Calibrators: isotonic curves, Platt's logistic curves, and a softmax over targets, by name."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Protocol, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression

from classmark.arrays import Floats
from classmark.decision.best_path import fit_temperature, node_chances
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.persistence import State, checked_array

Truth: TypeAlias = npt.NDArray[np.bool_]

Ends: TypeAlias = npt.NDArray[np.int32]


def known_pairs(scores: Floats, truth: csr_array, pooled: bool) -> Iterator[tuple[Floats, Truth]]:
    """Give for each node, or for all of them together, the scores that say something and whether each is true."""
    if pooled:
        scores, truth = scores.reshape(-1, 1), truth.reshape((-1, 1))
    columns = truth.tocsc()
    for node in range(scores.shape[1]):
        right = np.zeros(scores.shape[0], dtype=bool)
        right[columns.indices[columns.indptr[node] : columns.indptr[node + 1]]] = True
        known = np.isfinite(scores[:, node])
        yield scores[known, node], right[known]


def targets(truth: Truth) -> Floats:
    """Give Platt's targets: a little less than 1 and a little more than 0, the fewer documents the more.

    >>> targets(np.array([True, False, False]))
    array([0.66666667, 0.25      , 0.25      ])
    """
    positives = int(truth.sum())
    return np.where(truth, (positives + 1) / (positives + 2), 1 / (truth.size - positives + 2))


def monotone(chances: Floats, hierarchy: Hierarchy) -> Floats:
    """Give the mean of lowering every node to its parents and of raising every node to its children.

    >>> monotone(np.array([[0.5, 0.7, 0.2]]), Hierarchy.from_paths(["a/x", "a/y"]))
    array([[0.6, 0.6, 0.2]])
    """
    # A row a node, so that each step goes over one stretch of memory.
    lowered, raised = (np.array(chances.T, order="C") for _ in range(2))
    for node in range(len(hierarchy)):
        for parent in hierarchy.parent_positions(node):
            np.minimum(lowered[node], lowered[parent], out=lowered[node])
    for node in reversed(range(len(hierarchy))):
        for parent in hierarchy.parent_positions(node):
            np.maximum(raised[parent], raised[node], out=raised[parent])
    return np.ascontiguousarray(((lowered + raised) / 2).T)


def own_chances(chances: Floats, ends: Ends, hierarchy: Hierarchy) -> Floats:
    """Give the chances of ends as own labels, 0 for all other nodes.

    The chance of a node says that a document belongs to it or below it: what the ends below it have is taken off.

    >>> tree = Hierarchy.from_paths(["a/x", "a/y", "b"])
    >>> own_chances(np.array([[0.7, 0.3, 0.4, 0.2]]), np.arange(4, dtype=np.int32), tree).round(2)
    array([[0.1, 0.3, 0.4, 0.2]])
    """
    result = np.zeros_like(chances)
    below = csr_array(hierarchy.ancestors[ends].T.tocsr())
    for end in ends[::-1]:
        # Parents come before children, so that what lies below is known already.
        inside = ends[below.indices[below.indptr[end] : below.indptr[end + 1]]]
        result[:, end] = np.maximum(chances[:, end] - result[:, inside].sum(axis=1), 0.0)
    return result


def as_rows(chances: Floats, scores: Floats) -> Floats:
    """Let the probabilities of each document sum to 1, the highest of them where the score is highest.

    Probabilities that are equal, as a step curve gives them, are told apart by a billionth in the order of the scores,
    the first of equal scores above the others.

    >>> as_rows(np.array([[0.3, 0.3, 0.2]]), np.array([[1.0, 2.0, 0.0]])).round(3)
    array([[0.375, 0.375, 0.25 ]])
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    ranks = np.empty_like(chances)
    np.put_along_axis(ranks, order, np.arange(scores.shape[1], 0, -1.0)[None, :], axis=1)
    told_apart = chances + 1e-9 * ranks / scores.shape[1]
    return np.asarray(told_apart / told_apart.sum(axis=1, keepdims=True))


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


@dataclass(frozen=True)
class Softmax:
    """One temperature for all ends, which share 1 among them.

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a/x", "a/y", "b"])
    >>> Softmax(1.0).probabilities(np.log([[1.0, 2.0, 1.0, 1.0]]), tree, tree.leaves)
    array([[0.5 , 0.5 , 0.25, 0.25]])
    """

    ranks_ends: ClassVar[bool] = True

    temperature: float

    @classmethod
    def fit(cls, scores: Floats, own: csr_array, hierarchy: Hierarchy, ends: Ends, pooled: bool = False) -> Self:
        """Learn from the scores and the own labels of held-out documents."""
        return cls(fit_temperature(scores, own, ends))

    def probabilities(self, scores: Floats, hierarchy: Hierarchy, ends: Ends) -> Floats:
        """Give every node's probability, no node's above its parents'."""
        return np.minimum(node_chances(scores, hierarchy, ends, self.temperature), 1.0)

    def to_state(self) -> State:
        """Give the temperature."""
        return {"temperature": self.temperature}

    @classmethod
    def from_state(cls, state: State, size: int) -> Self:
        """Take up a temperature, refusing what cannot be one."""
        temperature = state["temperature"]
        if not isinstance(temperature, float) or not temperature > 0:
            raise InputError(f"the model's temperature is {temperature!r}")
        return cls(temperature)


NEWTON_STEPS = 100

TOLERANCE = 1e-10


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


class Calibrator(Protocol):
    """What turns scores into probabilities; `ranks_ends` as for decisions."""

    ranks_ends: ClassVar[bool]

    @classmethod
    def fit(cls, scores: Floats, own: csr_array, hierarchy: Hierarchy, ends: Ends, pooled: bool = False) -> Self:
        """Learn from the scores and the own labels of held-out documents; pooled, one curve for all nodes."""

    def probabilities(self, scores: Floats, hierarchy: Hierarchy, ends: Ends) -> Floats:
        """Give every node's probability, no node's above its parents'."""

    def to_state(self) -> State:
        """Give what was learned as plain data and arrays."""

    @classmethod
    def from_state(cls, state: State, size: int) -> Self:
        """Take up what was learned for so many nodes, refusing what cannot be."""


CALIBRATIONS: dict[str, type[Calibrator]] = {"platt": Platt, "isotonic": Isotonic, "softmax": Softmax}
"""The ways from scores to probabilities by name."""
