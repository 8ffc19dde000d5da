"""Passes over documents that never hold documents × terms: blocks of rows, and threads inside a block.

The E-step of a block is shared by its rows, the M-step by the components, so each number is made by one thread in the
order of the documents: the result has the same bits for any number of threads and any size of a block.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.generative import kernels
from classmark.parallel import Range, Runner, balanced_ranges, even_ranges, n_threads, threads

Truths = npt.NDArray[np.bool_]

CELLS_IN_A_BLOCK = 1 << 17
"""How many posteriors are held at a time: 1 MiB, which stays near the processor."""


def rows_of(known: Truths) -> npt.NDArray[np.int32]:
    """Give the row of every term in a table of the known ones, -1 for the others.

    >>> rows_of(np.array([False, True, True]))
    array([-1,  0,  1], dtype=int32)
    """
    return np.where(known, np.cumsum(known) - 1, -1).astype(np.int32)


def restricted(X: csr_array, known: Truths) -> csr_array:
    """Give the columns of the known terms alone, X itself where that is all of them.

    >>> restricted(csr_array([[3.0, 0.0, 4.0]]), np.array([False, True, True])).toarray()
    array([[0., 4.]])
    """
    if known.all():
        return X
    kept = int(np.count_nonzero(known.take(X.indices)))
    data, indices = np.empty(kept + 1, X.data.dtype), np.empty(kept + 1, np.int32)
    indptr = np.zeros_like(X.indptr)
    kernels.restrict(X.data, X.indices, X.indptr, rows_of(known), data, indices, indptr)
    return csr_array((data[:kept], indices[:kept], indptr), shape=(X.shape[0], int(np.count_nonzero(known))))


class Room:
    """Arrays that one pass after another is written in: new memory costs nearly as much as the work on it.

    >>> room = Room()
    >>> first, again = room.of("joint", (2, 3)), room.of("joint", (1, 3))
    >>> again.shape, np.shares_memory(first, again)
    ((1, 3), True)
    """

    def __init__(self) -> None:
        self._kept: dict[str, Floats] = {}

    def of(self, name: str, shape: tuple[int, int]) -> Floats:
        """Give an array with anything in it, over the last one of that name."""
        size = shape[0] * shape[1]
        if name not in self._kept or self._kept[name].size < size:
            self._kept[name] = np.empty(size)
        return self._kept[name][:size].reshape(shape)


def dense_rows(matrix: csr_array, span: Range, out: Floats | None = None) -> Floats:
    """Give a range of rows with their zeros; scipy's own slices take longer than the documents in them.

    >>> dense_rows(csr_array([[0.0, 1.0], [2.0, 0.0], [0.0, 0.0]]), (1, 3))
    array([[2., 0.],
           [0., 0.]])
    """
    start, stop = span
    entries = slice(matrix.indptr[start], matrix.indptr[stop])
    rows = np.repeat(np.arange(stop - start), np.diff(matrix.indptr[start : stop + 1]))
    dense = np.empty((stop - start, matrix.shape[1])) if out is None else out
    dense.fill(0.0)
    dense[rows, matrix.indices[entries]] = matrix.data[entries]
    return dense


class Passes:
    """Passes over the documents of a term matrix on a number of threads; made by `passes`."""

    def __init__(self, count: int, run: Runner[Any]) -> None:
        self.count = count
        self.run = run

    def blocks(self, span: Range, components: int) -> Iterator[Range]:
        """Cut a range of documents into ranges whose posteriors fit into memory."""
        size = max(1, CELLS_IN_A_BLOCK // max(1, components))
        for start in range(span[0], span[1], size):
            yield start, min(start + size, span[1])

    def log_joint(
        self, X: csr_array, span: Range, log_prior: Floats, log_terms: Floats, out: Floats | None = None
    ) -> Floats:
        """Give log P(p_j) P(x_i | p_j) for a range of documents: `(n_rows, n_components)`."""
        start, stop = span
        joint = np.empty((stop - start, log_prior.size)) if out is None else out
        ranges = balanced_ranges(X.indptr[start : stop + 1], self.count)
        arrays = (X.data, X.indices, X.indptr)
        self.run(
            kernels.log_joint,
            [(*arrays, start + a, start + b, log_prior, log_terms, joint[a:b]) for a, b in ranges],
        )
        return joint

    def posteriors(self, joint: Floats) -> Floats:
        """Turn joint logarithms into posteriors, in place; give the logarithm of every row's sum."""
        evidence = np.empty(len(joint))
        ranges = even_ranges(len(joint), self.count)
        self.run(kernels.posteriors, [(joint[a:b], evidence[a:b]) for a, b in ranges])
        return evidence

    def accumulate(
        self, X: csr_array, span: Range, weight: Floats, responsibilities: Floats, counts: Floats, totals: Floats
    ) -> None:
        """Add a range of documents to the counts of terms and the totals of components, by their responsibilities."""
        documents = (X.data, X.indices, X.indptr, *span, weight, responsibilities)
        columns = even_ranges(totals.size, self.count)
        self.run(kernels.accumulate, [(*documents, *some, counts, totals) for some in columns])


@contextmanager
def passes(n_jobs: int | None) -> Iterator[Passes]:
    """Start the threads of `n_jobs` for some passes.

    >>> X = csr_array([[2.0, 0.0], [0.0, 1.0]])
    >>> counts, totals = np.zeros((2, 1)), np.zeros(1)
    >>> with passes(1) as over:
    ...     over.accumulate(X, (0, 2), np.ones(2), np.array([[1.0], [0.5]]), counts, totals)
    >>> counts.ravel(), totals
    (array([2. , 0.5]), array([1.5]))
    """
    count = n_threads(n_jobs)
    with threads(count) as run:
        yield Passes(count, run)
