"""MinHash: of each document a few numbers that agree as often as two documents share shingles.

A. Broder, "On the resemblance and containment of documents" (1997): under a random order of all shingles, the chance
that two sets have the same least one is their Jaccard coefficient, shared over all. `N_HASHES` orders, multiplications
by odd numbers, give as many least ones; the share that agrees estimates the coefficient with a standard error of at
most 0.046, and 0.037 at 0.8. A signature takes 480 bytes, however long the document is.

Documents that may be alike are found by bands (Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", section
3.4): two that agree in all `ROWS` numbers of one of the `BANDS` bands are compared, so that of pairs with the
coefficient s a share of 1 - (1 - s^5)^24 is: 0.9999 of those with 0.8, and a tenth of those with 0.34.
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from classmark.arrays import Floats, Positions, finalised
from classmark.inspection.words import Numbers

Signature: TypeAlias = npt.NDArray[np.uint32]

BANDS, ROWS = 24, 5
N_HASHES = BANDS * ROWS
AT_A_TIME = 1 << 16
"""How many shingles are hashed at once."""
COMPARED = 32
"""So many documents of a bucket are compared with each at most."""
PARTNERS = 8
"""Two documents that are near so many others already are not compared: a form letter makes no millions of pairs."""
PAIRS_AT_A_TIME = 1 << 14


class Pairs(NamedTuple):
    """Documents that are alike, by position, the earlier on the left, and how much."""

    left: Positions
    right: Positions
    similarity: Floats


class Signatures:
    """Makes the signatures of documents that come one at a time."""

    def __init__(self) -> None:
        numbers = finalised(np.arange(1, 2 * N_HASHES + 1, dtype=np.uint64))
        self._factors = (numbers[:N_HASHES] >> np.uint64(32)).astype(np.uint32) | np.uint32(1)
        self._shifts = (numbers[N_HASHES:] >> np.uint64(32)).astype(np.uint32)
        self._waiting: list[npt.NDArray[np.uint32]] = []
        self._n_waiting = 0
        self._done: list[Signature] = []

    def add(self, shingles: Numbers) -> None:
        """Take up the shingles of a document, at least one."""
        self._waiting.append((shingles >> np.uint64(32)).astype(np.uint32))
        self._n_waiting += shingles.size
        if self._n_waiting >= AT_A_TIME:
            self._flush()

    def finished(self) -> Signature:
        """Give all signatures, a row for each document."""
        self._flush()
        return np.concatenate([np.empty((0, N_HASHES), dtype=np.uint32), *self._done])

    def _flush(self) -> None:
        if not self._waiting:
            return
        sizes = [one.size for one in self._waiting]
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        values = np.concatenate(self._waiting)
        made = np.empty((len(sizes), N_HASHES), dtype=np.uint32)
        for column, (factor, shift) in enumerate(zip(self._factors, self._shifts, strict=True)):
            made[:, column] = np.minimum.reduceat(values * factor + shift, starts)
        self._done.append(made)
        self._waiting, self._n_waiting = [], 0


def near_pairs(signatures: Signature, threshold: float) -> Pairs:
    """Give the pairs of documents whose signatures agree in at least a share of their numbers."""
    found: dict[tuple[int, int], float] = {}
    partners = np.zeros(signatures.shape[0], dtype=np.int64)
    for band in range(BANDS):
        part = signatures[:, band * ROWS : (band + 1) * ROWS]
        for left, right in _candidates(part):
            wanted = np.minimum(partners[left], partners[right]) < PARTNERS
            left, right = left[wanted], right[wanted]
            alike = (signatures[left] == signatures[right]).mean(axis=1)
            near = alike >= threshold
            for pair, much in zip(
                zip(left[near].tolist(), right[near].tolist(), strict=True), alike[near], strict=True
            ):
                partners[list(pair)] += pair not in found
                found[pair] = float(much)
    pairs = sorted(found)
    rows = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Pairs(rows[:, 0], rows[:, 1], np.array([found[pair] for pair in pairs], dtype=np.float64))


def _candidates(part: Signature) -> Iterator[tuple[Positions, Positions]]:
    """Yield pairs of rows that are the same in a band, some at a time."""
    keys = np.zeros(part.shape[0], dtype=np.uint64)
    for column in part.T:
        keys = finalised(keys + column.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15))
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    for step in range(1, COMPARED + 1):
        # Equal keys stand side by side: those `step` places apart are a pair.
        places = np.flatnonzero(keys[step:] == keys[:-step])
        if not places.size:
            return
        for start in range(0, places.size, PAIRS_AT_A_TIME):
            some = places[start : start + PAIRS_AT_A_TIME]
            yield order[some], order[some + step]
