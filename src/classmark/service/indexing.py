"""Live indexes: documents into a folder, out of it, and searched in it."""

import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

from classmark.data import CorpusOptions, iter_documents
from classmark.data.corpus import check_splits
from classmark.data.formats import Record
from classmark.data.formats.dataset import NODES_FILE, read_nodes
from classmark.data.formats.records import BYTE_ORDER_MARK
from classmark.data.sets import resolve
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import Told, read_categories, told
from classmark.index.categories import checked_decision
from classmark.index.manifest import Unfinished
from classmark.neighbours import LiveIndex
from classmark.neighbours.live import READING, method_of
from classmark.parameters import parameters, read_settings
from classmark.persistence import check_writable, is_index
from classmark.pipeline import TextClassifier
from classmark.progress import track
from classmark.service.answering import DOCUMENTS_IN_A_BATCH, decoded, in_batches, read_input, standard_input
from classmark.service.results import SavedModel
from classmark.text import TextSettings

DOCUMENTS_IN_A_WRITE = 50_000


@dataclass(frozen=True, kw_only=True)
class IndexInfo:
    """What was done to an index, and what it is now."""

    added: int | None = None
    """How many documents are new."""
    replaced: int | None = None
    """How many documents took the place of others with the same ids."""
    numbered: str | None = None
    """The numbers of those that had no ids."""
    deleted_now: int | None = None
    """How many documents were deleted."""
    documents: int
    """How many documents it has."""
    deleted: int
    """How many deleted documents still take room."""
    terms: int
    """How many terms there are."""
    segments: int
    """How many parts it is made of."""
    scoring: str
    """How documents are compared."""
    k1: float
    """How soon BM25 lets counts saturate."""
    b: float
    """How much the length of a document counts in BM25."""
    idf: str
    """The weight of a term."""
    categories: int | None = None
    """How many categories its hierarchy has, where it was given one."""
    decision: str | None = None
    """How votes become labels, where that was said."""
    bytes: int
    """The size of its files."""
    writes: int
    """How often it was written."""
    unfinished: int | None = None
    """After how many of its documents an addition was stopped, where one was."""
    tree: str | None = None
    """The categories, drawn, where that is asked for."""


@dataclass(frozen=True, kw_only=True)
class Packed(SavedModel):
    """A model file that was made of the documents of an index that have labels."""

    categories: int
    """How many categories there are."""


@dataclass(frozen=True, kw_only=True)
class Neighbour:
    """A document of an index that is near to another."""

    id: str
    """Its id."""
    score: float
    """How near it is."""
    labels: Sequence[str]
    """Its labels."""


@dataclass(frozen=True, kw_only=True)
class Nearest:
    """The nearest documents of one."""

    id: str
    """The id of the document, or its number."""
    neighbours: Sequence[Neighbour]
    """The nearest ones of the index, the nearest first."""


def create_index(
    path: str,
    *,
    scoring: str = "okapi",
    k1: float = 1.2,
    b: float = 0.75,
    idf: str = "lucene",
    settings: Mapping[str, str] | None = None,
    hierarchy: str | None = None,
    decision: str | None = None,
) -> IndexInfo:
    """Make an empty index; the settings are those of the text, and `hierarchy` is a file with the categories."""
    declared = {name: one for name, one in parameters(TextSettings).items() if name in READING}
    text = TextSettings(**read_settings(declared, settings or {}, "an index"))
    tree, texts = _categories(hierarchy)
    index = LiveIndex.create(
        path, scoring=scoring, k1=k1, b=b, idf=idf, text=text, hierarchy=tree, decision=decision, **texts
    )
    return IndexInfo(**index.info())


def _categories(path: str | None) -> tuple[Hierarchy | None, Told]:
    """Read the categories of a file, and what they are called: as it says, or the `nodes.tsv` beside it."""
    if path is None:
        return None, told({})
    file = _file(path, "check the path of the hierarchy")
    found = read_categories(file)
    beside = file.parent / NODES_FILE
    nodes = found.nodes or (read_nodes(beside) if beside.is_file() else {})
    return Hierarchy.from_edges(found.edges), told(nodes)


def add_to_index(
    path: str,
    data: str,
    options: CorpusOptions | None = None,
    splits: Sequence[str] | None = None,
    *,
    resume: bool = False,
) -> IndexInfo:
    """Add the documents of a corpus, a part of them at a time; an index that is not there is made first.

    Each part is safe as soon as it is written, so an interruption loses the part at hand and nothing else; `resume`
    goes on after the parts that are in, and gives the index that there would have been.
    """
    there = is_index(path)
    if resume and not there:
        raise InputError(f"{path}: there is no index to go on with; leave resume out")
    records = _records(path, data, options or CorpusOptions(), splits)
    index = LiveIndex.open(path) if there else LiveIndex.create(path)
    taken = _go_on(index, records, data) if resume else _begin(index)
    first, added, replaced = index.manifest.numbered + 1, 0, 0
    try:
        for batch, more in _batches(track(records, "adding"), DOCUMENTS_IN_A_WRITE):
            taken.add(batch)
            names, documents, labels = zip(*((one.id, one.document, one.labels) for one in batch), strict=True)
            done = index.add(names, documents, labels, unfinished=taken.mark() if more else None)
            added, replaced = added + done.added, replaced + done.replaced
    except KeyboardInterrupt:
        further = "; resume goes on after them" if index.manifest.unfinished else ""
        told = f"interrupted; {added + replaced} documents or more were added before, and are safe{further}"
        raise OSError(told) from None
    last = index.manifest.numbered
    numbered = f"#{first} to #{last}" if last >= first else None
    return IndexInfo(added=added, replaced=replaced, numbered=numbered, **index.info())


class _Taken:
    """The documents of a source that were taken so far, counted and marked."""

    def __init__(self) -> None:
        self.count = 0
        self._digest = blake2b(digest_size=16)

    def add(self, records: Iterable[Record]) -> None:
        for one in records:
            self.count += 1
            document = one.document if isinstance(one.document, str) else dict(one.document)
            self._digest.update(repr((one.id, document, one.labels)).encode("utf-8", "surrogatepass"))

    def mark(self) -> Unfinished:
        return Unfinished(self.count, self._digest.hexdigest())


def _begin(index: LiveIndex) -> _Taken:
    """Take documents from the first on; an addition that was stopped before is spoken of."""
    stopped = index.manifest.unfinished
    if stopped is not None:
        told = f"{index.folder}: an addition was stopped after {stopped.documents:,} documents"
        warnings.warn(f"{told}; resume would have gone on after them", stacklevel=3)
    return _Taken()


def _go_on(index: LiveIndex, records: Iterator[Record], source: str) -> _Taken:
    """Pass over the documents that are in; they must be the same as then."""
    stopped, taken = index.manifest.unfinished, _Taken()
    if stopped is None:
        raise InputError(f"{index.folder}: no addition was stopped here; leave resume out")
    taken.add(track(islice(records, stopped.documents), "passing over", stopped.documents))
    if taken.mark() != stopped:
        told = f"{source}: its first {stopped.documents:,} documents are not those that were added to {index.folder}"
        raise InputError(f"{told}; give the same source, or leave resume out")
    return taken


def _batches(records: Iterable[Record], size: int) -> Iterator[tuple[list[Record], bool]]:
    """Give some documents at a time, and whether more follow, one of which is read."""
    pending = iter(records)
    ahead = list(islice(pending, 1))
    while ahead:
        batch = [*ahead, *islice(pending, size - 1)]
        ahead = list(islice(pending, 1))
        yield batch, bool(ahead)


def _records(path: str, data: str, options: CorpusOptions, splits: Sequence[str] | None) -> Iterator[Record]:
    """Give the documents to be added to an index."""
    place = Path(resolve(data))
    if Path(path).resolve() == place.resolve():
        raise InputError(f"{path}: would be added to itself; give documents")
    if splits is not None and (place.is_file() or place.is_dir()):
        # A split that is not there is found before anything is written; a pipe cannot be read twice.
        deque(of_splits(iter_documents(place, options=options), splits, data), maxlen=0)
    return of_splits(iter_documents(place, options=options, numbered=False), splits, data)


def of_splits(records: Iterable[Record], splits: Sequence[str] | None, source: str) -> Iterator[Record]:
    """Give the documents of some splits; at the end, refuse a split that no document had."""
    seen: set[str | None] = set()
    for record in records:
        seen.add(record.split)
        if splits is None or record.split in splits:
            yield record
    check_splits(splits or (), seen, source)


def delete_from_index(path: str, ids: str) -> IndexInfo:
    """Delete documents; their ids stand in a file, one per line, or on standard input (`-`)."""
    index = LiveIndex.open(path)
    content = standard_input().read() if ids == "-" else _file(ids).read_bytes()
    lines = decoded(content.removeprefix(BYTE_ORDER_MARK), ids).splitlines()
    deleted = index.delete([line for line in lines if line])
    return IndexInfo(deleted_now=deleted, **index.info())


def compact_index(path: str) -> IndexInfo:
    """Make one segment of all, without the deleted documents."""
    index = LiveIndex.open(path)
    index.compact()
    return IndexInfo(**index.info())


def pack_index(path: str, output: str, *, hierarchy: str | None = None) -> Packed:
    """Make a model file of an index: a classifier by the nearest of its documents, which reads text as the index does.

    Documents without a label stay behind, for they cannot vote. The categories are those of the index, unless others
    are given.
    """
    check_writable(Path(output))
    index = LiveIndex.open(path)
    method, settings = method_of(index.manifest)
    known = index.categories
    voters = [document for document in track(index.documents(), "documents", len(index)) if document[-1]]
    if not voters:
        raise InputError(f"{path}: no document has a label, so that none could vote; add documents with labels")
    tree, texts = _categories(hierarchy)
    if known is not None and tree is None:
        tree, texts = known.hierarchy, known.told()
    decision = checked_decision(index.manifest.decision, tree)
    model = TextClassifier(method, settings=settings, hierarchy=tree, decision=decision, **texts)
    ids, features, labels = map(list, zip(*voters, strict=True))
    model.fit(features, labels, ids=ids)
    model.save(output)
    return Packed(model=output, method=method, documents=len(voters), categories=len(model.hierarchy_))


def index_info(path: str, *, check: bool = False) -> IndexInfo:
    """Describe an index; with `check`, compare the checksums of all its files first."""
    index = LiveIndex.open(path)
    if check:
        index.verify()
    return IndexInfo(**index.info())


def search_index(
    path: str,
    data: str,
    options: CorpusOptions | None = None,
    *,
    k: int = 10,
    terms: int | None = None,
    jobs: int | None = None,
) -> Iterator[Nearest]:
    """Find the nearest documents of each one given; `-` reads JSON or plain lines from standard input."""
    index, options = LiveIndex.open(path, n_jobs=jobs), options or CorpusOptions()
    for batch in in_batches(track(_questions(data, options), "searching"), DOCUMENTS_IN_A_BATCH):
        for (name, _), found in zip(batch, index.search([text for _, text in batch], k, terms=terms), strict=True):
            yield Nearest(
                id=name, neighbours=[Neighbour(id=one.id, score=one.score, labels=one.labels) for one in found]
            )


def _questions(data: str, options: CorpusOptions) -> Iterator[tuple[str, Any]]:
    """Give the documents to search for, with their ids."""
    if data == "-":
        return read_input(options)
    return ((str(record.id), record.document) for record in iter_documents(resolve(data), options=options))


def _file(path: str, remedy: str = "give one with an id a line, or - for standard input") -> Path:
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: there is no such file; {remedy}")
    return Path(path)
