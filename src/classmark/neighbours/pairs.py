"""Products of sparse rows for chosen pairs alone: a document and its few candidates, not all categories."""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.compilation import kernel
from classmark.parallel import balanced_ranges, n_threads, threads

Indices = npt.NDArray[np.int64]


@kernel
def find(columns: npt.NDArray[np.int32], start: int, stop: int, wanted: int) -> int:
    """Give the place of a column among the sorted ones of a row, -1 where it is not there."""
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
def products(
    first: int,
    last: int,
    pair_starts: Indices,
    pair_rows: npt.NDArray[np.int32],
    starts: Indices,
    columns: npt.NDArray[np.int32],
    values: Floats,
    other_starts: Indices,
    other_columns: npt.NDArray[np.int32],
    other_values: Floats,
    found: Floats,
) -> None:
    """Fill in the products of the rows `first` to `last` of one matrix with their partners among those of another."""
    for row in range(first, last):
        for pair in range(pair_starts[row], pair_starts[row + 1]):
            partner = pair_rows[pair]
            begin, end = other_starts[partner], other_starts[partner + 1]
            total = 0.0
            # A search in the longer row for each entry of the shorter one.
            if starts[row + 1] - starts[row] <= end - begin:
                for entry in range(starts[row], starts[row + 1]):
                    place = find(other_columns, begin, end, columns[entry])
                    if place >= 0:
                        total += values[entry] * other_values[place]
            else:
                for place in range(begin, end):
                    entry = find(columns, starts[row], starts[row + 1], other_columns[place])
                    if entry >= 0:
                        total += values[entry] * other_values[place]
            found[pair] = total


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
                (*each, *pairs, *arrays_of(matrix), *arrays_of(other), found)
                for each in balanced_ranges(pair_starts, count * 4 if count > 1 else 1)
            ],
        )
    return found


def arrays_of(matrix: csr_array) -> tuple[Indices, npt.NDArray[np.int32], Floats]:
    """Give a matrix as the arrays that kernels take."""
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float64)
