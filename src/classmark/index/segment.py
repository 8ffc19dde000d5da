"""A segment: documents as rows and as posting lists, which never change once built.

A segment numbers its terms and documents from 0 on; `vocabulary` has the terms' columns, ascending. Frequencies that
are all whole and below 256, as counts are, take a byte, others a single precision number.
"""

from collections.abc import Sequence, Sized
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.errors import InputError
from classmark.index.kernels import (
    BANDS,
    Lists,
    Rows,
    Weights,
    choose_bands,
    fill_lists,
    fill_signatures,
    rises_in_rows,
    row_sums,
    weigh,
)
from classmark.index.scoring import SCORINGS, Measure, local_weights, norms_of
from classmark.parallel import balanced_ranges, n_threads, threads
from classmark.persistence import State, all_below, are_starts, checked_array

Written: TypeAlias = tuple[npt.NDArray[np.int32], Rows]
"""Documents as rows, and before them the columns of their terms, ascending."""
SHARES = (0.95, 0.8, 0.5)
"""The shares of all postings that are lighter than the edges between bands."""
SAMPLE = 1 << 16
N_HEADS = 64
LEAST_FREQUENCY, MOST_FREQUENCY = 1e-9, 1e9


class Segment(NamedTuple):
    """The arrays of a segment; `bits` and `signatures` tell which of the 64 head terms a document has."""

    vocabulary: npt.NDArray[np.int32]
    rows: Rows
    lists: Lists
    bits: npt.NDArray[np.int8]
    signatures: npt.NDArray[np.uint64]

    def __len__(self) -> int:
        """Give the number of documents."""
        return len(self.rows.starts) - 1

    def lengths(self) -> npt.NDArray[np.float64]:
        """Give the documents' lengths: the sums of their frequencies."""
        lengths = np.empty(len(self))
        row_sums(self.rows, lengths)
        return lengths

    def document_frequencies(self) -> npt.NDArray[np.int64]:
        """Give the number of documents that have each term, by the segment's own numbers."""
        return np.diff(self.lists.starts[::BANDS])


class KeptWeights(NamedTuple):
    """What of a segment's weights goes into a file: the weights of postings and the bounds of bands."""

    postings: npt.NDArray[np.float32]
    bounds: npt.NDArray[np.float32]


def rows_of(counts: csr_array) -> Written:
    """Give a matrix as rows over the columns that it uses, and these columns."""
    check_frequencies(counts)
    if not counts.has_canonical_format or not counts.data.all():
        counts = counts.copy()
        counts.sum_duplicates()
        counts.eliminate_zeros()
    used = np.zeros(counts.shape[1], dtype=bool)
    used[counts.indices] = True
    vocabulary = np.flatnonzero(used).astype(np.int32)
    numbers = np.empty(counts.shape[1], dtype=np.int32)
    numbers[vocabulary] = np.arange(len(vocabulary), dtype=np.int32)
    starts = counts.indptr.astype(np.int64)
    return vocabulary, Rows(starts, numbers[counts.indices], _narrowed(counts.data))


def check_frequencies(counts: csr_array) -> None:
    """Refuse what are no frequencies, and those whose scores single precision could not hold."""
    if not np.isfinite(counts.data).all() or (counts.data < 0).any():
        raise InputError("an index takes frequencies, finite and not negative; the matrix has others")
    there = counts.data[counts.data > 0]
    if len(there) and not (there.min() >= LEAST_FREQUENCY and there.max() <= MOST_FREQUENCY):
        raise InputError(f"an index takes frequencies from {LEAST_FREQUENCY:g} to {MOST_FREQUENCY:g}; scale the matrix")


def _narrowed(frequencies: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Give frequencies in a byte each if they fit, otherwise in single precision."""
    if not len(frequencies) or frequencies.max() < 256:
        narrow = frequencies.astype(np.uint8)
        if (narrow == frequencies).all():
            return narrow
    return frequencies.astype(np.float32)


def build_segment(vocabulary: npt.NDArray[np.int32], rows: Rows, measure: Measure) -> Segment:
    """Make the posting lists of rows; the measure tells which postings are heavy."""
    lengths = np.empty(len(rows.starts) - 1)
    row_sums(rows, lengths)
    scoring = SCORINGS[measure.scoring]
    norms = norms_of(lengths, float(lengths.mean()) if len(lengths) else 0.0, measure)
    edges = _edges(rows, norms, measure)
    n_entries = len(rows.terms)
    bands = np.empty(n_entries, dtype=np.uint8)
    choose_bands(rows, norms, scoring.scale(measure.k1), scoring.saturation, edges, len(vocabulary), bands)
    lists = Lists(
        np.empty(len(vocabulary) * BANDS + 1, dtype=np.int64),
        np.empty(n_entries, dtype=np.uint32),
        np.empty(n_entries, dtype=rows.frequencies.dtype),
    )
    fill_lists(rows, bands, lists)
    bits = _heads(np.diff(lists.starts[::BANDS]), len(lengths))
    signatures = np.empty(len(lengths), dtype=np.uint64)
    fill_signatures(rows, bits, signatures)
    return Segment(vocabulary, rows, lists, bits, signatures)


def _edges(rows: Rows, norms: npt.NDArray[np.float32], measure: Measure) -> npt.NDArray[np.float32]:
    """Estimate the edges between bands from entries taken at equal steps."""
    entries = np.arange(0, len(rows.terms), max(1, len(rows.terms) // SAMPLE))
    if not len(entries):
        return np.zeros(len(SHARES), dtype=np.float32)
    documents = np.searchsorted(rows.starts, entries, side="right") - 1
    frequencies = rows.frequencies[entries].astype(np.float64)
    weights = local_weights(frequencies, norms[documents].astype(np.float64), measure)
    return np.quantile(weights, SHARES).astype(np.float32)


def _heads(frequencies: npt.NDArray[np.int64], n_documents: int) -> npt.NDArray[np.int8]:
    """Choose the most frequent terms, but for those in more than half of the documents, which count little or nothing.

    Most documents have such a term, so that to know it would bound few scores.
    """
    useful = np.where(2 * frequencies > n_documents, 0, frequencies)
    bits = np.full(len(useful), -1, dtype=np.int8)
    heads = np.argsort(-useful, kind="stable")[:N_HEADS]
    bits[heads] = np.arange(len(heads), dtype=np.int8)
    return bits


def weigh_segment(
    segment: Segment,
    norms: npt.NDArray[np.float32],
    measure: Measure,
    n_jobs: int | None = None,
    kept: KeptWeights | None = None,
) -> Weights:
    """Compute the weights of all postings, unless they were kept."""
    scoring = SCORINGS[measure.scoring]
    arrays = kept or KeptWeights(
        np.empty(len(segment.lists.documents), dtype=np.float32),
        np.empty(len(segment.lists.starts) - 1, dtype=np.float32),
    )
    weights = Weights(*arrays, norms, float(scoring.scale(measure.k1)), scoring.saturation)
    if kept is not None:
        return weights
    count = n_threads(n_jobs)
    with threads(count) as run:
        run(weigh, [(segment.lists, weights, *each) for each in balanced_ranges(segment.lists.starts, count)])
    return weights


def merge_segments(
    segments: Sequence[Segment], kept: Sequence[npt.NDArray[np.bool_]], measure: Measure, *, renumber: bool
) -> Segment:
    """Make one segment of several, in their order, without the terms of documents that are not kept.

    Parameters
    ----------
    segments : sequence of Segment
        What to merge.
    kept : sequence of bool arrays
        For each segment, the documents that are still there.
    measure : Measure
        Tells which postings are heavy.
    renumber : bool
        Leave the others out; otherwise they stay, with nothing in them, so that no number changes.
    """
    written = [(segment.vocabulary, segment.rows) for segment in segments]
    return build_segment(*gather_rows(written, kept, renumber=renumber), measure)


def gather_rows(written: Sequence[Written], kept: Sequence[npt.NDArray[np.bool_]], *, renumber: bool) -> Written:
    """Put the rows of documents below each other, over one vocabulary, without the terms of those not kept.

    >>> first = np.array([3, 5], np.int32), Rows(np.array([0, 1, 2]), np.array([0, 1], np.int32), np.ones(2, np.uint8))
    >>> second = np.array([4], np.int32), Rows(np.array([0, 1]), np.zeros(1, np.int32), np.ones(1, np.uint8))
    >>> vocabulary, rows = gather_rows([first, second], [np.array([False, True]), np.array([True])], renumber=True)
    >>> vocabulary.tolist(), rows.starts.tolist(), rows.terms.tolist()
    ([4, 5], [0, 1, 2], [1, 0])
    """
    vocabulary = np.unique(np.concatenate([columns for columns, _ in written]))
    terms, sizes = [], []
    frequencies: list[npt.NDArray[Any]] = []
    for (columns, rows), keep in zip(written, kept, strict=True):
        size = np.diff(rows.starts)
        entries = slice(None) if keep.all() else np.repeat(keep, size)
        numbers = np.searchsorted(vocabulary, columns).astype(np.int32)
        terms.append(numbers[rows.terms[entries]])
        frequencies.append(rows.frequencies[entries])
        sizes.append(size[keep] if renumber else np.where(keep, size, 0))
    starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64)
    found = np.concatenate(terms)
    used = np.zeros(len(vocabulary), dtype=bool)
    used[found] = True
    if not used.all():
        vocabulary, found = vocabulary[used], (np.cumsum(used, dtype=np.int32) - 1)[found]
    return vocabulary, Rows(starts, found, np.concatenate(frequencies))


def are_to_merge(segments: Sequence[Sized]) -> bool:
    """Say whether the last two are merged: until each has more than twice the documents of the next, so few are left.

    >>> are_to_merge(["abcde", "ab"]), are_to_merge(["abcd", "ab"])
    (False, True)
    """
    return len(segments) > 1 and len(segments[-2]) <= 2 * len(segments[-1])


def segment_to_state(segment: Segment) -> State:
    """Give a segment as plain arrays."""
    rows, lists = segment.rows, segment.lists
    return {
        "vocabulary": segment.vocabulary,
        "row_starts": rows.starts,
        "row_terms": rows.terms,
        "row_frequencies": rows.frequencies,
        "list_starts": lists.starts,
        "list_documents": lists.documents.view(np.int32),
        "list_frequencies": lists.frequencies,
        "bits": segment.bits,
        "signatures": segment.signatures,
    }


def weights_to_state(weights: Weights) -> State:
    """Give the weights of a segment as plain arrays."""
    return {"weights": weights.postings, "bounds": weights.bounds}


def weights_from_state(state: State, segment: Segment) -> KeptWeights:
    """Take up the weights of a segment, refusing what cannot be some."""
    kept = KeptWeights(
        checked_array(state, "weights", np.float32, (len(segment.lists.documents),)),
        checked_array(state, "bounds", np.float32, (len(segment.lists.starts) - 1,)),
    )
    if not all(not len(one) or (one.min() >= 0 and one.max() < np.inf) for one in kept):
        raise InputError("the index is damaged: some weights are no numbers from 0; build it again")
    return kept


def segment_from_state(state: State) -> Segment:
    """Take up a segment, refusing arrays that a kernel could run out of."""
    vocabulary = checked_array(state, "vocabulary", np.int32, (None,))
    row_starts = checked_array(state, "row_starts", np.int64, (None,))
    n_documents, n_terms = len(row_starts) - 1, len(vocabulary)
    row_terms = checked_array(state, "row_terms", np.int32, (None,))
    n_entries = len(row_terms)
    kind = np.uint8 if getattr(state.get("row_frequencies"), "dtype", None) == np.uint8 else np.float32
    rows = Rows(row_starts, row_terms, checked_array(state, "row_frequencies", kind, (n_entries,)))
    lists = Lists(
        checked_array(state, "list_starts", np.int64, (n_terms * BANDS + 1,)),
        checked_array(state, "list_documents", np.int32, (n_entries,)).view(np.uint32),
        checked_array(state, "list_frequencies", kind, (n_entries,)),
    )
    bits = checked_array(state, "bits", np.int8, (n_terms,))
    signatures = checked_array(state, "signatures", np.uint64, (max(n_documents, 0),))
    sound = (
        are_starts(row_starts, n_entries),
        are_starts(lists.starts, n_entries),
        all_below(lists.documents, n_documents),
        all_below(bits + np.int8(1), N_HEADS + 1),
        not n_terms or (vocabulary[0] >= 0 and bool((np.diff(vocabulary) > 0).all())),
    )
    # Rows are read by where they start, so that must be right before.
    if not all(sound) or not rises_in_rows(row_starts, row_terms, n_terms):
        raise InputError("the index is damaged: its numbers do not fit together; build it again")
    return Segment(vocabulary, rows, lists, bits, signatures)
