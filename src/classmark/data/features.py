"""Ready-made features in arrays: a document is a row of a matrix and no dictionary, until somebody asks for one."""

from array import array
from collections.abc import Iterator, Sequence
from typing import Any, SupportsIndex, overload

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.persistence import bytes_of

WIDEST = np.iinfo(np.int32).max
"""The width of a matrix whose number of columns is not known yet."""


class GrowingMatrix:
    """A matrix that blocks are put below of; arrays that grow in place never hold it twice, as stacking would.

    >>> growing = GrowingMatrix()
    >>> growing.extend(np.array([1.0, 2.0]), np.array([3, 1]), np.array([1, 1]))
    >>> growing.finished().indptr
    array([0, 1, 2], dtype=int32)
    """

    def __init__(self) -> None:
        self._data, self._columns, self._ends = array("d"), array("i"), array("q", [0])

    def extend(
        self, data: npt.NDArray[np.float64], columns: npt.NDArray[np.integer], sizes: npt.NDArray[np.integer]
    ) -> None:
        """Put rows below; `sizes` has the number of entries of each."""
        self._ends.frombytes(bytes_of(len(self._data) + np.cumsum(sizes, dtype=np.int64)))
        self._data.frombytes(bytes_of(data))
        self._columns.frombytes(bytes_of(columns.astype(np.int32, copy=False)))

    def finished(self) -> csr_array:
        """Give the matrix, on the memory that it grew in, `WIDEST` wide."""
        ends = np.asarray(self._ends)
        narrow = ends.astype(np.int32) if len(self._data) < WIDEST else ends
        return csr_array((np.asarray(self._data), np.asarray(self._columns), narrow), shape=(len(ends) - 1, WIDEST))


def _narrowed(weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Give weights in the first type that holds them all exactly."""
    for kind in (np.uint8, np.float32):
        # Counts that are too large for the type come out as others, which is no error here.
        with np.errstate(invalid="ignore", over="ignore"):
            narrow = weights.astype(kind)
        if np.array_equal(narrow, weights):
            return narrow
    return weights


class FeatureRows(Sequence[dict[str, float]]):
    """Documents whose features have numbers for names: a list of dictionaries to whoever asks, and a matrix below.

    Parameters
    ----------
    matrix : csr_array, (n_documents, any)
        One row per document, a feature's number its column; columns rise, and there are no zeros. The weights are kept
        in the least memory that holds them exactly: counts take a byte.

    Examples
    --------
    >>> rows = FeatureRows(csr_array([[0, 0.5, 2.0], [0, 1.0, 0]]))
    >>> rows
    <FeatureRows: 2 documents, 3 features>
    >>> list(rows)
    [{'1': 0.5, '2': 2.0}, {'1': 1.0}]
    >>> rows.take([1]) == [{"1": 1.0}]
    True
    """

    def __init__(self, matrix: csr_array) -> None:
        self.matrix = csr_array((_narrowed(matrix.data), matrix.indices, matrix.indptr), shape=matrix.shape)

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def __repr__(self) -> str:
        return f"<FeatureRows: {len(self):,} documents, {self.matrix.nnz:,} features>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, row: SupportsIndex) -> dict[str, float]: ...
    @overload
    def __getitem__(self, row: slice) -> "FeatureRows": ...
    def __getitem__(self, row: SupportsIndex | slice) -> "dict[str, float] | FeatureRows":
        if isinstance(row, slice):
            return self.take(range(*row.indices(len(self))))
        starts = self.matrix.indptr
        position = range(len(self))[row]
        entries = slice(starts[position], starts[position + 1])
        columns = map(str, self.matrix.indices[entries].tolist())
        return dict(zip(columns, self.matrix.data[entries].astype(np.float64).tolist(), strict=True))

    def __iter__(self) -> Iterator[dict[str, float]]:
        return (self[row] for row in range(len(self)))

    def take(self, rows: Sequence[int]) -> "FeatureRows":
        """Give the documents at some positions, in that order."""
        return FeatureRows(csr_array(self.matrix[np.asarray(rows, dtype=np.intp)]))
