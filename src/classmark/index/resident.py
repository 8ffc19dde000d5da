"""A part of an index on a worker: some of its documents, among which it finds the nearest ones.

What depends on all documents, their mean length and the weights of terms, is known to who asks, and comes with the
queries; norms are made of it and of the documents' own lengths as the whole index makes them, so that scores have the
same bits.
"""

import numpy as np
import numpy.typing as npt

from classmark.index.kernels import Rows
from classmark.index.matching import Weighed
from classmark.index.nearest import Neighbours, best_of, numbers_in, search_segment
from classmark.index.scoring import Measure, norms_of
from classmark.index.searching import Queries
from classmark.index.segment import Segment, Written, are_to_merge, build_segment, gather_rows, weigh_segment


class IndexPart:
    """Some documents of an index, numbered in the order in which they come.

    Parameters
    ----------
    measure : Measure
        How documents are compared.
    n_threads : int
        How many threads weigh and search.

    Examples
    --------
    >>> part = IndexPart(Measure("overlap", 1.2, 0.75, "lucene"), 1)
    >>> part.take(np.array([7], np.int32), Rows(np.array([0, 1]), np.zeros(1, np.int32), np.ones(1, np.uint8)))
    >>> seven = np.array([0, 1]), np.array([7]), np.ones(1, np.float32), np.ones(1, bool), np.ones(1), False
    >>> part.top(Queries(*seven), 5, 1.0).documents.tolist()
    [[0]]
    """

    def __init__(self, measure: Measure, n_threads: int) -> None:
        self.measure, self.n_threads = measure, n_threads
        self.segments: list[Segment] = []
        self.present = np.empty(0, dtype=bool)
        self._coming: list[Written] = []
        self._weighed: list[Weighed] = []
        self._mean: float | None = None

    def take(self, vocabulary: npt.NDArray[np.int32], rows: Rows) -> None:
        """Take up documents; lists are made of them when somebody asks, of all that have come at once."""
        self._coming.append((vocabulary, rows))
        self.present = np.concatenate([self.present, np.ones(len(rows.starts) - 1, dtype=bool)])

    def mark(self, documents: npt.NDArray[np.integer], there: npt.NDArray[np.bool_]) -> None:
        """Take up which documents are there; those that are not keep their numbers, and may come back."""
        self.present[documents] = there
        self._mean = None

    def top(self, queries: Queries, k: int, mean: float) -> Neighbours:
        """Find the nearest documents here, by the mean length of all; the terms of the queries are columns."""
        self._settle()
        if mean != self._mean:
            self._weigh(mean)
        found, first = [], 0
        for segment, weighed in zip(self.segments, self._weighed, strict=True):
            inside = queries._replace(terms=numbers_in(segment.vocabulary, queries.terms))
            found.append(search_segment(weighed, inside, min(k, len(segment)), first, self.n_threads))
            first += len(segment)
        return best_of(found, len(queries.starts) - 1, min(k, first))

    def _settle(self) -> None:
        """Make segments of what has come, few of them, however often something does."""
        if not self._coming:
            return
        self.segments.append(self._segment_of(self._coming))
        self._coming, self._mean = [], None
        while are_to_merge(self.segments):
            self.segments[-2:] = [self._segment_of([(one.vocabulary, one.rows) for one in self.segments[-2:]])]

    def _segment_of(self, written: list[Written]) -> Segment:
        everything = [np.ones(len(rows.starts) - 1, dtype=bool) for _, rows in written]
        return build_segment(*gather_rows(written, everything, renumber=True), self.measure)

    def _weigh(self, mean: float) -> None:
        """Compute all weights for a mean length."""
        self._weighed = []
        first = 0
        for segment in self.segments:
            present = self.present[first : first + len(segment)]
            norms = norms_of(np.where(present, segment.lengths(), np.nan), mean, self.measure)
            weights = weigh_segment(segment, norms, self.measure, self.n_threads)
            self._weighed.append(Weighed(segment.rows, segment.lists, weights, segment.bits, segment.signatures))
            first += len(segment)
        self._mean = mean
