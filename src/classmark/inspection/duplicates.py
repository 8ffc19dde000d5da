"""Documents that are the same, word for word or nearly, within a split and across splits.

MinHash gives each document a few numbers that agree as often as two documents share shingles (A. Broder, "On the
resemblance and containment of documents", 1997): under a random order of all shingles, the probability that two sets
have the same least one is their Jaccard coefficient, shared over all. `N_HASHES` orders, multiplications by odd
numbers, give as many least ones; the share that agrees estimates the coefficient with a standard error of at most
0.046, and 0.037 at 0.8. A signature takes 480 bytes, however long the document is.

Documents that may be similar are found by bands (Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", section
3.4): two that agree in all `ROWS` numbers of one of the `BANDS` bands are compared, so that of pairs with the
coefficient s a share of 1 - (1 - s^5)^24 is: 0.9999 of those with 0.8, and a tenth of those with 0.34.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from classmark.arrays import Floats, Positions, finalised
from classmark.data.corpus import Document
from classmark.data.formats.records import Outline
from classmark.inspection.findings import FindingLog, Places
from classmark.inspection.texts import Content, Contents, Numbers, whole

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


THRESHOLD = 0.8
"""From this share of runs of three words on that two documents have in common, of all they have, they are near."""
NAMED = 3
"""So many labels that one of two documents has alone are named."""


class Pair(NamedTuple):
    """Two documents that are alike, by position, the earlier first, and how much."""

    first: int
    second: int
    similarity: float


class Likeness:
    """Finds documents that are alike; they come one at a time, with their splits, and are not kept.

    Of those in one split that are the same word for word, only the first is compared with others.

    Examples
    --------
    >>> likeness = Likeness()
    >>> for text in ["An owl hoots at night.", "A gull cries.", "an owl hoots, at night"]:
    ...     likeness.add(Contents().of(text), None)
    >>> likeness.pairs()
    [Pair(first=0, second=2, similarity=1.0)]
    """

    def __init__(self) -> None:
        self._signatures = Signatures()
        self._rows: list[int] = []
        self._first: dict[tuple[int, str | None], int] = {}
        self._copies: list[Pair] = []
        self._n_documents = 0

    def add(self, content: Content, split: str | None) -> None:
        """Take up a document; one without words is like no other."""
        row, self._n_documents = self._n_documents, self._n_documents + 1
        if not content.words:
            return
        before = self._first.setdefault((whole(content.numbers), split), row)
        if before != row:
            self._copies.append(Pair(before, row, 1.0))
        else:
            self._rows.append(row)
            self._signatures.add(content.shingles)

    def pairs(self) -> list[Pair]:
        """Give the pairs that are alike; of a form letter with many copies not every two."""
        rows = np.array(self._rows, dtype=np.int64)
        left, right, similarity = near_pairs(self._signatures.finished(), THRESHOLD)
        near = zip(rows[left].tolist(), rows[right].tolist(), similarity.tolist(), strict=True)
        return sorted([*self._copies, *(Pair(*one) for one in near)])

    def groups(self) -> Positions:
        """Give each document the number of its group: what is alike, or alike to what is alike, is together."""
        ends = np.array([pair[:2] for pair in self.pairs()], dtype=np.int64).reshape(-1, 2)
        size = self._n_documents
        graph = coo_array((np.ones(len(ends), dtype=bool), (ends[:, 0], ends[:, 1])), shape=(size, size))
        return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def groups_of_documents(documents: Iterable[Document]) -> list[int]:
    """Give documents that are nearly the same one number.

    >>> groups_of_documents(["An owl hoots.", "A gull cries.", "an owl hoots"])
    [0, 1, 0]
    """
    likeness, contents = Likeness(), Contents()
    for document in documents:
        likeness.add(contents.of(document), None)
    groups: list[int] = likeness.groups().tolist()
    return groups


def check_duplicates(likeness: Likeness, outline: Outline, places: Places, log: FindingLog) -> None:
    """Add documents that are similar: across splits, with other labels, in the same split."""
    pairs = likeness.pairs()
    for kind, chosen in SORTS.items():
        seen = set[int]()
        for pair in pairs:
            if chosen(pair, outline):
                swapped = outline.splits[pair.first] != outline.splits[pair.second] == "train"
                first, second = (pair.second, pair.first) if swapped else (pair.first, pair.second)
                if second not in seen:
                    seen.add(second)
                    log.add(kind, places[second], _in_words(kind, first, second, pair.similarity, outline, places))


def _in_words(kind: str, first: int, second: int, similarity: float, outline: Outline, places: Places) -> str:
    much = "the same as" if similarity == 1 else f"about {similarity:.0%} the same as"
    text = f"{much} {places.beside(first, second)}"
    if kind == "leak":
        text += f" ({outline.splits[second] or 'no split'}, {outline.splits[first] or 'no split'})"
    if kind == "other-labels":
        there, here = (outline.labels[row] or [] for row in (first, second))
        text += f"; {_alone(here, there)} here alone, {_alone(there, here)} there alone"
    return text


def _alone(labels: list[str], others: list[str]) -> str:
    """Name labels that others do not have."""
    names = [label for label in labels if label not in others]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}" if names else "none"


def _differ(pair: Pair, outline: Outline) -> bool:
    """Say whether two documents are labelled, and otherwise."""
    labels = [outline.labels[row] for row in (pair.first, pair.second)]
    return None not in labels and len({frozenset(one or ()) for one in labels}) > 1


def _is_leak(pair: Pair, outline: Outline) -> bool:
    return outline.splits[pair.first] != outline.splits[pair.second]


def _is_copy(pair: Pair, outline: Outline) -> bool:
    """Say whether nothing else is to be said about a pair."""
    return not (_is_leak(pair, outline) or _differ(pair, outline))


SORTS: dict[str, Callable[[Pair, Outline], bool]] = {
    "leak": _is_leak,
    "other-labels": _differ,
    "same-text": lambda pair, outline: _is_copy(pair, outline) and pair.similarity == 1,
    "near": lambda pair, outline: _is_copy(pair, outline) and pair.similarity < 1,
}
"""Which pairs are of which kind."""
