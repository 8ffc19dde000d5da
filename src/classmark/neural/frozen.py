"""Two heads over the vectors of an encoder that does not learn: minutes on a CPU, and no framework.

A document is a row of X. The columns that most documents have are coordinates of its vector, and are taken as they are.
The others are terms, where there are some beside the vector: each is added to `EACH` of `HASHED` more coordinates, to
some and from others, so that the cosine of two documents stays about what it was (Weinberger et al., 2009, section 2).
How the heads learn is in `head_learning`.
"""

from dataclasses import field
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats, finalised
from classmark.base import Contributions
from classmark.checks import integer, real
from classmark.errors import InputError
from classmark.held_out import SECONDS_AN_ENTRY
from classmark.limits import Needed
from classmark.neural.head_learning import BATCH, LEAST_STEPS, Labelled, Parts, learn_heads
from classmark.neural.heads import STORED, unit
from classmark.neural.two_heads import TwoHeadedClassifier, Vectors
from classmark.persistence import State, checked_array

MOST_COORDINATES = 1024
"""Up to so many columns are all taken as they are."""
HASHED = 512
EACH = 8
ROWS_AT_A_TIME = 4096
SECONDS_A_WEIGHT = 1.8e-10
"""What a coordinate of a category costs for each document that is seen, on two cores, about."""


class FrozenEncoderClassifier(TwoHeadedClassifier):
    """A head for own labels and one for all nodes, on the vectors of an encoder, perhaps with terms beside them.

    Attributes
    ----------
    coordinates_ : array of bool, (n_features_in_,)
        The columns that are taken as they are; the others are hashed.
    turn_ : array, (n_coordinates, n_coordinates)
        What vectors are multiplied by before the heads score them.
    """

    epochs: Annotated[int, integer(ge=1), "How often every document is seen; more often where there are few."] = 3
    learning_rate: Annotated[
        float, real(gt=0), "The highest learning rate, as a part of what a coordinate usually is."
    ] = 0.03
    closed_weight: Annotated[float, real(ge=0), "How much the labels of all nodes count beside own labels."] = 0.3

    coordinates_: npt.NDArray[np.bool_] = field(init=False)
    turn_: npt.NDArray[np.float32] = field(init=False)

    def memory_to_learn(self, X: csr_array, own: csr_array) -> Needed:
        """Count what Adam holds of every vector, and the vectors of the documents, at first with more digits."""
        width, categories = _width(X), self.ends_.size + len(self.hierarchy_)
        size = f"{X.shape[0]:,} documents and {categories:,} categories × {width:,} coordinates"
        least = 4.0 * width * (X.shape[0] + 5 * categories)
        return Needed(least, size, least + 24.0 * width * X.shape[0])

    def work_to_learn(self, X: csr_array, own: csr_array) -> float:
        """Count the products of documents and categories."""
        seen = max(self.epochs * X.shape[0], LEAST_STEPS * min(BATCH, X.shape[0]))
        weights = _width(X) * (self.ends_.size + len(self.hierarchy_))
        return SECONDS_A_WEIGHT / SECONDS_AN_ENTRY * float(seen) * weights

    def learn(self, X: csr_array, own: csr_array, weight: Floats | None) -> None:
        """Learn the heads, from the names of the categories on."""
        self.coordinates_ = coordinates_of(X)
        closed = csr_array(self.hierarchy_.close(own))
        self.known_ = np.zeros(len(self.hierarchy_), dtype=bool)
        self.known_[closed.indices] = True
        seen = np.isin(self.ends_, own.indices)
        vectors = self._plain_vectors(X)
        documents = Labelled(
            vectors,
            _in_equal_parts(csr_array(own[:, self.ends_[seen]])),
            csr_array(closed[:, self.known_]),
            np.ones(len(vectors), np.float32) if weight is None else (weight / weight.mean()).astype(np.float32),
        )
        starts = self._starts(closed, vectors)
        parts = Parts.start(starts[self.ends_[seen]], starts[self.known_])
        learn_heads(
            documents,
            parts,
            closed_weight=self.closed_weight,
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            seed=self.random_state or 0,
        )
        self._take_up(parts, starts, seen)

    def _starts(self, closed: csr_array, vectors: Vectors) -> Vectors:
        """Give the vectors that categories begin with: of their names, or of their documents where they have none."""
        means = unit(np.asarray(closed.T.astype(np.float32) @ vectors))
        if self.category_rows_ is None:
            return means
        named = self._plain_vectors(self.category_rows_)
        return np.where(named.any(axis=1, keepdims=True), named, means)

    def _take_up(self, parts: Parts, starts: Vectors, seen: npt.NDArray[np.bool_]) -> None:
        """Keep what was learned, in the numbers that a model file has; what was not learned stays at its start."""
        if not all(np.isfinite(array).all() for _, array in parts.items()):
            raise InputError(
                f"learning gave what is not a number: lower learning_rate={self.learning_rate:g}, to a tenth of it, say"
            )
        learned = parts.heads()
        own, closed = unit(starts[self.ends_] @ parts.turn), np.zeros_like(starts)
        own[seen], closed[self.known_] = learned.own, learned.closed
        own_bias, closed_bias = (np.zeros(size, np.float32) for size in (self.ends_.size, len(self.hierarchy_)))
        own_bias[seen], closed_bias[self.known_] = learned.own_bias, learned.closed_bias
        self.heads_ = type(learned)(own, own_bias, learned.scale, closed, closed_bias).rounded()
        self.turn_ = parts.turn.astype(STORED).astype(np.float32)

    def vectors_of(self, X: csr_array) -> Vectors:
        """Give the vectors of documents, turned as was learned."""
        return unit(self._plain_vectors(X).astype(np.float64) @ self.turn_)

    def _plain_vectors(self, X: csr_array) -> Vectors:
        return unit(spread_rows(X, self.coordinates_))

    def contributions_to(self, X: csr_array, node: int, scores: Floats) -> Contributions:
        """Give every column its share of the node's log-odds, which are linear but for the length of the vector."""
        shares = np.zeros(X.nnz)
        if self.known_[node]:
            turned = spread_rows(X, self.coordinates_) @ self.turn_
            lengths = np.repeat(np.linalg.norm(turned, axis=1), np.diff(X.indptr))
            weights = spreading(self.coordinates_) @ (self.turn_ @ self.heads_.closed[node])
            shares = np.divide(X.data * weights[X.indices], lengths, out=shares, where=lengths > 0)
        terms = csr_array((shares, X.indices, X.indptr), shape=X.shape)
        return Contributions(terms, np.asarray(scores[:, node] - terms.sum(axis=1)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn's data are clouds of points, whose directions say little.
        tags.classifier_tags.poor_score = True
        return tags

    def _learned_state(self) -> State:
        return self._heads_state() | {
            "coordinates": self.coordinates_,
            "turn": self.turn_.astype(STORED),
        }

    def _restore(self, learned: State) -> None:
        self._restore_heads(learned)
        self.coordinates_ = checked_array(learned, "coordinates", np.bool_, (self.n_features_in_,))
        width = self.heads_.own.shape[1]
        self.turn_ = checked_array(learned, "turn", STORED, (width, width)).astype(np.float32)
        if spreading(self.coordinates_).shape[1] != width or not np.isfinite(self.turn_).all():
            raise InputError("the model's 'turn' does not belong to its heads, or is not a number")


def coordinates_of(X: csr_array) -> npt.NDArray[np.bool_]:
    """Say which columns are taken as they are: all of a few, otherwise those that most documents have."""
    if X.shape[1] <= MOST_COORDINATES:
        return np.ones(X.shape[1], dtype=bool)
    return np.bincount(X.indices, minlength=X.shape[1]) * 2 > X.shape[0]


def spread_rows(X: csr_array, coordinates: npt.NDArray[np.bool_]) -> Vectors:
    """Give rows as vectors of any length, made some at a time."""
    matrix = spreading(coordinates)
    found = np.empty((X.shape[0], matrix.shape[1]), dtype=np.float32)
    for start in range(0, X.shape[0], ROWS_AT_A_TIME):
        found[start : start + ROWS_AT_A_TIME] = (X[start : start + ROWS_AT_A_TIME] @ matrix).toarray()
    return found


def spreading(coordinates: npt.NDArray[np.bool_]) -> csr_array:
    """Give what rows are multiplied by to become vectors: coordinates first, then what the others are hashed to.

    >>> spreading(np.array([True, True])).toarray()
    array([[1., 0.],
           [0., 1.]])
    """
    kept, others = np.flatnonzero(coordinates), np.flatnonzero(~coordinates)
    numbers = (np.repeat(others, EACH) * EACH + np.tile(np.arange(EACH), others.size)).astype(np.uint64)
    hashed = finalised(numbers + np.uint64(0x9E3779B97F4A7C15))
    places = kept.size + ((hashed >> np.uint64(1)) % np.uint64(HASHED)).astype(np.int64)
    signs = np.where(hashed & np.uint64(1), 1.0, -1.0) / np.sqrt(EACH)
    rows = np.concatenate([kept, np.repeat(others, EACH)])
    columns = np.concatenate([np.arange(kept.size), places])
    values = np.concatenate([np.ones(kept.size), signs])
    width = kept.size + (HASHED if others.size else 0)
    return csr_array((values, (rows, columns)), shape=(coordinates.size, width))


def _in_equal_parts(own: csr_array) -> csr_array:
    counts = np.diff(own.indptr)
    return csr_array(
        (np.repeat(1 / np.maximum(counts, 1), counts).astype(np.float32), own.indices, own.indptr), own.shape
    )


def _width(X: csr_array) -> int:
    """Give about how many coordinates vectors have."""
    return min(X.shape[1], MOST_COORDINATES)
