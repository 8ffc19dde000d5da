"""An index in parts on the workers of a cluster, which follow it when documents come and go.

Documents are cut into pieces, and each piece goes to the part that has fewest entries: first all of them, later those
that have come since. Whoever asks remembers which documents a part was sent, by their serials, and what a document's
number is now; so numbers may change, and nothing is sent for it. The best of all parts are put together by the index's
own rule: of equal scores the lower number first.

`IndexPart` is the part of a worker. What depends on all documents, their mean length and the weights of terms, is known
to who asks, and comes with the queries; norms are made of it and of the documents' own lengths as the whole index makes
them, so that scores have the same bits.

Numbers of documents change when documents are deleted, serials never do. A document gets its serial when it comes, each
one higher than all before. In every state of an index the serials of its documents rise with their numbers; so whoever
has been sent documents can be told which of them are still there, what their numbers are now, and which have come
since.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from classmark.index.kernels import Rows, Weighed
from classmark.index.nearest import Neighbours, best_by_number, best_of, numbers_in, search_segment
from classmark.index.scoring import Measure, norms_of
from classmark.index.searching import Queries
from classmark.index.segment import Segment, Written, are_to_merge, build_segment, gather_rows, weigh_segment
from classmark.parallel import Place, Residents, balanced_ranges
from classmark.parallel.places import Call

Serials = npt.NDArray[np.int64]


class Origin:
    """What all states of one index have in common: it gives serials, each once.

    >>> origin = Origin()
    >>> origin.give(2).tolist(), origin.give(1).tolist()
    ([0, 1], [2])
    """

    def __init__(self) -> None:
        self._n_given = 0

    def give(self, count: int) -> Serials:
        """Give so many serials that nothing has had."""
        first, self._n_given = self._n_given, self._n_given + count
        return np.arange(first, first + count)


class Documents(NamedTuple):
    """The documents of one state of an index, segment by segment: which are there, and their serials."""

    segments: list[Segment]
    present: list[npt.NDArray[np.bool_]]
    serials: list[Serials]

    def there(self) -> tuple[Serials, npt.NDArray[np.int32]]:
        """Give the serials of the documents that are there, and their numbers; both rise."""
        numbers = np.flatnonzero(np.concatenate([np.empty(0, bool), *self.present])).astype(np.int32)
        return np.concatenate([np.empty(0, np.int64), *self.serials])[numbers], numbers


class IndexPart:
    """Some documents of an index, numbered in the order in which they come.

    Parameters
    ----------
    measure : Measure
        How documents are compared.
    n_threads : int
        How many threads weigh and search.

    Examples
    --------
    >>> part = IndexPart(Measure("overlap", 1.2, 0.75, "lucene"), 1)
    >>> part.take(np.array([7], np.int32), Rows(np.array([0, 1]), np.zeros(1, np.int32), np.ones(1, np.uint8)))
    >>> seven = np.array([0, 1]), np.array([7]), np.ones(1, np.float32), np.ones(1, bool), np.ones(1), False
    >>> part.top(Queries(*seven), 5, 1.0).documents.tolist()
    [[0]]
    """

    def __init__(self, measure: Measure, n_threads: int) -> None:
        self.measure, self.n_threads = measure, n_threads
        self.segments: list[Segment] = []
        self.present = np.empty(0, dtype=bool)
        self._coming: list[Written] = []
        self._weighed: list[Weighed] = []
        self._mean: float | None = None

    def take(self, vocabulary: npt.NDArray[np.int32], rows: Rows) -> None:
        """Take up documents; lists are made of them when somebody asks, of all that have come at once."""
        self._coming.append((vocabulary, rows))
        self.present = np.concatenate([self.present, np.ones(len(rows.starts) - 1, dtype=bool)])

    def mark(self, documents: npt.NDArray[np.integer], there: npt.NDArray[np.bool_]) -> None:
        """Take up which documents are there; those that are not keep their numbers, and may come back."""
        self.present[documents] = there
        self._mean = None

    def top(self, queries: Queries, k: int, mean: float) -> Neighbours:
        """Find the nearest documents here, by the mean length of all; the terms of the queries are columns."""
        # Few segments of all that has come, however often something does.
        if self._coming:
            self.segments.append(self._segment_of(self._coming))
            self._coming, self._mean = [], None
        while are_to_merge(self.segments):
            self.segments[-2:] = [self._segment_of([(one.vocabulary, one.rows) for one in self.segments[-2:]])]
        if mean != self._mean:
            self._weigh(mean)
        found, first = [], 0
        for segment, weighed in zip(self.segments, self._weighed, strict=True):
            inside = queries._replace(terms=numbers_in(segment.vocabulary, queries.terms))
            found.append(search_segment(weighed, inside, min(k, len(segment)), first, self.n_threads))
            first += len(segment)
        return best_of(found, len(queries.starts) - 1, min(k, first))

    def _segment_of(self, written: list[Written]) -> Segment:
        everything = [np.ones(len(rows.starts) - 1, dtype=bool) for _, rows in written]
        return build_segment(*gather_rows(written, everything, renumber=True), self.measure)

    def _weigh(self, mean: float) -> None:
        """Compute all weights for a mean length."""
        self._weighed = []
        first = 0
        for segment in self.segments:
            present = self.present[first : first + len(segment)]
            norms = norms_of(np.where(present, segment.lengths(), np.nan), mean, self.measure)
            weights = weigh_segment(segment, norms, self.measure, self.n_threads)
            self._weighed.append(Weighed(segment.rows, segment.lists, weights, segment.bits, segment.signatures))
            first += len(segment)
        self._mean = mean


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
