"""`LiveIndex`: an index that is a folder, and that documents are added to and deleted from.

The folder has segment files, which never change, a file that says which documents are deleted, and a manifest
(`manifest`). A segment file holds the arrays of a `Segment`, the ids and labels of its documents, and the terms that it
was the first to have: all terms, in the order of the segments, are the vocabulary. Every write merges the last segments
as long as the one before is not more than twice as large, so that there are few of them, and deleted documents go when
their segment is merged.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, compress
from itertools import count as count_from
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.index.categories import IndexCategories, categories_to_state, checked_decision, read_categories_of
from classmark.index.columns import count_here, count_on_workers
from classmark.index.inverted import InvertedIndex
from classmark.index.manifest import (
    CATEGORIES,
    DELETED,
    ENDING,
    Manifest,
    Unfinished,
    is_new,
    locked,
    read_manifest,
    write_manifest,
)
from classmark.index.scoring import Measure, checked_measure
from classmark.index.segment import build_segment, merge_segments, rows_of
from classmark.index.storage import (
    Part,
    counts_of,
    has_unused_terms,
    live_of,
    load_mapped,
    part_to_state,
    read_parts,
    with_used_terms,
    without,
)
from classmark.parallel import elsewhere
from classmark.persistence import all_below, save
from classmark.text import TextSettings
from classmark.text.analyser import TermReader
from classmark.text.counting import Document

RETRIES = 5
ENTRIES_AT_A_TIME = 1 << 22
"""How many neighbours are searched for at a time."""
DEFAULT_TEXT = TextSettings()


class Contents(NamedTuple):
    """One state of an index: its parts, what follows from them, and what reads the texts of queries.

    It is made whole and then taken up at once, so that a search in one thread never sees half of a write in another.
    """

    parts: list[Part]
    names: list[str]
    labels: list[list[str]]
    columns: dict[str, int]
    inverted: InvertedIndex
    reader: TermReader


class Found(NamedTuple):
    """A near document."""

    id: str
    score: float
    labels: list[str]


class Added(NamedTuple):
    """What became of documents that were added: how many are new, how many replaced another, and all their ids."""

    added: int
    replaced: int
    ids: list[str]


class LiveIndex:
    """An index in a folder.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "birds"
    >>> index = LiveIndex.create(folder)
    >>> texts = ["owls hoot at night", "gulls cry", "cod swim", "oaks grow"]
    >>> index.add(["a", "b", "c", "d"], texts, [["owl"], ["gull"], ["cod"], ["oak"]]).added
    4
    >>> index.delete(["c"])
    1
    >>> [(found.id, found.labels) for found in LiveIndex.open(folder).search(["a hooting owl"])[0]]
    [('a', ['owl'])]
    >>> index.add(["a", None], ["owls fly silently", "larks sing"])
    Added(added=1, replaced=1, ids=['a', '#1'])
    """

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        parts: list[Part],
        categories: IndexCategories | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.folder = folder
        self.manifest = manifest
        self.categories = categories
        self.n_jobs = n_jobs
        self._contents = self._contents_of(parts)

    @classmethod
    def create(
        cls,
        path: str | Path,
        *,
        scoring: str = "okapi",
        k1: float = 1.2,
        b: float = 0.75,
        idf: str = "lucene",
        text: TextSettings = DEFAULT_TEXT,
        hierarchy: Hierarchy | None = None,
        titles: Mapping[str, str] | None = None,
        uris: Mapping[str, str] | None = None,
        notations: Mapping[str, str] | None = None,
        decision: str | None = None,
        n_jobs: int | None = None,
    ) -> Self:
        """Make an empty index in a new or empty folder.

        Parameters
        ----------
        path : str or Path
            The folder.
        scoring, k1, b, idf
            As for `InvertedIndex`.
        text : TextSettings
            How texts become terms: the settings of the analyser alone, since the index weighs by itself.
        hierarchy : Hierarchy, optional
            The categories: labels must be among them. Without one, the labels are categories of one level.
        titles, uris, notations : mapping, optional
            Readable names of categories that are codes, addresses of those that are not called by them, and notations.
        decision : str, optional
            How the votes of documents become labels where the index classifies, such as `best-path`: one that is not
            learned. By default `best-path` as long as every document has one label, and `dscut` otherwise.
        n_jobs : int, optional
            How many threads compute weights and search.
        """
        measure = checked_measure(scoring, k1, b, idf)
        text.analyser().check()
        folder = Path(path)
        if folder.exists() and not (folder.is_dir() and is_new(folder)):
            raise FileExistsError(f"{folder}: already there, and not an empty folder; give another name")
        categories = None if hierarchy is None else IndexCategories.of(hierarchy, titles, uris, notations)
        checked_decision(decision, hierarchy)
        folder.mkdir(exist_ok=True)
        manifest = Manifest(**measure._asdict(), text=text, decision=decision)
        with locked(folder):
            if categories is not None:
                name = f"{0:08d}{CATEGORIES}"
                checksums = {name: save(folder / name, categories_to_state(categories))}
                manifest = msgspec.structs.replace(manifest, categories=name, checksums=checksums)
            write_manifest(folder, manifest)
        return cls(folder, manifest, [], categories, n_jobs)

    @classmethod
    def open(cls, path: str | Path, *, n_jobs: int | None = None) -> Self:
        """Open an index as it is now; what others write later is not seen."""
        folder = Path(path)
        for attempt in range(RETRIES):
            manifest = read_manifest(folder)
            try:
                return cls(folder, manifest, read_parts(folder, manifest), read_categories_of(folder, manifest), n_jobs)
            except FileNotFoundError as error:
                # A writer may have replaced the manifest, and removed old files, since it was read.
                if attempt + 1 == RETRIES or read_manifest(folder) == manifest:
                    raise InputError(f"{folder}: the index is damaged: {error}; build it again") from None
        raise AssertionError("unreachable")

    def __len__(self) -> int:
        """Give the number of documents."""
        return len(self.index)

    @property
    def index(self) -> InvertedIndex:
        """The documents by number, as they are now."""
        return self._contents.inverted

    @property
    def ids(self) -> list[str]:
        """The ids of the documents, in their order."""
        return [name for part in self._contents.parts for name, there in zip(part.ids, part.live, strict=True) if there]

    @property
    def labels(self) -> dict[str, list[str]]:
        """The labels of the documents by their ids."""
        parts = self._contents.parts
        return {
            name: own for part in parts for name, own in compress(zip(part.ids, part.labels, strict=True), part.live)
        }

    @property
    def n_terms(self) -> int:
        """The number of different terms that were ever added."""
        return len(self._contents.columns)

    def add(
        self,
        ids: Sequence[str | None] | None,
        documents: Sequence[Document],
        labels: Sequence[Sequence[str] | None] | None = None,
        *,
        unfinished: Unfinished | None = None,
    ) -> Added:
        """Add documents, or replace those with the same ids, and say how many of each. When it returns they are safe.

        Parameters
        ----------
        ids : sequence of str or None, or None
            A name for each document, all different. Where there is none the document gets the next number, such as
            `#7`, which no document here has or ever had.
        documents : sequence of str or mapping
            Texts, or mappings from terms to frequencies.
        labels : sequence of sequences of str, optional
            The documents' labels, kept and given back; categories of the index, where it has a hierarchy.
        unfinished : Unfinished, optional
            How far this is, where more documents of the same source follow; the manifest keeps it.
        """
        given, own = _checked(ids, documents, labels)
        if self.categories is not None:
            self.categories.check(given, own)
        with locked(self.folder):
            self._refresh()
            names, numbered = _with_numbers(given, self.manifest.numbered, {*self.ids, *given})
            counts, terms = self._count(documents)
            before = len(self)
            parts = without(self._contents.parts, set(names))
            kept = live_of(parts)
            replaced = before - int(kept.sum())
            if names:
                segment = build_segment(*rows_of(counts), self._measure)
                parts = [*parts, Part(segment, names, own, terms, np.ones(len(names), dtype=bool))]
            self._commit(self._merged(parts), kept, numbered=numbered, unfinished=unfinished)
        return Added(len(names) - replaced, replaced, names)

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents by their ids, all or, if one is not there, none; give their number."""
        names = set(ids)
        with locked(self.folder):
            self._refresh()
            if missing := names - set(self.ids):
                raise InputError(f"{self.folder}: has no document {min(missing)!r} ({len(missing)} of {len(names)})")
            parts = without(self._contents.parts, names)
            self._commit(parts, live_of(parts))
        return len(names)

    def compact(self) -> None:
        """Make one segment of all, without the deleted documents and the terms that no other document has."""
        with locked(self.folder):
            self._refresh()
            parts = self._contents.parts
            if parts and (len(parts) > 1 or not parts[0].live.all() or has_unused_terms(parts[0])):
                merged = with_used_terms(self._merge(parts))
                # Where terms get other columns, no document is what it was to whoever has it by columns.
                same = len(merged.terms) == self.n_terms
                self._commit([merged], live_of(parts) & same)

    def search(self, documents: Sequence[Document], k: int = 10, *, terms: int | None = None) -> list[list[Found]]:
        """Find the nearest k documents of each one given, as `InvertedIndex.top` does."""
        # Read once: another thread may write meanwhile.
        contents = self._contents
        # No more columns than there are documents, however many are asked for.
        most = min(k, max(1, contents.inverted.n_slots))
        size = max(1, ENTRIES_AT_A_TIME // max(1, most))
        return [
            found
            for start in range(0, len(documents), size)
            for found in self._found(contents, documents[start : start + size], most, terms)
        ]

    def _found(
        self, contents: Contents, documents: Sequence[Document], k: int, terms: int | None
    ) -> Iterator[list[Found]]:
        queries, _ = count_here(documents, contents.reader, contents.columns)
        answer = contents.inverted.top(queries, k, terms=terms, n_jobs=self.n_jobs)
        names, labels = contents.names, contents.labels
        for numbers, scores in zip(answer.documents.tolist(), answer.scores.tolist(), strict=True):
            pairs = zip(numbers, scores, strict=True)
            yield [Found(names[number], score, labels[number]) for number, score in pairs if number >= 0]

    def documents(self) -> Iterator[tuple[str, dict[str, float], list[str]]]:
        """Give the documents that are there: id, terms with their frequencies, labels."""
        contents = self._contents
        terms = list(contents.columns)
        for part in contents.parts:
            rows = part.segment.rows
            for row in np.flatnonzero(part.live).tolist():
                of_row = slice(rows.starts[row], rows.starts[row + 1])
                columns = part.segment.vocabulary[rows.terms[of_row]].tolist()
                frequencies = rows.frequencies[of_row].astype(np.float64).tolist()
                named = {terms[column]: value for column, value in zip(columns, frequencies, strict=True)}
                yield part.ids[row], named, part.labels[row]

    def counts(self) -> csr_array:
        """Give the frequencies of all documents, deleted ones too, as rows over `terms`."""
        return counts_of(self._contents.parts, self.n_terms)

    @property
    def terms(self) -> list[str]:
        """The terms in the order of their columns."""
        return list(self._contents.columns)

    @property
    def slots(self) -> tuple[list[str], list[list[str]]]:
        """The ids and labels of all documents, the deleted ones among them, by their numbers in `index`."""
        return self._contents.names, self._contents.labels

    def info(self) -> dict[str, Any]:
        """Describe the index in plain data."""
        return {
            "documents": len(self),
            "deleted": sum(int((~part.live).sum()) for part in self._contents.parts),
            "terms": self.n_terms,
            "segments": len(self._contents.parts),
            "scoring": self.manifest.scoring,
            "k1": self.manifest.k1,
            "b": self.manifest.b,
            "idf": self.manifest.idf,
            "categories": None if self.categories is None else len(self.categories.hierarchy),
            "decision": self.manifest.decision,
            "bytes": sum((self.folder / name).stat().st_size for name in self.manifest.files),
            "writes": self.manifest.writes,
            "unfinished": None if self.manifest.unfinished is None else self.manifest.unfinished.documents,
        }

    def verify(self) -> None:
        """Read every file and compare its checksum; a damaged one is an error that names it."""
        self._verify(self.manifest.files)

    def _count(self, documents: Sequence[Document]) -> tuple[csr_array, list[str]]:
        """Count the terms of documents to be added, on the workers of a cluster where there is one."""
        if elsewhere() is None:
            return count_here(documents, self._contents.reader, self._contents.columns)
        return count_on_workers(documents, self.manifest.text.analyser(), self._contents.columns)

    @property
    def _measure(self) -> Measure:
        return Measure(self.manifest.scoring, self.manifest.k1, self.manifest.b, self.manifest.idf)

    def _take(self, parts: list[Part], kept: npt.NDArray[np.bool_]) -> None:
        """Take up parts, and what follows from them; of the documents before, those kept come first."""
        contents = self._contents_of(parts)
        contents.inverted.follow(self._contents.inverted, kept)
        self._contents = contents

    def _contents_of(self, parts: list[Part]) -> Contents:
        """Give what follows from parts."""
        terms = list(chain.from_iterable(part.terms for part in parts))
        columns = {term: column for column, term in enumerate(terms)}
        numbers = np.concatenate([np.empty(0, np.int32), *(part.segment.vocabulary for part in parts)])
        if len(columns) < len(terms) or not all_below(numbers, len(columns)):
            raise InputError(f"{self.folder}: the index is damaged: terms have no name, or two; build it again")
        segments, live = [part.segment for part in parts], [part.live for part in parts]
        return Contents(
            parts,
            list(chain.from_iterable(part.ids for part in parts)),
            list(chain.from_iterable(part.labels for part in parts)),
            columns,
            InvertedIndex.from_segments(segments, live, len(columns), self._measure, n_jobs=self.n_jobs),
            self.manifest.text.analyser().reader(),
        )

    def _refresh(self) -> None:
        """Take up what others have written since, under the lock."""
        manifest = read_manifest(self.folder)
        if manifest != self.manifest:
            self.manifest = manifest
            # Of none it is known here that it is still the same.
            self._take(read_parts(self.folder, manifest), np.zeros(self.index.n_slots, dtype=bool))

    def _verify(self, names: Iterable[str]) -> None:
        for name in names:
            load_mapped(self.folder / name, self.manifest.checksums[name])

    def _merged(self, parts: list[Part]) -> list[Part]:
        """Merge from the end until every part has more than twice the documents of the next one."""
        while len(parts) > 1 and len(parts[-2].ids) <= 2 * len(parts[-1].ids):
            parts = [*parts[:-2], self._merge(parts[-2:])]
        return parts

    def _merge(self, parts: Sequence[Part]) -> Part:
        """Make one part of several, without their deleted documents; their terms all stay.

        Their files are verified once more: what happened to one since it was opened must not get a new checksum.
        """
        self._verify(part.name for part in parts if part.name is not None)
        segments, ids, labels, terms, live, _ = zip(*parts, strict=True)
        there = np.concatenate(live)
        return Part(
            merge_segments(segments, live, self._measure, renumber=True),
            list(compress(chain.from_iterable(ids), there)),
            list(compress(chain.from_iterable(labels), there)),
            list(chain.from_iterable(terms)),
            np.ones(np.count_nonzero(there), dtype=bool),
        )

    def _check_same(self, manifest: Manifest) -> None:
        """Raise OSError if the folder at the path has another manifest: nobody else may write during a write."""
        try:
            is_same = read_manifest(self.folder) == manifest
        except ValueError:
            is_same = False
        if not is_same:
            raise OSError(f"{self.folder}: the index was replaced or deleted during a write; retry")

    def _commit(self, parts: list[Part], kept: npt.NDArray[np.bool_], **changed: Any) -> None:
        """Write what is new, then the manifest with what else has changed; in memory nothing changes before.

        `kept` are those of the documents before that are still there; new ones come after them.
        """
        writes = self.manifest.writes + 1
        checksums = dict(self.manifest.checksums)
        named = []
        for number, part in enumerate(part for part in parts if len(part.ids)):
            name = part.name
            if name is None:
                name = f"{writes:08d}-{number}{ENDING}"
                checksums[name] = save(self.folder / name, part_to_state(part))
            named.append(part._replace(name=name))
        gone = np.flatnonzero(~live_of(named))
        deleted = f"{writes:08d}{DELETED}" if len(gone) else None
        if deleted:
            checksums[deleted] = save(self.folder / deleted, {"deleted": gone.astype(np.int32)})
        manifest = msgspec.structs.replace(
            self.manifest,
            writes=writes,
            segments=tuple(str(part.name) for part in named),
            deleted=deleted,
            **changed,
        )
        manifest = msgspec.structs.replace(manifest, checksums={name: checksums[name] for name in manifest.files})
        # The lock is of the folder that was opened: the one that is at the path now may be another, and have no lock.
        self._check_same(self.manifest)
        if missing := [name for name in manifest.files if not (self.folder / name).is_file()]:
            raise OSError(f"{self.folder}: the index was replaced during a write ({missing[0]} is missing); retry")
        write_manifest(self.folder, manifest)
        self._check_same(manifest)
        self.manifest = manifest
        self._take(named, kept)


def _checked(
    ids: Sequence[str | None] | None,
    documents: Sequence[Document],
    labels: Sequence[Sequence[str] | None] | None,
) -> tuple[list[str | None], list[list[str]]]:
    """Give ids and labels, one of each for every document; refuse what are none."""
    given: list[str | None] = [None] * len(documents) if ids is None else list(ids)
    _check_lists(labels or ())
    own = [[] for _ in given] if labels is None else [list(one or ()) for one in labels]
    if not len(given) == len(documents) == len(own):
        raise InputError(f"{len(given)} ids for {len(documents)} documents and {len(own)} lists of labels")
    _check_names(Counter(name for name in given if name is not None))
    return given, own


def _check_lists(labels: Iterable[Sequence[str] | None]) -> None:
    """Refuse a label in place of a list of labels."""
    for one in labels:
        if isinstance(one, str):
            raise InputError(f"the labels {one!r} are not a list; write [{one!r}]")


def _check_names(times: Counter[str]) -> None:
    """Refuse ids that are not strings, or are there more often than once."""
    for name in times:
        if not isinstance(name, str):
            raise InputError(f"the id {name!r} is not a string; write {str(name)!r}")
    if len(times) < times.total():
        raise InputError(f"the id {times.most_common(1)[0][0]!r} is there twice; give each document an id of its own")


def _with_numbers(names: Sequence[str | None], last: int, taken: Set[str | None]) -> tuple[list[str], int]:
    """Give names to those without one, numbers after the last that was given; give the last one too.

    >>> _with_numbers(["a", None, None], 4, {"a", "#5"})
    (['a', '#6', '#7'], 7)
    """
    free = (number for number in count_from(last + 1) if f"#{number}" not in taken)
    given = []
    for name in names:
        last = last if name is not None else next(free)
        given.append(f"#{last}" if name is None else name)
    return given, last
