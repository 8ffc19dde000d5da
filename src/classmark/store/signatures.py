"""Signatures of texts: hashed words with their counts, from which similarities are computed without the texts.

A signature has at most `MOST_TERMS` terms. Of a longer text it has those with the smallest hashes, so that two texts
keep the same terms of those that they share (bottom-k sketches: E. Cohen and H. Kaplan, "Summarizing data using
bottom-k sketches", 2007).
"""

import re
import zlib
from collections import Counter

import numpy as np
import numpy.typing as npt

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
