"""The weights of many linear learners as one matrix, a column each: dense and whole, or sparse without small ones."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array, csr_array

from classmark.answers import Matrix
from classmark.persistence import State, checked_array
from classmark.strategies.topdown.linear_bank import LinearBank


class WeightColumns:
    """A matrix in the making; a learner is let go once its weights are in it.

    Parameters
    ----------
    features, columns : int
        The shape.
    prune : float
        Weights with a smaller absolute value are dropped, the others kept in single precision, and the matrix is
        sparse; with 0 it is dense and whole.

    Examples
    --------
    >>> kept = WeightColumns(3, 2, prune=0.1)
    >>> kept.put(1, np.array([0.5, 0.01, -2.0]))
    >>> kept.finished().toarray()
    array([[ 0. ,  0.5],
           [ 0. ,  0. ],
           [ 0. , -2. ]])
    """

    def __init__(self, features: int, columns: int, prune: float) -> None:
        self.prune, self.shape = prune, (features, columns)
        self.dense = np.zeros(self.shape) if prune == 0 else None
        self.rows = [np.empty(0, np.int32)] * columns
        self.values = [np.empty(0, np.float32)] * columns

    def put(self, column: int, weights: npt.NDArray[np.float64]) -> None:
        """Put the weights of a learner into a column."""
        if self.dense is not None:
            self.dense[:, column] = weights
            return
        kept = np.flatnonzero((np.abs(weights) >= self.prune) & (weights != 0))
        self.rows[column] = kept.astype(np.int32)
        self.values[column] = weights[kept].astype(np.float32)

    def finished(self) -> Matrix:
        """Give the matrix."""
        if self.dense is not None:
            return self.dense
        starts = np.cumsum([0, *(rows.size for rows in self.rows)]).astype(np.int32)
        parts = (np.concatenate(self.values), np.concatenate(self.rows), starts)
        return csr_array(csc_array(parts, shape=self.shape).astype(np.float64))


def margins(X: csr_array, weights: Matrix, intercepts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Give the margin of every learner for every document."""
    found = X @ weights
    return np.asarray((found.toarray() if isinstance(found, csr_array) else found) + intercepts)


def weights_at(weights: Matrix, rows: npt.NDArray[Any], columns: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Give some weights by their rows and columns.

    >>> weights_at(csr_array([[1.0, 2.0], [3.0, 0.0]]), np.array([0, 1, 1]), np.array([1, 0, 1]))
    array([2., 3., 0.])
    """
    if not isinstance(weights, csr_array):
        return np.asarray(weights[rows, columns])
    chosen = csr_array((np.ones(rows.size), (np.arange(rows.size), columns)), shape=(rows.size, weights.shape[1]))
    return np.asarray(weights[rows].multiply(chosen).sum(axis=1), dtype=np.float64).ravel()


def placed_rows(part: Matrix, rows: npt.NDArray[np.intp], count: int) -> csr_array:
    """Give a matrix of so many rows, zeros but for those that a part has.

    >>> placed_rows(np.array([[1.0, 2.0]]), np.array([1]), 2).toarray()
    array([[0., 0.],
           [1., 2.]])
    """
    put = csr_array((np.ones(rows.size), (rows, np.arange(rows.size))), shape=(count, rows.size))
    return csr_array(put @ csr_array(part))


def weights_to_state(weights: Matrix, intercepts: npt.NDArray[np.float64]) -> State:
    """Give weights and intercepts as plain data and arrays."""
    if not isinstance(weights, csr_array):
        return {"weights": weights, "intercepts": intercepts}
    bank = LinearBank(csr_array(weights.astype(np.float32)), intercepts)
    return {"weights": bank.to_state(), "intercepts": intercepts}


def weights_from_state(learned: State, features: int, columns: int) -> tuple[Matrix, npt.NDArray[np.float64]]:
    """Take up weights and intercepts, refusing what cannot be some."""
    intercepts = checked_array(learned, "intercepts", np.float64, (columns,))
    if isinstance(learned["weights"], dict):
        bank = LinearBank.from_state(learned["weights"], intercepts, features)
        return csr_array(bank.weights.astype(np.float64)), intercepts
    return checked_array(learned, "weights", np.float64, (features, columns)), intercepts
