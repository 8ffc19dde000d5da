"""The kernels that build posting lists and weigh them.

A term's list is cut into *bands*, the heaviest postings first, each band in the order of documents. A band has a bound,
its largest weight; the last band, where most postings of a frequent term are, has a low one, and so need not be read
by a search that has found enough better documents (`searching`).
"""

from typing import NamedTuple

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
