"""Kernels that build posting lists, weigh them, score one document, sort, select and keep the best k.

A term's list is cut into *bands*, the heaviest postings first, each band in the order of documents. A band has a bound,
its largest weight; the last band, where most postings of a frequent term are, has a low one, and so need not be read
by a search that has found enough better documents (`searching`).

Sorting and selecting are written out, because numpy's own functions take several seconds to compile.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from classmark.compilation import kernel

BANDS = 4
SHORT_LIST = 64
"""A list of up to this many postings is one band: more would save nothing."""


class Rows(NamedTuple):
    """The documents: row d has the terms and frequencies from `starts[d]` to `starts[d + 1]`, terms ascending."""

    starts: npt.NDArray[np.int64]
    terms: npt.NDArray[np.int32]
    frequencies: npt.NDArray[np.uint8] | npt.NDArray[np.float32]


class Lists(NamedTuple):
    """The postings: band b of term t goes from `starts[t * BANDS + b]` to the next start."""

    starts: npt.NDArray[np.int64]
    documents: npt.NDArray[np.uint32]
    frequencies: npt.NDArray[np.uint8] | npt.NDArray[np.float32]


class Weights(NamedTuple):
    """The local weights of postings, the bounds of bands, and what makes the weight of a frequency in a document."""

    postings: npt.NDArray[np.float32]
    bounds: npt.NDArray[np.float32]
    norms: npt.NDArray[np.float32]
    scale: float
    saturation: float


@kernel
def local_weight(frequency: float, norm: float, scale: float, saturation: float) -> np.float32:
    """Give TF_1, rounded once: the same wherever it is computed."""
    return np.float32(scale * frequency / (saturation * frequency + norm))


@kernel
def choose_bands(
    rows: Rows,
    norms: npt.NDArray[np.float32],
    scale: float,
    saturation: float,
    edges: npt.NDArray[np.float32],
    n_terms: int,
    bands: npt.NDArray[np.uint8],
) -> None:
    """Give every entry of the rows its band: the number of edges above its weight."""
    sizes = np.zeros(n_terms, np.int32)
    for term in rows.terms:
        sizes[term] += 1
    for document in range(len(rows.starts) - 1):
        norm = np.float64(norms[document])
        for entry in range(rows.starts[document], rows.starts[document + 1]):
            weight = local_weight(np.float64(rows.frequencies[entry]), norm, scale, saturation)
            band = 0
            for edge in edges:
                band += weight < edge
            bands[entry] = band if sizes[rows.terms[entry]] > SHORT_LIST else 0


@kernel
def fill_lists(rows: Rows, bands: npt.NDArray[np.uint8], lists: Lists) -> None:
    """Sort the entries of the rows by term, then band, then document: two passes, counting and placing."""
    starts = lists.starts
    starts[:] = 0
    for entry in range(len(rows.terms)):
        starts[np.int64(rows.terms[entry]) * BANDS + bands[entry] + 1] += 1
    for band in range(1, len(starts)):
        starts[band] += starts[band - 1]
    cursors = starts[:-1].copy()
    for document in range(len(rows.starts) - 1):
        for entry in range(rows.starts[document], rows.starts[document + 1]):
            band = np.int64(rows.terms[entry]) * BANDS + bands[entry]
            position = cursors[band]
            lists.documents[position] = document
            lists.frequencies[position] = rows.frequencies[entry]
            cursors[band] = position + 1


@kernel
def weigh(lists: Lists, weights: Weights, first: int, last: int) -> None:
    """Compute the weights of the postings of a range of bands, and the bounds of these bands."""
    for band in range(first, last):
        most = np.float32(0)
        for posting in range(lists.starts[band], lists.starts[band + 1]):
            frequency, norm = (
                np.float64(lists.frequencies[posting]),
                np.float64(weights.norms[lists.documents[posting]]),
            )
            weight = local_weight(frequency, norm, weights.scale, weights.saturation)
            weights.postings[posting] = weight
            most = max(most, weight)
        weights.bounds[band] = most


@kernel
def fill_signatures(rows: Rows, bits: npt.NDArray[np.int8], signatures: npt.NDArray[np.uint64]) -> None:
    """Note, a bit each, which of the 64 head terms a document has; a term's bit is -1 if it is none of them."""
    for document in range(len(signatures)):
        signature = np.uint64(0)
        for entry in range(rows.starts[document], rows.starts[document + 1]):
            bit = bits[rows.terms[entry]]
            if bit >= 0:
                signature |= np.uint64(1) << np.uint64(bit)
        signatures[document] = signature


@kernel
def row_sums(rows: Rows, lengths: npt.NDArray[np.float64]) -> None:
    """Add up the frequencies of every document, in the order of its terms."""
    for document in range(len(lengths)):
        total = 0.0
        for entry in range(rows.starts[document], rows.starts[document + 1]):
            total += np.float64(rows.frequencies[entry])
        lengths[document] = total


@kernel
def count_terms(rows: Rows, documents: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> None:
    """Count in how many of the given documents each term is."""
    for document in documents:
        for entry in range(rows.starts[document], rows.starts[document + 1]):
            counts[rows.terms[entry]] += 1


@kernel
def rises_in_rows(starts: npt.NDArray[np.int64], terms: npt.NDArray[np.int32], n_terms: int) -> bool:
    """Say whether the terms of every row rise, all of them from 0 to below their number; the rows must fit."""
    for document in range(len(starts) - 1):
        previous = -1
        for entry in range(starts[document], starts[document + 1]):
            if not previous < terms[entry] < n_terms:
                return False
            previous = terms[entry]
    return True


class Weighed(NamedTuple):
    """A segment with its weights: what a search reads."""

    rows: Rows
    lists: Lists
    weights: Weights
    bits: npt.NDArray[np.int8]
    signatures: npt.NDArray[np.uint64]


class Table(NamedTuple):
    """The factors of a query's terms, by open addressing."""

    keys: npt.NDArray[np.int32]
    factors: npt.NDArray[np.float64]


@kernel
def slot_of(term: int, slots: int) -> int:
    """Give the slot where the search for a term starts (Fibonacci hashing)."""
    slot: int = (((np.int64(term) * 2654435769) & 0xFFFFFFFF) * slots) >> 32  # type: ignore[assignment]
    return slot


@kernel
def put(table: Table, term: int, factor: float) -> None:
    """Put a term into the table, whose slots are a power of two, and most of them empty."""
    slots = len(table.keys)
    slot = slot_of(term, slots)
    while table.keys[slot] >= 0:
        slot = (slot + 1) & (slots - 1)
    table.keys[slot] = term
    table.factors[slot] = factor


@kernel
def common(table: Table, term: int) -> float:
    """Give the factor of a term, 0 if the query does not have it."""
    slots = len(table.keys)
    slot = slot_of(term, slots)
    while table.keys[slot] >= 0:
        if table.keys[slot] == term:
            factor: float = table.factors[slot]
            return factor
        slot = (slot + 1) & (slots - 1)
    return 0.0


@kernel
def score(segment: Weighed, document: int, table: Table, size: float) -> np.float32:
    """Score a document from its row: BM25, or with the query's `size` above 0 the share of common features."""
    rows, weights = segment.rows, segment.weights
    norm = np.float64(weights.norms[document])
    start, stop = rows.starts[document], rows.starts[document + 1]
    terms, frequencies = rows.terms[start:stop], rows.frequencies[start:stop]
    total = 0.0
    for entry in range(len(terms)):
        factor = common(table, terms[entry])
        if factor > 0:
            frequency = np.float64(frequencies[entry])
            total += factor * np.float64(local_weight(frequency, norm, weights.scale, weights.saturation))
    if size > 0:
        return np.float32(total / ((stop - start) + size - total))
    return np.float32(total)


Number: TypeAlias = float | np.floating[Any]


class Heap(NamedTuple):
    """The best so far, the worst of them on top."""

    scores: npt.NDArray[np.float32]
    documents: npt.NDArray[np.int64]


@kernel
def is_worse(score: Number, document: int, other_score: Number, other_document: int) -> bool:
    """Say whether a document comes after another: a lower score, or the same and a higher number."""
    after: bool = score < other_score or (score == other_score and document > other_document)  # type: ignore[assignment]
    return after


@kernel
def sift(heap: Heap, size: int, score: Number, document: int) -> None:
    """Put a document in the position of the worst, and restore the order."""
    position = 0
    while True:
        child = 2 * position + 1
        if child >= size:
            break
        after = child + 1
        if after < size and is_worse(
            heap.scores[after], heap.documents[after], heap.scores[child], heap.documents[child]
        ):
            child = after
        if not is_worse(heap.scores[child], heap.documents[child], score, document):
            break
        heap.scores[position], heap.documents[position] = heap.scores[child], heap.documents[child]
        position = child
    heap.scores[position], heap.documents[position] = score, document


@kernel
def push(heap: Heap, size: int, score: Number, document: int) -> int:
    """Keep a document if it is among the best; give how many are kept."""
    if size == len(heap.scores):
        if is_worse(heap.scores[0], heap.documents[0], score, document):
            sift(heap, size, score, document)
        return size
    position = size
    while position > 0:
        parent = (position - 1) // 2
        if not is_worse(score, document, heap.scores[parent], heap.documents[parent]):
            break
        heap.scores[position], heap.documents[position] = heap.scores[parent], heap.documents[parent]
        position = parent
    heap.scores[position], heap.documents[position] = score, document
    return size + 1


@kernel
def pour(heap: Heap, size: int, documents: npt.NDArray[np.int32], scores: npt.NDArray[np.float32]) -> None:
    """Empty the heap into a row of the answer, best first."""
    while size > 0:
        size -= 1
        documents[size], scores[size] = heap.documents[0], heap.scores[0]
        sift(heap, size, heap.scores[size], heap.documents[size])


@kernel
def rising(values: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Give the positions of values from the lowest to the highest, equal ones in their order: runs merged, 1, 2, 4, ….

    >>> rising(np.array([2.0, 1.0, 2.0, 0.0])).tolist()
    [3, 1, 0, 2]
    """
    size, width = len(values), 1
    order, merged = np.arange(size), np.empty(size, np.int64)
    while width < size:
        for start in range(0, size, 2 * width):
            middle, stop = min(start + width, size), min(start + 2 * width, size)
            left, right = start, middle
            for position in range(start, stop):
                if left < middle and (right == stop or values[order[left]] <= values[order[right]]):
                    merged[position] = order[left]
                    left += 1
                else:
                    merged[position] = order[right]
                    right += 1
        order, merged = merged, order
        width *= 2
    return order


@kernel
def highest(values: npt.NDArray[np.float32], k: int) -> np.float32:
    """Give the k-th highest of values by Hoare's selection: they are parted by one of them, again and again.

    >>> float(highest(np.array([2, 5, 3, 5], dtype=np.float32), 3))
    3.0
    """
    left = values.copy()
    low, high, wanted = 0, len(left) - 1, len(left) - k
    while low < high:
        pivot = left[(low + high) // 2]
        first, last = low, high
        while first <= last:
            while left[first] < pivot:
                first += 1
            while pivot < left[last]:
                last -= 1
            if first <= last:
                left[first], left[last] = left[last], left[first]
                first += 1
                last -= 1
        if wanted <= last:
            high = last
        elif wanted >= first:
            low = first
        else:
            break
    found: Any = left[wanted]
    return found  # type: ignore[no-any-return]
