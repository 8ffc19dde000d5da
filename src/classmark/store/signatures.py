"""Signatures of texts: hashed words with their counts, from which similarities are computed without the texts.

A signature has at most `MOST_TERMS` terms. Of a longer text it has those with the smallest hashes, so that two texts
keep the same terms of those that they share (bottom-k sketches: E. Cohen and H. Kaplan, "Summarizing data using
bottom-k sketches", 2007).
"""

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

MOST_TERMS = 256
LONGEST_WORD, PIECE = 24, 2
"""A longer word is text without spaces, such as Chinese, and counts as its overlapping pairs of characters."""
WORD = re.compile(r"\w+")
MIX = np.uint32(0x9E3779B1)


def signature_of(text: str) -> bytes:
    """Return the signature of a text: hashes in increasing order, four bytes each, then counts, a byte each.

    >>> hashes, counts = terms_of(signature_of("hoots and hoots"))
    >>> len(hashes), sorted(counts.tolist())
    (2, [1, 2])
    """
    words = Counter(WORD.findall(text.casefold()))
    for word in [word for word in words if len(word) > LONGEST_WORD]:
        count = words.pop(word)
        for start in range(len(word) - PIECE + 1):
            words[word[start : start + PIECE]] += count
    checksums = np.fromiter((zlib.crc32(word.encode("utf-8", "replace")) for word in words), np.uint32, len(words))
    counts = np.fromiter(words.values(), np.int64, len(words))
    # Mixed, because the order of plain check sums is not random. Two words of one hash count as one.
    hashes, first = np.unique(checksums * MIX, return_index=True)
    hashes, first = hashes[:MOST_TERMS], first[:MOST_TERMS]
    times = np.minimum(counts[first], 255).astype(np.uint8)
    return bytes(hashes.astype("<u4").tobytes() + times.tobytes())


def terms_of(signature: bytes) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
    """Return the hashes and the counts of a signature."""
    size = len(signature) // 5
    return np.frombuffer(signature, "<u4", size), np.frombuffer(signature, np.uint8, size, 4 * size)


class Like(NamedTuple):
    """A document among others, and how like it is, from 0 to 1."""

    position: int
    likeness: float


def nearest(rows: csr_array, row: csr_array, most: int, least: float) -> list[Like]:
    """Give the rows with the greatest cosine to one row, the most like first; rows of nothing are like none.

    Examples
    --------
    >>> rows = csr_array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
    >>> [(one.position, round(one.likeness, 3)) for one in nearest(rows, csr_array([[3.0, 0.0]]), 2, 0.1)]
    [(0, 1.0), (1, 0.707)]
    """
    products = np.asarray((rows @ row.T).todense(), dtype=np.float64).ravel()
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel() * row.multiply(row).sum())
    cosines = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    order = np.lexsort((np.arange(len(cosines)), -cosines))[:most]
    return [Like(int(place), min(float(cosines[place]), 1.0)) for place in order if cosines[place] >= least]


def rows_of(signatures: Sequence[bytes]) -> csr_array:
    """Return the weights of the terms of documents, a row each, from their signatures.

    A term that occurs f times in a document, and is in n of N documents, has the weight
    (1 + ln f) (1 + ln((1 + N) / (1 + n))).
    """
    terms = [terms_of(signature) for signature in signatures]
    hashes = np.concatenate([np.empty(0, np.uint32), *(term for term, _ in terms)])
    counts = np.concatenate([np.empty(0, np.uint8), *(count for _, count in terms)]).astype(np.float64)
    starts = np.concatenate([[0], np.cumsum([term.size for term, _ in terms], dtype=np.int64)])
    known, columns, documents = np.unique(hashes, return_inverse=True, return_counts=True)
    rarity = 1 + np.log((1 + len(signatures)) / (1 + documents))
    return csr_array(((1 + np.log(counts)) * rarity[columns], columns, starts), shape=(len(signatures), known.size))
