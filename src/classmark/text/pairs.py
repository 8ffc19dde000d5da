"""Pairs of neighbouring terms, found by number: no string is made of a pair that nobody keeps.

A term has a number, and a pair of them has a key of both numbers. In a block of documents all keys are made at once,
and looked up at once; to join the strings, and to look each up, takes three times as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["ABSENT", "DROPPED", "KnownPairs", "NumberedPairs", "Pairs", "members", "with_pairs"]

ABSENT = -1  # the column of a term that has none
DROPPED = -2  # the number of a token that is no term: its neighbours are neighbours of each other

MEMBER_BITS = 32


class Pairs(Protocol):
    """What tells the columns of terms by their numbers, and of pairs by their keys."""

    def of_terms(self, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        """Give the columns of single terms."""

    def of_pairs(self, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        """Give the columns of pairs."""


def key_of(first: int, second: int) -> int:
    """Give the key of a pair of numbers."""
    return first << MEMBER_BITS | second


def members(key: int) -> tuple[int, int]:
    """Give the two numbers of a key."""
    return key >> MEMBER_BITS, key & ((1 << MEMBER_BITS) - 1)


def with_pairs(
    numbers: NDArray[np.int32],
    weights: NDArray[np.float64],
    ends: NDArray[np.int64],
    texts: NDArray[np.bool_],
    pairs: Pairs,
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]:
    """Put the pairs of each row that is a text behind its single terms.

    Rows lie one after another, row i from ``ends[i]`` to ``ends[i + 1]``. Returned are columns, weights and ends.
    """
    rows = np.repeat(np.arange(len(texts)), np.diff(ends))
    terms = numbers != DROPPED
    numbers, weights, rows = numbers[terms], weights[terms], rows[terms]
    first, second = numbers[:-1], numbers[1:]
    joined = np.flatnonzero((rows[1:] == rows[:-1]) & texts[rows[:-1]] & (first >= 0) & (second >= 0))
    found = pairs.of_pairs(first[joined].astype(np.int64) << MEMBER_BITS | second[joined])
    joined, found = joined[found != ABSENT], found[found != ABSENT]

    rows = np.concatenate([rows, rows[joined]])
    order = np.argsort(rows, kind="stable")  # a merge of two sorted parts
    columns = np.concatenate([pairs.of_terms(numbers), found])[order]
    weights = np.concatenate([weights, np.ones(len(found))])[order]
    ends = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(texts)))])
    return columns, weights, ends


class NumberedPairs:
    """Pairs while a vocabulary is learned: a new one gets the next number, from the same dictionary as the terms."""

    def __init__(self, numbers: dict[str | int, int]) -> None:
        self._numbers = numbers

    def of_terms(self, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        """Give the numbers themselves."""
        return numbers

    def of_pairs(self, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        """Give the numbers of pairs."""
        different, which = np.unique(keys, return_inverse=True)
        numbers = map(self._numbers.__getitem__, different.tolist())
        return np.fromiter(numbers, np.int32, len(different))[which]


class KnownPairs:
    """The pairs of a vocabulary, in which a term of two words is a pair.

    Examples
    --------
    >>> known = KnownPairs(["ice", "ice cream"])
    >>> known.number("ice"), known.number("cream"), known.number("snow")
    (0, 3, -1)
    >>> known.of_pairs(np.array([key_of(0, 3), key_of(3, 0)]))
    array([ 1, -1], dtype=int32)
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._words = {term: column for column, term in enumerate(vocabulary) if " " not in term}
        self._width = len(vocabulary)
        columns = {self._key(term): column for column, term in enumerate(vocabulary) if term.count(" ") == 1}
        self._keys = np.fromiter(sorted(columns), np.int64, len(columns))
        self._columns = np.fromiter((columns[key] for key in self._keys.tolist()), np.int32, len(columns))

    def _key(self, pair: str) -> int:
        first, _, second = pair.partition(" ")
        return key_of(self._numbered(first), self._numbered(second))

    def _numbered(self, word: str) -> int:
        return self._words.setdefault(word, self._width + len(self._words))

    def number(self, word: str) -> int:
        """Give the number of a word: its column, or one beyond them if it has none but stands in a pair."""
        return self._words.get(word, ABSENT)

    def of_terms(self, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        """Give the columns of words; those beyond the vocabulary have none."""
        return np.where(numbers < self._width, numbers, ABSENT).astype(np.int32, copy=False)

    def of_pairs(self, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        """Give the columns of pairs."""
        if len(self._keys) == 0:
            return np.full(len(keys), ABSENT, dtype=np.int32)
        nearest = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[nearest] == keys, self._columns[nearest], ABSENT).astype(np.int32, copy=False)
