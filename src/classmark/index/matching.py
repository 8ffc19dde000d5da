"""The score of one document for a query, from the document's row."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from classmark.compilation import kernel
from classmark.index.kernels import Lists, Rows, Weights, local_weight


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
