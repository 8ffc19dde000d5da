"""`InvertedIndex`: documents by their terms, the nearest ones found exactly; documents come and go.

An index is a list of segments (`segment`), which never change, and of what is deleted from them. BM25 weights depend
on all documents, by the mean length and the number of documents with a term: they are computed for the whole index when
it is first asked after a change, a few nanoseconds a posting, so that it answers exactly as one built anew would.
"""

from collections.abc import Iterable
from itertools import repeat
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.errors import InputError
from classmark.index.kernels import Weighed, count_terms
from classmark.index.nearest import Neighbours as Neighbours
from classmark.index.nearest import best_of, numbers_in, search_segment
from classmark.index.scoring import (
    SCORINGS,
    Measure,
    checked_measure,
    idf_of,
    local_weights,
    norms_of,
    plain_idf,
)
from classmark.index.searching import Queries
from classmark.index.segment import (
    KeptWeights,
    Segment,
    Written,
    are_to_merge,
    build_segment,
    check_frequencies,
    merge_segments,
    rows_of,
    segment_from_state,
    segment_to_state,
    weigh_segment,
    weights_from_state,
    weights_to_state,
)
from classmark.index.spread import Documents, Origin, Serials, SpreadIndex, spread
from classmark.parallel import Place, elsewhere, n_threads
from classmark.persistence import State, checked_array

LARGEST_ANSWER = 1 << 27
"""How many neighbours are found at a time: 1 GiB of documents and scores, before those of segments are compared."""


class Statistics(NamedTuple):
    """What is known of all documents together, and the segments with the weights that follow from it."""

    n_documents: int
    mean_length: float
    frequencies: npt.NDArray[np.int64]
    segments: list[Weighed]
    documents: Documents


class InvertedIndex:
    """The nearest documents by common terms.

    Parameters
    ----------
    scoring : {"okapi", "printed", "overlap"}
        The measure: Okapi's BM25, BM25 as lshtc_knn_2014 prints it, or the share of common features (`scoring`).
    k1, b : float
        BM25's parameters: how late a frequency saturates, and how much the length of a document counts.
    idf : {"lucene", "robertson"}
        BM25's weight of a term: always above 0, or the paper's, 0 for a term in half of the documents or more.
    n_jobs : int, optional
        How many threads compute weights; -1 is one a core.

    Attributes
    ----------
    segments : list of Segment
        The documents, deleted ones among them.
    present : list of array of bool
        For each segment, which of its documents are there.
    serials : list of array of int
        For each segment, which documents they are, whatever their numbers.
    kept_weights : list of KeptWeights, optional
        For each segment, the weights that were read from a file and need not be computed; None after a change.

    Examples
    --------
    >>> counts = csr_array([[2, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 3]])
    >>> index = InvertedIndex(scoring="overlap")
    >>> index.add(counts)
    range(0, 3)
    >>> found = index.top(csr_array([[1, 0, 1, 0]]), k=2)
    >>> found.documents, found.scores  # one of three features each
    (array([[0, 1]], dtype=int32), array([[0.33333334, 0.33333334]], dtype=float32))
    >>> index.delete([0])
    >>> index.top(csr_array([[1, 0, 1, 0]]), k=2).documents.tolist()
    [[1, -1]]
    """

    def __init__(
        self,
        *,
        scoring: str = "okapi",
        k1: float = 1.2,
        b: float = 0.75,
        idf: str = "lucene",
        n_jobs: int | None = None,
    ) -> None:
        self.measure = checked_measure(scoring, k1, b, idf)
        self.n_jobs = n_jobs
        self.n_terms = 0
        self.segments: list[Segment] = []
        self.present: list[npt.NDArray[np.bool_]] = []
        self.origin = Origin()
        self.serials: list[Serials] = []
        self._statistics: Statistics | None = None
        self.kept_weights: list[KeptWeights] | None = None

    @classmethod
    def build(
        cls,
        counts: csr_array,
        *,
        scoring: str = "okapi",
        k1: float = 1.2,
        b: float = 0.75,
        idf: str = "lucene",
        n_jobs: int | None = None,
    ) -> Self:
        """Make an index of documents, weights included.

        Parameters
        ----------
        counts : csr_array of shape (n_documents, n_terms)
            Frequencies of terms, not negative.
        scoring, k1, b, idf, n_jobs
            As for the class.
        """
        index = cls(scoring=scoring, k1=k1, b=b, idf=idf, n_jobs=n_jobs)
        index.add(counts)
        index.statistics()
        return index

    @classmethod
    def from_segments(
        cls,
        segments: Iterable[Segment],
        live: Iterable[npt.NDArray[np.bool_]],
        n_terms: int,
        measure: Measure,
        n_jobs: int | None = None,
    ) -> Self:
        """Make an index of segments, and of which of their documents are there."""
        index = cls(**measure._asdict(), n_jobs=n_jobs)
        index.n_terms, index.segments, index.present = n_terms, list(segments), list(live)
        index.serials = [index.origin.give(len(segment)) for segment in index.segments]
        return index

    def follow(self, before: "InvertedIndex", kept: npt.NDArray[np.bool_]) -> None:
        """Take up which documents are which: first those that the index before had and kept, then new ones."""
        serials = np.full(self.n_slots, -1)
        known = np.concatenate([np.empty(0, np.int64), *before.serials])[kept]
        serials[self.live] = np.concatenate([known, before.origin.give(len(self) - len(known))])
        self.origin = before.origin
        ends = np.cumsum([len(segment) for segment in self.segments]).tolist()
        self.serials = [serials[end - len(one) : end] for end, one in zip(ends, self.segments, strict=True)]

    def __len__(self) -> int:
        """Give the number of documents, without the deleted ones."""
        return int(sum(live.sum() for live in self.present))

    @property
    def n_slots(self) -> int:
        """The number of documents with the deleted ones; all numbers of documents are below it."""
        return sum(map(len, self.segments))

    @property
    def live(self) -> npt.NDArray[np.bool_]:
        """Which document numbers are of documents that are there."""
        return np.concatenate([np.empty(0, bool), *self.present])

    @property
    def mean_length(self) -> float:
        """The mean of the documents' lengths."""
        return self.statistics().mean_length

    @property
    def idf(self) -> npt.NDArray[np.float64]:
        """The weight of each term in the collection."""
        known = self.statistics()
        return idf_of(known.n_documents, known.frequencies, self.measure)

    def add(self, counts: csr_array) -> range:
        """Add documents, and give their numbers. A matrix with more columns than before brings new terms."""
        counts = csr_array(counts)
        first = self.n_slots
        if first + counts.shape[0] > np.iinfo(np.int32).max:
            raise InputError(f"an index holds up to {np.iinfo(np.int32).max:,} documents; make a second one")
        vocabulary, rows = rows_of(counts)
        if counts.shape[1] > self.n_terms:
            self.n_terms = counts.shape[1]
            self._changed()
        if counts.shape[0]:
            self.segments.append(build_segment(vocabulary, rows, self.measure))
            self.present.append(np.ones(counts.shape[0], dtype=bool))
            self.serials.append(self.origin.give(counts.shape[0]))
            while are_to_merge(self.segments):
                merged = merge_segments(self.segments[-2:], self.present[-2:], self.measure, renumber=False)
                self.segments[-2:] = [merged]
                self.present[-2:] = [np.concatenate(self.present[-2:])]
                self.serials[-2:] = [np.concatenate(self.serials[-2:])]
            self._changed()
        return range(first, self.n_slots)

    def delete(self, documents: Iterable[int]) -> None:
        """Delete documents by their numbers, which nothing else gets before `compact`."""
        numbers = np.unique(np.fromiter(documents, dtype=np.int64))
        wrong = numbers[(numbers < 0) | (numbers >= self.n_slots)]
        if not wrong.size:
            wrong = numbers[~self.live[numbers]]
        if wrong.size:
            raise InputError(
                f"there is no document {wrong[0]} to delete ({len(wrong)} of {len(numbers)} are not there)"
            )
        first = 0
        for number, live in enumerate(self.present):
            inside = numbers[(numbers >= first) & (numbers < first + len(live))] - first
            if len(inside):
                # A copy: an index made by `from_segments` shares the array.
                self.present[number] = live.copy()
                self.present[number][inside] = False
            first += len(live)
        self._changed()

    def compact(self) -> npt.NDArray[np.int32]:
        """Make one segment of all, without the deleted documents; give the new number of each, -1 of the deleted."""
        live = self.live
        if len(self.segments) > 1 or not live.all():
            merged = merge_segments(self.segments, self.present, self.measure, renumber=True)
            serials = [np.concatenate(self.serials)[live]]
            self.segments, self.present = ([merged], [np.ones(len(merged), bool)]) if len(merged) else ([], [])
            self.serials = serials if len(merged) else []
            self._changed()
        return np.where(live, np.cumsum(live) - 1, -1).astype(np.int32)

    def counts(self) -> csr_array:
        """Give the frequencies of all documents, by number; those of deleted documents are 0."""
        if not self.segments:
            return csr_array((0, self.n_terms))
        vocabulary, rows = self.rows()
        parts = (rows.frequencies.astype(np.float64), vocabulary[rows.terms], rows.starts)
        return csr_array(parts, shape=(self.n_slots, self.n_terms))

    def rows(self) -> Written:
        """Give all documents by number, those that are deleted without terms, as rows over the columns of a vocabulary.

        They are those of the index itself where it has one segment alone.
        """
        whole = self.segments[0] if len(self.segments) == 1 and self.live.all() else None
        if whole is None:
            whole = merge_segments(self.segments, self.present, self.measure, renumber=False)
        return whole.vocabulary, whole.rows

    def top(
        self, queries: csr_array, k: int = 50, *, terms: int | None = None, n_jobs: int | None = None
    ) -> Neighbours:
        """Find the nearest k documents of each query.

        Parameters
        ----------
        queries : csr_array of shape (n_queries, n_terms)
            Frequencies of terms; what the index does not know makes a query longer and matches nothing.
        k : int
            How many documents; the answer is padded where fewer have a score above 0.
        terms : int, optional
            Look only at documents that have one of this many terms, the query's heaviest by TF · ln(N / N_0); these are
            scored over all terms. By default every document counts.
        n_jobs : int, optional
            How many threads answer; the answers are the same for any number.

        Returns
        -------
        Neighbours
            Documents and scores, best first, of equal scores the lower number first.
        """
        if k < 1 or (terms is not None and terms < 1):
            raise InputError(f"k={k!r} and terms={terms!r} are not allowed: give numbers from 1, or terms=None")
        queries = as_queries(queries)
        if k * queries.shape[0] > LARGEST_ANSWER:
            raise InputError(
                f"k={k} for {queries.shape[0]} queries: at most {LARGEST_ANSWER:,} documents are found at a time; "
                "give a smaller k, or fewer queries"
            )
        known = self.statistics()
        factors, forced = self._query_weights(queries, terms, known)
        sizes = np.diff(queries.indptr).astype(np.float64)
        sizes = sizes if SCORINGS[self.measure.scoring].is_overlap else np.zeros_like(sizes)
        starts, place = queries.indptr.astype(np.int64), elsewhere()
        asked = Queries(starts, queries.indices, factors, forced, sizes, terms is not None)
        if place is not None and self.n_slots:
            return self._parts(place).top(known.documents, known.mean_length, asked, k)
        parts, first = [], 0
        for segment, weighed in zip(self.segments, known.segments, strict=True):
            inside = asked._replace(terms=numbers_in(segment.vocabulary, queries.indices))
            parts.append(search_segment(weighed, inside, min(k, len(segment)), first, n_threads(n_jobs)))
            first += len(segment)
        return best_of(parts, queries.shape[0], k)

    def _parts(self, place: Place) -> SpreadIndex:
        """Give the parts of the index on the workers of a cluster, which stay there until it is closed."""
        return place.kept(self.origin, lambda: spread(place, self.measure))

    def common(self, query: csr_array, document: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Give the terms that a query, one row, has in common with a document, and what each contributes to the score.

        The contributions of BM25 sum to the score; those of `overlap` are 1 each, and sum to the number of common
        features.
        """
        if not 0 <= document < self.n_slots:
            raise InputError(f"there is no document {document}; the index has {self.n_slots}")
        query = as_queries(query)
        known = self.statistics()
        factors, _ = self._query_weights(query, None, known)
        ends = np.cumsum([len(segment) for segment in self.segments])
        holder = int(np.searchsorted(ends, document, side="right"))
        segment, weights = self.segments[holder], known.segments[holder].weights
        rows, row = segment.rows, document - (int(ends[holder]) - len(segment))
        inside = slice(rows.starts[row], rows.starts[row + 1])
        columns = segment.vocabulary[rows.terms[inside]]
        _, ours, theirs = np.intersect1d(columns, query.indices, assume_unique=True, return_indices=True)
        frequencies = rows.frequencies[inside][ours].astype(np.float64)
        local = local_weights(frequencies, weights.norms[row : row + 1].astype(np.float64), self.measure)
        return columns[ours], local.astype(np.float64) * factors[theirs]

    def statistics(self) -> Statistics:
        """Give what is known of all documents; after a change it is computed first."""
        # Read once: another thread may set it to None meanwhile.
        known = self._statistics
        if known is None:
            known = self._statistics = self._collect()
        return known

    def _changed(self) -> None:
        """Forget what is known of all documents together."""
        self._statistics = self.kept_weights = None

    def to_state(self) -> State:
        """Give the index as plain data and arrays, weights included: whoever takes it up need not compute them."""
        known = self.statistics()
        return {
            **self.measure._asdict(),
            "n_terms": self.n_terms,
            "segments": [
                segment_to_state(segment) | weights_to_state(weighed.weights)
                for segment, weighed in zip(self.segments, known.segments, strict=True)
            ],
            "deleted": np.flatnonzero(~self.live).astype(np.int32),
        }

    @classmethod
    def from_state(cls, state: State, *, n_jobs: int | None = None) -> Self:
        """Take up an index, refusing what cannot be one."""
        index = cls(**{name: state[name] for name in Measure._fields}, n_jobs=n_jobs)
        index.n_terms = int(state["n_terms"])
        index.segments = [segment_from_state(segment) for segment in state["segments"]]
        index.present = [np.ones(len(segment), dtype=bool) for segment in index.segments]
        index.serials = [index.origin.give(len(segment)) for segment in index.segments]
        if any(len(one.vocabulary) and one.vocabulary[-1] >= index.n_terms for one in index.segments):
            raise InputError("the index is damaged: it has terms beyond its own number of them; build it again")
        index.delete(checked_array(state, "deleted", np.int32, (None,)).tolist())
        index.kept_weights = list(map(weights_from_state, state["segments"], index.segments))
        return index

    def _collect(self) -> Statistics:
        lengths = [np.where(live, one.lengths(), np.nan) for one, live in zip(self.segments, self.present, strict=True)]
        # Contiguous, in the order of documents: the same sum, to the last bit, as that of an index built anew.
        there = np.concatenate([np.empty(0), *(one[live] for one, live in zip(lengths, self.present, strict=True))])
        mean = float(there.sum() / len(there)) if len(there) else 0.0
        frequencies = np.zeros(self.n_terms, dtype=np.int64)
        weighed = []
        kept = repeat(None) if self.kept_weights is None else iter(self.kept_weights)
        for segment, live, length in zip(self.segments, self.present, lengths, strict=True):
            inside = segment.document_frequencies()
            gone = np.zeros_like(inside)
            count_terms(segment.rows, np.flatnonzero(~live), gone)
            frequencies[segment.vocabulary] += inside - gone
            norms = norms_of(length, mean, self.measure)
            weights = weigh_segment(segment, norms, self.measure, self.n_jobs, next(kept))
            weighed.append(Weighed(segment.rows, segment.lists, weights, segment.bits, segment.signatures))
        documents = Documents(list(self.segments), list(self.present), list(self.serials))
        return Statistics(len(there), mean, frequencies, weighed, documents)

    def _query_weights(
        self, queries: csr_array, terms: int | None, known: Statistics
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Give each entry of the queries TF_1 · IDF_1, and whether its term chooses candidates."""
        lengths: npt.NDArray[np.float64] = np.bincount(
            _row_numbers(queries), weights=queries.data, minlength=queries.shape[0]
        ).astype(np.float64)
        norms = norms_of(lengths, known.mean_length, self.measure)[_row_numbers(queries)].astype(np.float64)
        inside = queries.indices < self.n_terms
        columns = np.where(inside, queries.indices, 0)
        frequencies = (
            np.where(inside, known.frequencies[columns], 0) if self.n_terms else np.zeros(queries.nnz, np.int64)
        )
        idf = idf_of(known.n_documents, frequencies, self.measure)
        local = local_weights(queries.data, norms, self.measure)
        factors = np.where(frequencies > 0, idf * local, 0).astype(np.float32)
        if terms is None:
            return factors, np.ones(queries.nnz, dtype=bool)
        weights = queries.data * plain_idf(known.n_documents, frequencies)
        return factors, heaviest(queries.indptr, np.where(frequencies > 0, weights, -1.0), terms)


def as_queries(queries: csr_array) -> csr_array:
    """Give a matrix as double precision CSR with sorted, distinct columns and no zeros, the caller's untouched."""
    given = csr_array(queries)
    matrix: csr_array = csr_array(
        (given.data.astype(np.float64), given.indices.copy(), given.indptr.copy()), shape=given.shape
    )
    check_frequencies(matrix)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def heaviest(starts: npt.NDArray[np.integer], weights: npt.NDArray[np.float64], n_terms: int) -> npt.NDArray[np.bool_]:
    """Mark the heaviest entries of each row, of equal weights the first; a negative weight is never marked.

    >>> heaviest(np.array([0, 3, 5]), np.array([1.0, 2.0, 2.0, -1.0, 0.0]), 1).tolist()
    [False, True, False, False, True]
    """
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.lexsort((np.arange(len(weights)), -weights, rows))
    rank = np.empty(len(weights), dtype=np.int64)
    rank[order] = np.arange(len(weights)) - np.repeat(starts[:-1], np.diff(starts))
    return np.asarray((rank < n_terms) & (weights >= 0))


def _row_numbers(matrix: csr_array) -> npt.NDArray[np.int64]:
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
