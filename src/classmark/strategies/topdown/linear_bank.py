"""All local models of a linear learner as one sparse matrix, and the way down computed on it.

A column of the matrix is a slot, the slots of a local problem stand side by side, and the entries of a row, a term,
are in slot order. So the margins of everything are one sparse product, and those of one problem are found by a binary
search in the rows of the document's terms.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from classmark.arrays import Floats, Integers, SparseRows
from classmark.errors import InputError
from classmark.parallel import balanced_ranges, threads
from classmark.persistence import State, all_below, are_starts, checked_array
from classmark.strategies.topdown.descent import (
    CERTAIN,
    DESCENTS,
    Structure,
    best_ends,
    descend_by_weights,
    finished,
    lowest,
)


class LinearModel(NamedTuple):
    """What was learned at one node: weights of some columns, a column of them for each slot, and intercepts."""

    columns: npt.NDArray[np.integer[Any]]
    weights: Floats
    intercepts: Floats


class LinearBank(NamedTuple):
    """The weights of every slot of every local problem.

    Attributes
    ----------
    weights : csr_array, (n_features, n_slots)
        In single precision unless asked otherwise: half the memory, and an error far below what the solvers stop at.
    intercepts : array, (n_slots,)
        Infinite where there is nothing in a document's way.
    """

    weights: csr_array
    intercepts: Floats

    @classmethod
    def gather(
        cls, models: list[LinearModel], features: int, prune: float, dtype: npt.DTypeLike = np.float32
    ) -> "LinearBank":
        """Put local models side by side, without the weights whose absolute value is below `prune`.

        >>> model = LinearModel(np.array([0, 2]), np.array([[1.0], [0.01]]), np.array([0.5]))
        >>> LinearBank.gather([model, model], 3, 0.1).weights.toarray()
        array([[1., 1.],
               [0., 0.],
               [0., 0.]], dtype=float32)
        """
        rows, slots, values, first = [], [], [], 0
        for model in models:
            row, slot = np.nonzero((np.abs(model.weights) >= prune) & (model.weights != 0))
            rows.append(model.columns[row].astype(np.int32))
            slots.append((slot + first).astype(np.int32))
            values.append(model.weights[row, slot].astype(dtype))
            first += model.intercepts.size
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(slots)))
        weights = csr_array(coo_array(entries, shape=(features, first)))
        weights.sort_indices()
        return cls(weights, np.concatenate([model.intercepts for model in models]))

    def margins(self, X: csr_array, slots: slice) -> Floats:
        """Give the margins of some slots: `(n_documents, n_slots)`."""
        return np.asarray((X @ self.weights[:, slots].astype(np.float64)).toarray() + self.intercepts[slots])

    def scores(
        self,
        X: csr_array,
        structure: Structure,
        descent: str,
        *,
        scale: float = 1.0,
        normalised: bool = False,
        floor: float = -np.inf,
        least: float = CERTAIN,
        n_threads: int = 1,
    ) -> Floats:
        """Score every node, as `walk` does with `scale` times the margins of these weights."""
        scores = np.empty((X.shape[0], structure.nodes))
        ways = (DESCENTS[descent], normalised, lowest(floor, descent))
        self._in_threads(descend_by_weights, X, scale, (structure, *ways, scores), n_threads)
        return finished(scores, structure, descent, least)

    def best_ends(
        self,
        X: csr_array,
        structure: Structure,
        descent: str,
        ends: Integers,
        *,
        scale: float = 1.0,
        normalised: bool = False,
        n_threads: int = 1,
    ) -> Integers:
        """Give each document's end with the highest score, the first of equals, without scoring every node."""
        found = np.empty(X.shape[0], dtype=np.int32)
        is_end = np.zeros(structure.nodes, dtype=np.bool_)
        is_end[ends] = True
        # A node that documents can stay at is an end by the slot for staying, not by being reached.
        is_end[structure.slots[structure.slots >= structure.nodes] - structure.nodes] = False
        given = (structure, structure.problem_of(), is_end, DESCENTS[descent], normalised, found)
        self._in_threads(best_ends, X, scale, given, n_threads)
        return found

    def _in_threads(self, work: Any, X: csr_array, scale: float, given: tuple[Any, ...], n_threads: int) -> None:
        """Call a kernel with X, the weights and what else it takes, a range of documents a thread."""
        # Documents and intercepts are scaled, not the weights, which are many more.
        documents = SparseRows(X.indptr, X.indices, X.data * scale)
        matrices = (documents, SparseRows(*_parts(self.weights)), self.intercepts * scale)
        ranges = balanced_ranges(X.indptr, n_threads) if X.shape[0] else []
        with threads(n_threads) as run:
            run(work, [(*matrices, *given, *part) for part in ranges])

    def to_state(self) -> State:
        """Give the sparse matrix as arrays."""
        return dict(zip(("indptr", "indices", "data"), _parts(self.weights), strict=True))

    @classmethod
    def from_state(cls, state: State, intercepts: Floats, features: int) -> "LinearBank":
        """Take up a matrix from arrays, refusing what cannot be one."""
        data = checked_array(state, "data", np.float32, (None,))
        indices = checked_array(state, "indices", np.int32, data.shape)
        indptr = checked_array(state, "indptr", np.int32, (features + 1,))
        if not are_starts(indptr, data.size):
            raise InputError("the model's weights do not fit its terms")
        if not all_below(indices, intercepts.size):
            raise InputError("the model's weights lie outside its categories")
        weights = csr_array((data, indices, indptr), shape=(features, intercepts.size))
        if not weights.has_canonical_format:
            raise InputError("the model's weights are not in the order of its categories")
        return cls(weights, intercepts)


def _parts(matrix: csr_array) -> tuple[Any, Any, Any]:
    return matrix.indptr, matrix.indices, matrix.data
