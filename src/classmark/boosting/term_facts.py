"""What whoever asks the parts of boosting knows of the terms: which there are, in how many documents, and in which.

`Together` has all documents of a matrix here; `Elsewhere` has them in parts on workers, and knows no more than sums.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.boosting.problem import codes_of, frequent_first, make_terms
from classmark.parallel.places import Call
from classmark.parted import PartedMatrix, by_rows, columns_of

Columns = npt.NDArray[np.int64]
Documents = npt.NDArray[np.uint32]
Ask = Callable[[int], Documents]


class Together:
    """The terms of a matrix that is here.

    Attributes
    ----------
    columns : array of int, (n_terms,)
        The columns, the rare ones last; the first of equal ones alone, if they are merged.
    sizes : array of int, (n_terms,)
        In how many documents each is.
    document_starts : array of int, (n_documents + 1,)
        How many entries the documents before each have in these columns.
    n_frequent : int
        How many are in over `rare` documents.
    """

    def __init__(self, X: csr_array, rare: int, merge: bool) -> None:
        terms, self.n_frequent = make_terms(X, rare, merge=merge)
        self._X, self._documents, self._starts = X, terms.documents, terms.starts
        self.columns, self.sizes, self.document_starts = terms.columns, np.diff(terms.starts), terms.document_starts
        self._place_of = np.empty(X.shape[1], dtype=np.int64)
        self._place_of[terms.columns] = np.arange(terms.columns.size)

    def part(self, columns: Columns) -> tuple[csr_array | None, Columns]:
        """Give what a part is made of."""
        return csr_array(self._X[:, columns]), columns

    def rows(self, columns: Columns) -> Iterator[Call]:
        """Give what a part is told of the rows afterwards: nothing."""
        return iter(())

    def documents_with(self, column: int, ask: Ask) -> Documents:
        """Give the documents that have the term of a column."""
        place = self._place_of[column]
        return self._documents[self._starts[place] : self._starts[place + 1]]


class Elsewhere:
    """The terms of a matrix that is in parts on workers; the attributes are those of `Together`."""

    def __init__(self, X: PartedMatrix, rare: int, merge: bool) -> None:
        self._X = X
        codes = codes_of(X.shape[0])
        found = X.reduced(_sizes_and_codes, np.add, aligned=(codes,))
        sizes, sums = found if found is not None else np.zeros((2, X.shape[1]), np.uint64)
        firsts = _first_of_alike(sizes, sums) if merge else np.arange(X.shape[1])
        self.columns, self.n_frequent = frequent_first(firsts, sizes[firsts], rare)
        self.sizes = sizes[self.columns].astype(np.int64)
        there = np.zeros(X.shape[1], dtype=bool)
        there[self.columns] = True
        self.document_starts = np.concatenate([[0], np.cumsum(by_rows(X, _count_of, there))])

    def part(self, columns: Columns) -> tuple[csr_array | None, Columns]:
        """Give what a part is made of; its rows follow."""
        return None, columns

    def rows(self, columns: Columns) -> Iterator[Call]:
        """Send a part the rows of its terms, some at a time."""
        for rows in self._X.mapped(columns_of, columns, n_columns=len(columns)).pieces():
            yield "take", (rows,)
        yield "begin", ()

    def documents_with(self, column: int, ask: Ask) -> Documents:
        """Ask who has the term of a column which documents have it."""
        return ask(column)


def _sizes_and_codes(X: csr_array, codes: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Give in how many rows each column is, and the sum of the numbers of these rows, which may run over."""
    by_column = X.tocsc()
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(codes[by_column.indices], dtype=np.uint64)])
    return np.stack([np.diff(by_column.indptr).astype(np.uint64), np.diff(sums[by_column.indptr])])


def _first_of_alike(sizes: npt.NDArray[Any], sums: npt.NDArray[np.uint64]) -> Columns:
    """Give the columns that are like no earlier one.

    As many documents with the same sum of random numbers are the same ones, but for one case in 10^19.

    >>> _first_of_alike(np.array([2, 1, 2]), np.array([7, 7, 7], dtype=np.uint64))
    array([0, 1])
    """
    order = np.lexsort((np.arange(sizes.size), sums, sizes))
    new = np.ones(sizes.size, dtype=bool)
    new[1:] = [(sizes[a], sums[a]) != (sizes[b], sums[b]) for a, b in pairwise(order)]
    return np.sort(order[new])


def _count_of(X: csr_array, there: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Count the entries of each row in some columns."""
    found = np.concatenate([[0], np.cumsum(there[X.indices])])
    return np.diff(found[X.indptr])
