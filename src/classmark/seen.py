"""Which documents a model was trained on: a number for each, made of the terms it has and not of how often.

A model that is asked about its own training documents answers too well. Numbers are enough to notice that, take eight
bytes a document, and say nothing of what stands in it.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import finalised

__all__ = ["Seen", "row_marks", "row_numbers", "token_numbers"]

Numbers: TypeAlias = npt.NDArray[np.uint64]

ENTRIES_AT_A_TIME = 1 << 20


def row_numbers(X: csr_array) -> Numbers:
    """Give each row the sum of random numbers, one for each column that it has, by sign; 0 for a row without any.

    Examples
    --------
    >>> first, second, third = row_numbers(csr_array([[1, 0, 2], [0.5, 0, 3], [1, 1, 0]]))
    >>> first == second, first == third
    (np.True_, np.False_)
    """
    return _summed(X, _mixed)


def row_marks(X: csr_array) -> Numbers:
    """Give each row a number by which what stands in it is known again: the columns and their values, to the last bit.

    >>> first, second, third = row_marks(csr_array([[1, 0, 2], [1, 0, 2], [1, 0, 3]]))
    >>> first == second, first == third
    (np.True_, np.False_)
    """
    return _summed(X, _mixed_bits)


def _summed(X: csr_array, mix: Callable[..., Numbers]) -> Numbers:
    """Give each row the sum of the numbers of its entries, some entries at a time."""
    found = np.zeros(X.shape[0], dtype=np.uint64)
    start = 0
    while start < X.shape[0]:
        limit = X.indptr[start] + ENTRIES_AT_A_TIME
        stop = max(start + 1, int(np.searchsorted(X.indptr, limit, "right")) - 1)
        entries = slice(X.indptr[start], X.indptr[stop])
        random = mix(X.indices[entries], X.data[entries])
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(random, dtype=np.uint64)])
        ends = sums[X.indptr[start : stop + 1] - X.indptr[start]]
        found[start:stop] = ends[1:] - ends[:-1]
        start = stop
    return found


def token_numbers(X: csr_array) -> Numbers:
    """Give rows of token numbers what `row_numbers` gives rows of terms: by the tokens they have, in any order.

    >>> first, second, third = token_numbers(csr_array([[5, 7], [7, 5], [5, 5]]))
    >>> first == second, first == third
    (np.True_, np.False_)
    """
    tokens = X.data.astype(np.int64)
    return row_numbers(
        csr_array((np.ones(tokens.size), tokens, X.indptr), (X.shape[0], int(tokens.max(initial=0)) + 1))
    )


def _mixed(columns: npt.NDArray[np.integer], values: npt.NDArray[np.number]) -> Numbers:
    """Give a random number for each column and sign; none for the value 0."""
    numbers = columns.astype(np.uint64) * np.uint64(2) + (values < 0) + np.uint64(1)
    return np.where(values == 0, np.uint64(0), finalised(numbers * np.uint64(0x9E3779B97F4A7C15)))


def _mixed_bits(columns: npt.NDArray[np.integer], values: npt.NDArray[np.number]) -> Numbers:
    """Give a random number for each column and value."""
    numbers = finalised(columns.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1))
    return finalised(numbers ^ np.ascontiguousarray(values, dtype=np.float64).view(np.uint64))


class Seen:
    """Counts the documents that pass by and were trained on.

    Examples
    --------
    >>> X = csr_array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> seen = Seen(row_numbers(X[:1]))
    >>> len(list(seen.counting([X, X]))), seen.count
    (2, 2)
    """

    def __init__(self, trained_on: Numbers, numbers: Callable[[csr_array], Numbers] = row_numbers) -> None:
        self._numbers = numbers
        # Looked up by halving, where nothing is larger the last one, 0, is found, which is no document's.
        self._trained_on = np.append(np.sort(trained_on[trained_on > 0]), np.uint64(0))
        self.count = 0

    def counting(self, matrices: Iterable[csr_array]) -> Iterator[csr_array]:
        """Pass matrices on, and count in them."""
        for X in matrices:
            numbers = self._numbers(X)
            nearest = self._trained_on[np.searchsorted(self._trained_on[:-1], numbers)]
            self.count += int(((nearest == numbers) & (numbers > 0)).sum())
            yield X
