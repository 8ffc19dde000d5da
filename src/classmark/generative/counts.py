"""Passes over documents that never hold documents × terms: blocks of rows, and threads inside a block.

The E-step of a block is shared by its rows, the M-step by the components, so each number is made by one thread in the
order of the documents: the result has the same bits for any number of threads and any size of a block.

The kernels take the rows of a CSR matrix as its three arrays. Symbols of path_prediction_2019: x_it is `data`, log
P(p_j) and log P(w_t | p_j) are `log_prior` and `log_terms`, a document's scores S_ij of the components are a row of
`responsibilities`. The columns of the matrix are the rows of the tables.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.compilation import kernel
from classmark.parallel import Range, Runner, balanced_ranges, even_ranges, n_threads, threads

Integers = npt.NDArray[np.integer]

NEGLIGIBLE = 1e-12
"""The posterior under which a document does not count for a component: a million of them are a millionth of one."""
LOG_NEGLIGIBLE = float(np.log(NEGLIGIBLE))


@kernel
def restrict(
    data: Floats,
    indices: Integers,
    indptr: Integers,
    rows: Integers,
    new_data: Floats,
    new_indices: Integers,
    new_indptr: Integers,
) -> None:
    """Copy the entries of terms that have a row, under that row's number; -1 is no row.

    Every entry is written, and one that is not kept is written over: no branch that the processor could guess wrong.
    The new arrays have room for one entry more than is kept.
    """
    filled = 0
    for document in range(indptr.size - 1):
        for entry in range(indptr[document], indptr[document + 1]):
            row = rows[indices[entry]]
            new_data[filled] = data[entry]
            new_indices[filled] = row
            filled += row >= 0
        new_indptr[document + 1] = filled


@kernel
def log_joint(
    data: Floats,
    indices: Integers,
    indptr: Integers,
    start: int,
    stop: int,
    log_prior: Floats,
    log_terms: Floats,
    joint: Floats,
) -> None:
    """Write log P(p_j) P(x_i | p_j), the logarithm of Equation 5's numerator, for the rows from `start` to `stop`.

    `joint` has a row for each of them, a column for each component. Four terms are added at a time, so that a sum is
    loaded and stored a quarter as often.
    """
    components = log_prior.size
    for document in range(start, stop):
        row = joint[document - start]
        for component in range(components):
            row[component] = log_prior[component]
        entry, last = indptr[document], indptr[document + 1]
        while entry + 4 <= last:
            a, b, c, d = data[entry], data[entry + 1], data[entry + 2], data[entry + 3]
            # Unsigned, so that no index is looked at for being negative.
            first, second = np.uintp(indices[entry]), np.uintp(indices[entry + 1])
            third, fourth = np.uintp(indices[entry + 2]), np.uintp(indices[entry + 3])
            for component in range(components):
                row[component] += (
                    a * log_terms[first, component]
                    + b * log_terms[second, component]
                    + c * log_terms[third, component]
                    + d * log_terms[fourth, component]
                )
            entry += 4
        while entry < last:
            count, term = data[entry], np.uintp(indices[entry])
            for component in range(components):
                row[component] += count * log_terms[term, component]
            entry += 1


@kernel
def posteriors(joint: Floats, evidence: Floats) -> None:
    """Turn log P(p_j) P(x_i | p_j) into Equation 5's posteriors, in place, and write log Σ_j P(p_j) P(x_i | p_j).

    A posterior under `NEGLIGIBLE` becomes 0: it counts for nothing that is counted, and most of them are.
    """
    for document in range(len(joint)):
        row = joint[document]
        highest = row[0]
        for component in range(1, row.size):
            highest = max(highest, row[component])
        total = 0.0
        for component in range(row.size):
            distance = row[component] - highest
            row[component] = np.exp(distance) if distance > LOG_NEGLIGIBLE else 0.0
            total += row[component]
        for component in range(row.size):
            row[component] /= total
        evidence[document] = highest + np.log(total)


@kernel
def add_four(
    data: Floats,
    indices: Integers,
    begin: int,
    end: int,
    components: Integers,
    weights: Floats,
    counts: Floats,
) -> None:
    """Add the entries of a document to the columns of four components."""
    first, second, third, fourth = components[0], components[1], components[2], components[3]
    a, b, c, d = weights[0], weights[1], weights[2], weights[3]
    for entry in range(begin, end):
        count, row = data[entry], counts[np.uintp(indices[entry])]
        row[first] += count * a
        row[second] += count * b
        row[third] += count * c
        row[fourth] += count * d


@kernel
def add_one(
    data: Floats,
    indices: Integers,
    begin: int,
    end: int,
    component: int,
    weight: float,
    counts: Floats,
) -> None:
    """Add the entries of a document to the column of one component."""
    for entry in range(begin, end):
        counts[np.uintp(indices[entry]), component] += data[entry] * weight


@kernel
def accumulate(
    data: Floats,
    indices: Integers,
    indptr: Integers,
    start: int,
    stop: int,
    weight: Floats,
    responsibilities: Floats,
    first: int,
    last: int,
    counts: Floats,
    totals: Floats,
) -> None:
    """Add Σ_i S_ij x_it to `counts` and Σ_i S_ij to `totals`, the sums of Equations 6 and 7, for some components.

    Every document counts by its weight.

    The components are those from `first` to `last`: threads share the table by its columns, so every cell is summed
    in the order of the documents by whoever has its column. Most documents belong to few components for certain, so
    each is passed over once for every four of its components, with their responsibilities at hand, and not once for an
    entry.
    """
    active, weights = np.empty(last - first, np.uintp), np.empty(last - first)
    for document in range(start, stop):
        row = responsibilities[document - start]
        n_active = 0
        for component in range(first, last):
            responsibility = row[component] * weight[document]
            if responsibility != 0.0:
                active[n_active], weights[n_active] = component, responsibility
                n_active += 1
                totals[component] += responsibility
        begin, end = indptr[document], indptr[document + 1]
        at = 0
        while at + 4 <= n_active:
            add_four(data, indices, begin, end, active[at : at + 4], weights[at : at + 4], counts)
            at += 4
        while at < n_active:
            add_one(data, indices, begin, end, active[at], weights[at], counts)
            at += 1


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
    restrict(X.data, X.indices, X.indptr, rows_of(known), data, indices, indptr)
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
            log_joint,
            [(*arrays, start + a, start + b, log_prior, log_terms, joint[a:b]) for a, b in ranges],
        )
        return joint

    def posteriors(self, joint: Floats) -> Floats:
        """Turn joint logarithms into posteriors, in place; give the logarithm of every row's sum."""
        evidence = np.empty(len(joint))
        ranges = even_ranges(len(joint), self.count)
        self.run(posteriors, [(joint[a:b], evidence[a:b]) for a, b in ranges])
        return evidence

    def accumulate(
        self, X: csr_array, span: Range, weight: Floats, responsibilities: Floats, counts: Floats, totals: Floats
    ) -> None:
        """Add a range of documents to the counts of terms and the totals of components, by their responsibilities."""
        documents = (X.data, X.indices, X.indptr, *span, weight, responsibilities)
        columns = even_ranges(totals.size, self.count)
        self.run(accumulate, [(*documents, *some, counts, totals) for some in columns])


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
