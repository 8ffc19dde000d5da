"""An index in parts on the workers of a cluster, which follow it when documents come and go.

Documents are cut into pieces, and each piece goes to the part that has fewest entries: first all of them, later those
that have come since. Whoever asks remembers which documents a part was sent, by their serials, and what a document's
number is now; so numbers may change, and nothing is sent for it. The best of all parts are put together by the index's
own rule: of equal scores the lower number first.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from classmark.index.kernels import Rows
from classmark.index.nearest import Neighbours, best_by_number
from classmark.index.resident import IndexPart
from classmark.index.scoring import Measure
from classmark.index.searching import Queries
from classmark.index.segment import Written, gather_rows
from classmark.index.serials import Documents, Serials
from classmark.parallel import Place, Residents, balanced_ranges
from classmark.parallel.places import Call

ENTRIES_IN_A_PIECE = 1 << 20
"""About how many entries are sent at a time."""
BYTES_AN_ENTRY = 24.0
"""What a part needs for an entry while its lists are made, with half as much again as was measured."""


class Piece(NamedTuple):
    """Some documents, read where they lie in the index, which is not copied to be sent again: which rows are meant."""

    written: list[Written]
    chosen: list[npt.NDArray[np.bool_]]
    serials: Serials
    n_entries: int

    def rows(self) -> Written:
        """Give the documents by themselves."""
        return gather_rows(self.written, self.chosen, renumber=True)


@dataclass
class Held:
    """What one part has been sent, and what the index has made of it since."""

    pieces: list[Piece] = field(default_factory=list)
    serials: Serials = field(default_factory=lambda: np.empty(0, np.int64))
    there: npt.NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, bool))
    numbers: npt.NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    n_entries: int = 0

    def add(self, piece: Piece) -> None:
        """Note that the part has a piece more."""
        self.pieces.append(piece)
        self.serials = np.concatenate([self.serials, piece.serials])
        self.there = np.concatenate([self.there, np.ones(len(piece.serials), dtype=bool)])
        self.n_entries += piece.n_entries

    def numbered(self, serials: Serials, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Give the number of each document of the part among those that are there, -1 where it is not."""
        if not len(serials):
            return np.full(len(self.serials), -1, dtype=np.int32)
        places = np.minimum(np.searchsorted(serials, self.serials), len(serials) - 1)
        return np.where(serials[places] == self.serials, numbers[places], np.int32(-1))

    def named(self, found: Neighbours) -> Neighbours:
        """Give what the part has found by the numbers of the index."""
        is_there = found.documents >= 0
        documents = np.full(found.documents.shape, -1, dtype=np.int32)
        documents[is_there] = self.numbers[found.documents[is_there]]
        return Neighbours(documents, found.scores)


class SpreadIndex:
    """The documents of an index on the workers of a cluster.

    Parameters
    ----------
    place : Place
        Where the parts are.
    measure : Measure
        How documents are compared.
    """

    def __init__(self, place: Place, measure: Measure) -> None:
        self._place, self._measure = place, measure
        self._opened = ExitStack()
        self.close()

    def close(self) -> None:
        """Let the parts go; who asks again has them made anew."""
        self._opened.close()
        self._residents: Residents | None = None
        self._documents: Documents | None = None
        self._held: list[Held] = []

    def top(self, documents: Documents, mean: float, queries: Queries, k: int) -> Neighbours:
        """Find the nearest of some documents, the terms of the queries being columns; bring the parts to them first."""
        try:
            found = self._brought(documents).ask("top", queries, k, mean)
        except BaseException:
            # What was interrupted may have changed a part, or not: nobody knows what it has.
            self.close()
            raise
        named = [held.named(one) for held, one in zip(self._held, found, strict=True)]
        return best_by_number(named, len(queries.starts) - 1, k)

    def _brought(self, documents: Documents) -> Residents:
        """Give the parts, brought to a state of the index."""
        if self._residents is not None and documents is self._documents:
            return self._residents
        serials, numbers = documents.there()
        new = ~np.isin(serials, self._sent())
        if self._is_outdated(serials, new):
            self.close()
            new[:] = True
        if self._residents is None:
            residents = self._residents = self._open(documents, numbers[new])
        else:
            residents = self._residents
            self._mark(residents, serials, numbers)
            self._add(residents, documents, numbers[new])
        for held in self._held:
            held.numbers = held.numbered(serials, numbers)
        self._documents = documents
        return residents

    def _sent(self) -> Serials:
        return np.concatenate([np.empty(0, np.int64), *(held.serials for held in self._held)])

    def _is_outdated(self, serials: Serials, new: npt.NDArray[np.bool_]) -> bool:
        """Say whether all is sent anew.

        It is where most of what the parts have is gone, which would take their memory and time; and where documents
        come that are older than others there, so that ties within a part would not be broken by numbers.
        """
        sent = self._sent()
        n_kept = len(serials) - np.count_nonzero(new)
        return bool(2 * n_kept < len(sent) or (len(sent) and (serials[new] < sent.max()).any()))

    def _open(self, documents: Documents, numbers: npt.NDArray[np.int32]) -> Residents:
        """Make as many parts as there are workers, and send them some documents."""
        self._held = [Held() for _ in range(self._place.n_workers)]
        for piece in cut(documents, numbers, len(self._held)):
            self._held[self._smallest()].add(piece)
        needed = BYTES_AN_ENTRY * max(held.n_entries for held in self._held)
        shared = self._measure, self._place.n_threads
        parts: Sequence[tuple[()]] = [()] * len(self._held)
        return self._opened.enter_context(self._place.residents(IndexPart, parts, shared, self._since, needed))

    def _since(self, part: int) -> Iterator[Call]:
        """Give the calls that make a new part what it should be."""
        held = self._held[part]
        for piece in held.pieces:
            yield "take", piece.rows()
        if not held.there.all():
            gone = np.flatnonzero(~held.there)
            yield "mark", (gone, held.there[gone])

    def _mark(self, residents: Residents, serials: Serials, numbers: npt.NDArray[np.int32]) -> None:
        """Tell each part which of its documents have gone, or have come back with an older state of the index.

        Their numbers are all that is sent, eight bytes and one each: to send the others anew costs as much as to send
        the index.
        """
        there = [held.numbered(serials, numbers) >= 0 for held in self._held]
        changed = [np.flatnonzero(now != held.there) for now, held in zip(there, self._held, strict=True)]
        if any(map(len, changed)):
            residents.ask_each("mark", [(which, now[which]) for which, now in zip(changed, there, strict=True)])
        for held, now in zip(self._held, there, strict=True):
            held.there = now

    def _add(self, residents: Residents, documents: Documents, numbers: npt.NDArray[np.int32]) -> None:
        """Send documents to the smallest part, a piece at a time."""
        for piece in cut(documents, numbers, 1):
            part = self._smallest()
            residents.ask_one(part, "take", *piece.rows())
            self._held[part].add(piece)

    def _smallest(self) -> int:
        return min(range(len(self._held)), key=lambda part: self._held[part].n_entries)


def cut(documents: Documents, numbers: npt.NDArray[np.int32], least: int) -> list[Piece]:
    """Cut documents, given by their rising numbers, into pieces of as many entries; into some at least, if they can."""
    wanted = np.zeros(sum(map(len, documents.segments)), dtype=bool)
    wanted[numbers] = True
    sizes = [np.empty(0, np.int64), *(np.diff(segment.rows.starts) for segment in documents.segments)]
    starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes) * wanted)])
    count = max(least, -(-int(starts[-1]) // ENTRIES_IN_A_PIECE))
    ranges = (range(*each) for each in balanced_ranges(starts, count))
    return [
        _piece(documents, wanted, each, int(starts[each.stop] - starts[each.start]))
        for each in ranges
        if wanted[each.start : each.stop].any()
    ]


def _piece(documents: Documents, wanted: npt.NDArray[np.bool_], numbers: range, n_entries: int) -> Piece:
    """Give the documents wanted of a range of numbers."""
    written, chosen, serials = [], [], []
    first = 0
    for segment, own in zip(documents.segments, documents.serials, strict=True):
        inside = range(max(numbers.start - first, 0), min(numbers.stop - first, len(segment)))
        which = inside.start + np.flatnonzero(wanted[first + inside.start : first + max(inside.stop, inside.start)])
        if len(which):
            start, stop = int(which[0]), int(which[-1]) + 1
            written.append((segment.vocabulary, rows_between(segment.rows, start, stop)))
            chosen.append(wanted[first + start : first + stop])
            serials.append(own[which])
        first += len(segment)
    return Piece(written, chosen, np.concatenate(serials), n_entries)


def rows_between(rows: Rows, start: int, stop: int) -> Rows:
    """Give some documents without a copy of their terms.

    >>> rows = Rows(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), np.array([5, 6, 7], np.uint8))
    >>> rows_between(rows, 1, 2)
    Rows(starts=array([0, 1]), terms=array([1], dtype=int32), frequencies=array([7], dtype=uint8))
    """
    entries = slice(rows.starts[start], rows.starts[stop])
    return Rows(rows.starts[start : stop + 1] - rows.starts[start], rows.terms[entries], rows.frequencies[entries])


@contextmanager
def spread(place: Place, measure: Measure) -> Iterator[SpreadIndex]:
    """Keep the documents of an index at a place inside the block."""
    index = SpreadIndex(place, measure)
    try:
        yield index
    finally:
        index.close()
