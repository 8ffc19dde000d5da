"""The nearest documents of some queries in one segment, and in several together."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from classmark.index.kernels import Weighed
from classmark.index.searching import BLOCK, Queries, search
from classmark.parallel import balanced_ranges, threads

RANGES_A_THREAD = 8


class Neighbours(NamedTuple):
    """The nearest documents of each query, best first; rows end in -1 and 0 where there are no more."""

    documents: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float32]


def numbers_in(vocabulary: npt.NDArray[np.int32], columns: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
    """Give columns in a segment's own numbers, -1 where it does not have them."""
    if not len(vocabulary):
        return np.full(len(columns), -1, dtype=np.int32)
    numbers = np.minimum(np.searchsorted(vocabulary, columns), len(vocabulary) - 1)
    return np.where(vocabulary[numbers] == columns, numbers, -1).astype(np.int32)


def search_segment(weighed: Weighed, queries: Queries, k: int, first: int, count: int) -> Neighbours:
    """Search one segment, whose documents are numbered from `first` on, in ranges of queries, a thread each."""
    n_queries = len(queries.starts) - 1
    documents = np.full((n_queries, k), -1, dtype=np.int32)
    scores = np.zeros((n_queries, k), dtype=np.float32)
    ranges = balanced_ranges(queries.starts, count * RANGES_A_THREAD if count > 1 else 1)
    with threads(count) as run:
        run(search, [(weighed, queries, BLOCK, *each, documents, scores) for each in ranges])
    documents[documents >= 0] += first
    return Neighbours(documents, scores)


def best_of(parts: list[Neighbours], n_queries: int, k: int) -> Neighbours:
    """Choose the best k among those of all segments; the numbers of later segments are higher."""
    documents, scores = _side_by_side(parts, n_queries, k)
    if len(parts) > 1:
        # Stable: of equal scores the earlier segment's, which has the lower number, stays first; padding is 0.
        order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        return Neighbours(np.take_along_axis(documents, order, axis=1), np.take_along_axis(scores, order, axis=1))
    return Neighbours(documents[:, :k].copy(), scores[:, :k].copy())


def best_by_number(parts: list[Neighbours], n_queries: int, k: int) -> Neighbours:
    """Choose the best k among those of parts whose numbers lie between each other: of equal scores the lower first.

    >>> one = Neighbours(np.array([[0, 3]], np.int32), np.array([[2, 1]], np.float32))
    >>> other = Neighbours(np.array([[2, 1]], np.int32), np.array([[1, 0.5]], np.float32))
    >>> best_by_number([one, other], 1, 3).documents.tolist()
    [[0, 2, 3]]
    """
    documents, scores = _side_by_side(parts, n_queries, k)
    # What is found has a score above 0, so that padding comes last whatever its number.
    order = np.lexsort((documents, -scores), axis=1)[:, :k]
    return Neighbours(np.take_along_axis(documents, order, axis=1), np.take_along_axis(scores, order, axis=1))


def _side_by_side(parts: list[Neighbours], n_queries: int, k: int) -> Neighbours:
    """Put what was found in each row of the same query, and padding for k documents after it."""
    padding = Neighbours(np.full((n_queries, k), -1, dtype=np.int32), np.zeros((n_queries, k), dtype=np.float32))
    documents = np.concatenate([*(part.documents for part in parts), padding.documents], axis=1)
    return Neighbours(documents, np.concatenate([*(part.scores for part in parts), padding.scores], axis=1))
