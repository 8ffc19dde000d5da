"""A corpus in shards that is read on the workers of a cluster: here are its ids, labels and splits alone, as arrays.

Each worker reads some shards and answers with an `ShardOutline`; what takes all of them to see, ids that stand twice
and labels that the hierarchy does not have, is looked at here. The documents stay where they are, and are read again by
whoever needs them: all processes see the shards under the same path.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from classmark.columns import Codes, LabelSets, Texts
from classmark.data import assembly
from classmark.data.corpus import Corpus
from classmark.data.formats.dataset import read_shard
from classmark.data.formats.json import AskedKeys
from classmark.data.formats.records import Outline, Record
from classmark.data.options import CorpusOptions
from classmark.data.stored import Document, InFile, StoredDocuments, gone
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import NodeText
from classmark.parallel import in_order
from classmark.progress import track_several

UNEQUAL = 1.5
"""How many times the share of a worker a shard may have before it is spoken of: the others wait for who reads it."""


class State(NamedTuple):
    """What tells a file from what it was at another reading."""

    size: int
    changed: int

    @classmethod
    def of(cls, file: Path) -> "State":
        """Look at a file."""
        try:
            found = file.stat()
        except FileNotFoundError:
            raise gone(file) from None
        return cls(found.st_size, found.st_mtime_ns)


class Shard(NamedTuple):
    """A shard: its file, what it was when it was first read, and how many documents it has."""

    file: Path
    state: State
    n_documents: int

    def documents(self, options: CorpusOptions, rows: npt.NDArray[np.int64] | None = None) -> Iterator[Document]:
        """Read the documents, or those at some positions, which rise."""
        if State.of(self.file) != self.state:
            raise InputError(
                f"{self.file}: the shard has changed since the first reading; start again, and let nothing write there"
            )
        records = read_shard(self.file, options, AskedKeys(options))
        if rows is None:
            yield from (record.document for record in records)
            return
        wanted = iter(rows.tolist())
        following = next(wanted, None)
        for number, record in enumerate(records):
            if number == following:
                yield record.document
                following = next(wanted, None)


class ShardOutline(NamedTuple):
    """What stays of a shard when its documents have gone.

    Attributes
    ----------
    shard : Shard
        The file.
    ids : Texts or None
        The ids; None where no document has one.
    has_id : array of bool
        Which documents have one.
    labels : LabelSets
        The labels as they stand there.
    splits : Codes
        The splits.
    first : list of (int, str or None)
        Of each label of `labels.names`, the line and the id of the first document that has it.
    """

    shard: Shard
    ids: Texts | None
    has_id: npt.NDArray[np.bool_]
    labels: LabelSets
    splits: Codes
    first: list[tuple[int, str | None]]


def outline_of(options: CorpusOptions, file: Path) -> ShardOutline:
    """Read a shard, and keep all but its documents."""
    if not file.exists():
        raise FileNotFoundError(
            f"{file}: a worker does not find it; let all workers see the shards under the same path"
        )
    state, seen = State.of(file), Outline()
    for record in read_shard(file, options, AskedKeys(options)):
        seen.append(record)
    labels, first = LabelSets.of(seen.labels), dict[str, tuple[int, str | None]]()
    for record in seen:
        for label in record.labels or ():
            first.setdefault(label, (record.line, record.id))
    has_id = np.array([name is not None for name in seen.ids], dtype=bool)
    ids = Texts.of(name or "" for name in seen.ids) if has_id.any() else None
    return ShardOutline(
        Shard(file, state, len(seen)),
        ids,
        has_id,
        labels,
        Codes.of(seen.splits),
        [first[name] for name in labels.names],
    )


class ShardedDocuments(StoredDocuments):
    """The documents of shards, which stay there.

    Parameters
    ----------
    source : str
        The folder.
    shards : list of Shard
        The shards.
    options : CorpusOptions
        How they are read.
    rows : array of int, optional
        The positions of the documents to give, which rise; by default all of them.
    """

    def __init__(
        self,
        source: str,
        shards: Sequence[Shard],
        options: CorpusOptions,
        rows: npt.NDArray[np.int64] | None = None,
    ) -> None:
        self.source, self.shards, self.options, self.rows = source, shards, options, rows

    def __len__(self) -> int:
        return sum(shard.n_documents for shard in self.shards) if self.rows is None else len(self.rows)

    def __repr__(self) -> str:
        return f"<ShardedDocuments: {len(self)} from {self.source}>"

    def __iter__(self) -> Iterator[Document]:
        for shard, rows in self.of_shards():
            yield from shard.documents(self.options, rows)

    def of_shards(self) -> list[tuple[Shard, npt.NDArray[np.int64] | None]]:
        """Give the shards that have some of these documents, and their positions there; None for all."""
        if self.rows is None:
            return [(shard, None) for shard in self.shards]
        starts = np.cumsum([0, *(shard.n_documents for shard in self.shards)])
        cuts = np.searchsorted(self.rows, starts)
        inside = [self.rows[a:b] - start for (a, b), start in zip(pairwise(cuts), starts, strict=False)]
        found = zip(self.shards, inside, strict=True)
        return [(shard, None if len(rows) == shard.n_documents else rows) for shard, rows in found if len(rows)]

    def in_files(self) -> Iterator[InFile]:
        """Give the documents file by file; one may have none of them."""
        chosen = {shard.file: rows for shard, rows in self.of_shards()}
        for shard in self.shards:
            rows = chosen.get(shard.file, np.zeros(0, np.int64))
            yield InFile(
                shard.file, shard.n_documents, list(range(shard.n_documents)) if rows is None else rows.tolist()
            )

    def take(self, rows: Sequence[int]) -> "ShardedDocuments":
        """Give the documents at some positions here, which must rise."""
        chosen = np.asarray(rows, dtype=np.int64)
        if (np.diff(chosen) <= 0).any():
            raise InputError(f"{self.source}: stored documents are read in their order; give rows that rise")
        return ShardedDocuments(
            self.source, self.shards, self.options, chosen if self.rows is None else self.rows[chosen]
        )


def read_sharded(
    path: Path,
    files: Sequence[Path],
    options: CorpusOptions,
    categories: Callable[[Outline], tuple[Hierarchy | None, dict[str, NodeText]]],
    n_workers: int,
) -> Corpus:
    """Read a corpus in shards on the workers of a cluster; see `read_corpus`."""
    sizes = [State.of(file).size for file in files]
    found = in_order(outline_of, [(file,) for file in files], shared=(options,), costs=sizes)
    outlines = [outline for _, outline in zip(track_several(files, "shards"), found, strict=True)]
    warn_of_unequal(files, n_workers)
    sketch = sketch_of(outlines)
    known, nodes = categories(sketch)
    separator = options.tree_separator
    if separator is not None:
        assembly.tidy_paths(sketch, separator, known)
        known = known or assembly.tree_of_paths(sketch, separator, path)
    joined = LabelSets.joined([outline.labels for outline in outlines])
    labels = _held_against(joined, sketch, known, options, path)
    shards = [outline.shard for outline in outlines]
    numbered = ~np.concatenate([outline.has_id for outline in outlines])
    return Corpus(
        ids=_distinct_ids(outlines),
        documents=ShardedDocuments(str(path), shards, options),
        labels=labels,
        splits=Codes.joined([outline.splits for outline in outlines]),
        hierarchy=known,
        source=str(path),
        nodes=nodes,
        numbered=numbered if numbered.any() else None,
    )


def sketch_of(outlines: Sequence[ShardOutline]) -> Outline:
    """Give a record for every label, where it stands first: all that there is to see of labels, and no more."""
    sketch, seen = Outline(), set[str]()
    for outline in outlines:
        for label, (line, name) in zip(outline.labels.names, outline.first, strict=True):
            if label not in seen:
                seen.add(label)
                sketch.append(Record(line, name, "", [label], None, outline.shard.file))
    return sketch


def _held_against(
    labels: LabelSets, sketch: Outline, known: Hierarchy | None, options: CorpusOptions, path: Path
) -> LabelSets:
    """Give the labels as the hierarchy has them; one that it has not is refused or dropped."""
    given = [found[0] if found else None for found in sketch.labels]
    if known is not None and options.on_unknown == "error":
        assembly.all_known(sketch, known, path)
    elif known is not None:
        unknown = np.array([name not in known for name in given], dtype=bool)
        if unknown.any():
            first = (sketch.labels[int(np.argmax(unknown))] or [""])[0]
            dropped = unknown[labels.codes]
            n_known = np.diff(np.concatenate([[0], np.cumsum(~dropped)])[labels.starts])
            n_unlabeled = int(((n_known == 0) & (np.diff(labels.starts) > 0)).sum())
            warnings.warn(
                assembly.dropped_labels(f"{path}", int(dropped.sum()), n_unlabeled, first, known), stacklevel=4
            )
        given = [None if name not in known else name for name in given]
    return labels.renamed(given) if given != list(labels.names) else labels


def _distinct_ids(outlines: Sequence[ShardOutline]) -> Texts:
    """Give the ids, the row number where there is none; an id in two places is refused."""
    columns, start = [], 1
    for outline in outlines:
        columns.append(_ids_of(outline, start))
        start += outline.shard.n_documents
    ids = Texts.joined(columns)
    if any(outline.ids is not None for outline in outlines):
        _check_once(ids, outlines)
    return ids


def _ids_of(outline: ShardOutline, start: int) -> Texts:
    if outline.ids is not None and outline.has_id.all():
        return outline.ids
    names = outline.ids if outline.ids is not None else [""] * outline.shard.n_documents
    pairs = zip(names, outline.has_id.tolist(), strict=True)
    return Texts.of(name if has else str(row) for row, (name, has) in enumerate(pairs, start))


def _check_once(ids: Texts, outlines: Sequence[ShardOutline]) -> None:
    """Refuse an id that stands twice."""
    marks = np.fromiter(map(hash, ids), np.int64, len(ids))
    order = np.argsort(marks, kind="stable")
    same = np.flatnonzero(marks[order[1:]] == marks[order[:-1]])
    # Equal numbers are equal ids but for an accident.
    twice = [int(order[place + 1]) for place in same if ids[int(order[place])] == ids[int(order[place + 1])]]
    if not twice:
        return
    row = min(twice)
    name = ids[row]
    before = next(number for number, other in enumerate(ids) if other == name)
    raise InputError(
        f"{_where(outlines, row)}: the id {name!r} already stands at {_where(outlines, before)};"
        " give each document its own"
    )


def _where(outlines: Sequence[ShardOutline], row: int) -> str:
    """Say in which shard a document stands, and as which of its documents."""
    for outline in outlines:
        if row < outline.shard.n_documents:
            return f"{outline.shard.file}: document {row + 1}"
        row -= outline.shard.n_documents
    raise AssertionError(row)


def warn_of_unequal(files: Sequence[Path], n_workers: int) -> None:
    """Say in one line that most workers will wait for one, because of how the shards are cut."""
    sizes = [State.of(file).size for file in files]
    largest = max(range(len(files)), key=sizes.__getitem__)
    even = f"classmark convert --shards {max(4 * n_workers, len(files))} makes even ones"
    if len(files) < n_workers:
        warnings.warn(
            f"{files[0].parent}: {len(files)} shards for {n_workers} workers, so that some have none to read; {even}",
            stacklevel=4,
        )
    elif n_workers > 1 and sizes[largest] * n_workers > UNEQUAL * sum(sizes):
        warnings.warn(
            f"{files[largest]}: the shard has {sizes[largest] / sum(sizes):.0%} of all bytes, and one worker reads it"
            f" alone; {even}",
            stacklevel=4,
        )
