"""Documents to rows of counts: tokens to column numbers, numbers to sums, block by block.

Pairs of neighboring terms are found by number, so that no string is made of a pair that is dropped. A term has a
number, and a pair of them has a key of both numbers. In a block of documents all keys are made at once, and looked up
at once; to join the strings, and to look each up, takes three times as long.
"""

from __future__ import annotations

import warnings
from array import array
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from scipy.sparse import csr_array

from classmark.data.stored import WIDEST, GrowingMatrix
from classmark.errors import InputError
from classmark.hierarchy.build import is_missing
from classmark.text.analyser import Memo

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


if TYPE_CHECKING:
    from numpy.typing import NDArray

    from classmark.text.analyser import TermReader
    from classmark.text.counting import Pairs

Document = str | Mapping[str, float]

BLOCK = 1 << 20  # tokens: enough to make numpy's overhead small, a few megabytes at a time
MOST_TERMS = 1 << 22  # about a gigabyte of them


class Lookup(NamedTuple):
    """How a document finds its columns: a text by its pieces, ready-made features by their terms.

    With `pairs`, pieces find the numbers of terms, of which columns are made a block at a time.
    """

    pieces: Callable[[str], list[str]]
    of_pieces: Callable[[list[str]], Iterable[int]]
    of_term: Callable[[str], int]
    pairs: Pairs | None = None


class Known(dict[str, int]):
    """Term → column, where a term without a column is absent."""

    @classmethod
    def of(cls, terms: list[str]) -> Known:
        """Give terms the columns of their order."""
        return cls(zip(terms, range(len(terms)), strict=True))

    def __missing__(self, term: str) -> int:
        return ABSENT

    def of_all(self, terms: list[str]) -> Iterable[int]:
        """Give the columns of many terms, of which most have none: faster than to miss each of them."""
        return map(self.get, terms, repeat(ABSENT))


class Numbered(dict[str | int, int]):
    """Term, or key of a pair → column, where a new one gets the next; beyond `MOST_TERMS` only a single token."""

    left_out = 0

    def __missing__(self, term: str | int) -> int:
        if len(self) >= MOST_TERMS and (isinstance(term, int) or " " in term):
            self.left_out += 1
            return ABSENT
        self[term] = number = len(self)
        return number


def warn_of_left_out(left_out: int) -> None:
    """Say that runs were not counted, if any were not."""
    if left_out:
        warnings.warn(
            f"more than {MOST_TERMS:,} different terms: runs of tokens that come later are not counted; "
            "set ngrams=1 to do without runs",
            stacklevel=4,
        )


def lookup_of(
    reader: TermReader,
    of_term: Callable[[str], int],
    of_terms: Callable[[list[str]], Iterable[int]] | None = None,
) -> Lookup:
    """Give the lookup of a reader: token by token, with a memory, unless terms are joined of several tokens.

    For these `of_terms`, if given, finds the columns of many at once.
    """
    if reader.joins:
        return Lookup(reader.terms, of_terms or partial(map, of_term), of_term)

    def of_token(token: str) -> int:
        term = reader.term(token)
        return ABSENT if term is None else of_term(term)

    return Lookup(reader.tokens, partial(map, Memo(of_token).__getitem__), of_term)


def lookup_with_pairs(
    reader: TermReader, of_word: Callable[[str], int], of_term: Callable[[str], int], pairs: Pairs
) -> Lookup:
    """Give the lookup of a reader that joins pairs: its words token by token, with a memory, pairs by the block."""

    def of_token(token: str) -> int:
        term = reader.term(token)
        return DROPPED if term is None else of_word(term)

    return Lookup(reader.tokens, partial(map, Memo(of_token).__getitem__), of_term, pairs)


def count(documents: Iterable[Document], lookup: Lookup, *, binary: bool) -> csr_array:
    """Return the rows of the documents, in a matrix that is `WIDEST` wide."""
    check_documents(documents)
    pieces, of_pieces, of_term, pairs = lookup
    rows, matrix = _Rows(), GrowingMatrix()
    for position, document in enumerate(documents):
        if isinstance(document, str):
            rows.columns.extend(of_pieces(pieces(document)))
        else:
            rows.weights.append((len(rows.ends) - 1, _checked_weights(document, position)))
            rows.columns.extend(map(of_term, document))
        rows.ends.append(len(rows.columns))
        if len(rows.columns) >= BLOCK:
            _put_below(matrix, rows.summed(pairs, binary=binary))
            rows = _Rows()
    _put_below(matrix, rows.summed(pairs, binary=binary))
    return matrix.finished()


def _put_below(matrix: GrowingMatrix, block: csr_array) -> None:
    matrix.extend(block.data, block.indices, np.diff(block.indptr))


def distinct_columns(rows: csr_array) -> tuple[NDArray[np.int32], csr_array]:
    """Give the columns that a matrix uses, rising, and a copy of it, in double precision, that has these alone."""
    used = np.zeros(int(rows.indices.max(initial=0)) + 1, dtype=bool)
    used[rows.indices] = True
    columns = np.flatnonzero(used).astype(np.int32)
    indices = rows.indices.copy()
    renumber(indices, np.cumsum(used, dtype=np.int32) - np.int32(1))
    parts = (rows.data.astype(np.float64), indices, rows.indptr.copy())
    return columns, csr_array(parts, shape=(rows.shape[0], WIDEST))


class _Rows:
    """Rows in the making: columns one after another, where each row ends, and the weights of rows without a text."""

    def __init__(self) -> None:
        self.columns = array("i")
        self.ends = array("q", [0])
        self.weights: list[tuple[int, array[float]]] = []

    def summed(self, pairs: Pairs | None, *, binary: bool) -> csr_array:
        """Return the rows as CSR, `WIDEST` wide, with repeated columns added up."""
        columns, ends = np.asarray(self.columns), np.asarray(self.ends)
        data = np.ones(len(columns))
        texts = np.ones(len(ends) - 1, dtype=bool)
        for row, weights in self.weights:
            data[ends[row] : ends[row + 1]] = weights
            texts[row] = False
        if pairs is not None:
            columns, data, ends = with_pairs(columns, data, ends, texts, pairs)
        present = (columns != ABSENT) & (data > 0)
        before = np.zeros(len(columns) + 1, dtype=np.int32)  # present entries before each position
        np.cumsum(present, out=before[1:])
        ends = before[ends]
        block = csr_array((data[present], columns[present], ends), shape=(len(ends) - 1, WIDEST))
        block.sum_duplicates()
        if binary:
            block.data.fill(1.0)
        return block


def renumber(indices: NDArray[np.int32], numbers: NDArray[np.int32]) -> None:
    """Give columns other numbers in place, a block at a time: numpy widens the indices it looks up by."""
    for start in range(0, len(indices), BLOCK):
        part = slice(start, start + BLOCK)
        indices[part] = numbers[indices[part]]


def column_sums(indices: NDArray[np.int32], weights: NDArray[np.float64] | None, n_columns: int) -> NDArray[np.float64]:
    """Add up the entries of each column, or their weights, a block at a time: `bincount` widens what it is given."""
    sums = np.zeros(n_columns)
    for start in range(0, len(indices), BLOCK):
        part = slice(start, start + BLOCK)
        sums += np.bincount(indices[part], None if weights is None else weights[part], minlength=n_columns)
    return sums


def sized(counts: csr_array, columns: NDArray[np.int32], n_terms: int) -> csr_array:
    """Give counts their width, and the columns their final numbers."""
    return csr_array((counts.data, columns, counts.indptr), shape=(counts.shape[0], n_terms))


def _weights(features: Mapping[str, float]) -> array[float] | None:
    """Return the weights, or None if a term is no text or a weight no finite number >= 0."""
    if not all(issubclass(kind, str) for kind in set(map(type, features))):
        return None
    try:
        weights = array("d", features.values())
    except (TypeError, OverflowError):
        return None
    values = np.asarray(weights)
    return weights if np.all((values >= 0) & (values < np.inf)) else None


def _checked_weights(document: Document, position: int) -> array[float]:
    if not isinstance(document, Mapping):
        if is_missing(document):
            raise InputError(f"document {position} has no text ({document!r}): fill it in, or leave it out")
        kind = type(document).__name__
        raise InputError(f"document {position} is {kind}: give a text or a mapping of terms to weights")
    weights = _weights(document)
    if weights is None:
        term, weight = next(item for item in document.items() if _weights(dict([item])) is None)
        raise InputError(
            f"document {position} has the weight {weight!r} for the term {term!r}: "
            "give a text as term and a finite number >= 0 as weight"
        )
    return weights


def check_documents(documents: object) -> None:
    """Refuse what is not a number of documents."""
    remedy = "give a list of documents, each a text or a mapping of terms to weights"
    if isinstance(documents, str | bytes | Mapping):
        raise InputError(f"documents is a single {type(documents).__name__}: {remedy}")
    # A table iterates over its column names and a matrix over its rows: neither is what was meant.
    if not isinstance(documents, Iterable) or getattr(documents, "ndim", 1) != 1:
        raise InputError(f"documents is of type {type(documents).__name__}: {remedy}")
