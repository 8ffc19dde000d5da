"""Products of sparse rows for chosen pairs alone: a document and its few candidates, not all categories."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats, SparseRows
from classmark.compilation import kernel
from classmark.parallel import balanced_ranges, n_threads, threads

Indices = npt.NDArray[np.int64]


@kernel
def find(columns: npt.NDArray[np.integer[Any]], start: int, stop: int, wanted: int) -> int:
    """Give the position of a column among the sorted ones of a row, -1 where it is not there."""
    while start < stop:
        middle = (start + stop) // 2
        if columns[middle] < wanted:
            start = middle + 1
        elif columns[middle] > wanted:
            stop = middle
        else:
            return middle
    return -1


@kernel
def value_at(matrix: SparseRows, row: int, column: int) -> float:
    """Give an entry of a matrix whose rows have sorted columns, 0 where there is none."""
    position = find(matrix.columns, matrix.starts[row], matrix.starts[row + 1], column)
    return float(matrix.values[position]) if position >= 0 else 0.0


@kernel
def products(
    first: int,
    last: int,
    pair_starts: Indices,
    pair_rows: npt.NDArray[np.int32],
    matrix: SparseRows,
    other: SparseRows,
    found: Floats,
) -> None:
    """Fill in the products of the rows `first` to `last` of one matrix with their partners among those of another."""
    for row in range(first, last):
        for pair in range(pair_starts[row], pair_starts[row + 1]):
            partner = pair_rows[pair]
            n_entries = matrix.starts[row + 1] - matrix.starts[row]
            # A search in the longer row for each entry of the shorter one.
            if n_entries <= other.starts[partner + 1] - other.starts[partner]:
                found[pair] = product(matrix, row, other, partner)
            else:
                found[pair] = product(other, partner, matrix, row)


@kernel
def product(shorter: SparseRows, row: int, longer: SparseRows, other_row: int) -> float:
    """Give the product of two rows, by a search in the second for each entry of the first."""
    total = 0.0
    start, stop = longer.starts[other_row], longer.starts[other_row + 1]
    for entry in range(shorter.starts[row], shorter.starts[row + 1]):
        position = find(longer.columns, start, stop, shorter.columns[entry])
        if position >= 0:
            total += shorter.values[entry] * longer.values[position]
    return total


def pair_products(
    pair_starts: npt.NDArray[np.integer],
    partners: npt.NDArray[np.integer],
    matrix: csr_array,
    other: csr_array,
    n_jobs: int | None = None,
) -> Floats:
    """Give the product of each row of a matrix with each of its partners, rows of another; both have sorted columns.

    Parameters
    ----------
    pair_starts : array of int, (n_rows + 1,)
        Where the partners of each row begin.
    partners : array of int
        Rows of `other`.
    n_jobs : int, optional
        The number of threads.

    Examples
    --------
    >>> pair_products(np.array([0, 2]), np.array([1, 0]), csr_array([[1.0, 2.0]]), csr_array([[3.0, 0.0], [1.0, 1.0]]))
    array([3., 3.])
    """
    found = np.zeros(len(partners))
    pairs = (pair_starts.astype(np.int64), partners.astype(np.int32))
    count = n_threads(n_jobs)
    with threads(count) as run:
        run(
            products,
            [
                (*each, *pairs, sparse_rows(matrix), sparse_rows(other), found)
                for each in balanced_ranges(pair_starts, count * 4 if count > 1 else 1)
            ],
        )
    return found


def sparse_rows(matrix: csr_array) -> SparseRows:
    """Give a matrix as the arrays that kernels take, always of the same types."""
    return SparseRows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float64))
