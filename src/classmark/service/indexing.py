"""Live indexes: documents into a folder, out of it, and searched in it."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classmark.data import CorpusOptions, iter_documents
from classmark.data.corpus import check_splits
from classmark.data.formats import Record
from classmark.data.formats.records import BYTE_ORDER_MARK
from classmark.data.sets import resolve
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import read_categories
from classmark.index.manifest import NAME
from classmark.neighbours import LiveIndex
from classmark.parameters import parameters, read_settings
from classmark.persistence import check_writable
from classmark.pipeline import TextClassifier
from classmark.progress import track
from classmark.service.answering import DOCUMENTS_IN_A_BATCH, decoded, in_batches, read_input, standard_input
from classmark.service.results import SavedModel
from classmark.text import TextSettings

DOCUMENTS_IN_A_WRITE = 50_000
READING = (
    *("language", "stop_words", "stemmer", "lowercase"),
    *("token_pattern", "remove_numbers", "min_length", "ngrams"),
)
"""The text settings that say how words are read; the others say what is made of the counts."""


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
    bytes: int
    """The size of its files."""
    writes: int
    """How often it was written."""


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
) -> IndexInfo:
    """Make an empty index; the settings are those of the text."""
    declared = {name: one for name, one in parameters(TextSettings).items() if name in READING}
    text = TextSettings(**read_settings(declared, settings or {}, "an index"))
    return IndexInfo(**LiveIndex.create(path, scoring=scoring, k1=k1, b=b, idf=idf, text=text).info())


def add_to_index(
    path: str, data: str, options: CorpusOptions | None = None, splits: Sequence[str] | None = None
) -> IndexInfo:
    """Add the documents of a corpus, a part of them at a time; an index that is not there is made first.

    Each part is safe as soon as it is written, so an interruption loses the part at hand and nothing else.
    """
    records = _records(path, data, options or CorpusOptions(), splits)
    index = LiveIndex.open(path) if (Path(path) / NAME).exists() else LiveIndex.create(path)
    first, added, replaced = index.manifest.numbered + 1, 0, 0
    try:
        for batch in in_batches(track(records, "adding"), DOCUMENTS_IN_A_WRITE):
            names, documents, labels = zip(*((one.id, one.document, one.labels) for one in batch), strict=True)
            done = index.add(names, documents, labels)
            added, replaced = added + done.added, replaced + done.replaced
    except KeyboardInterrupt:
        raise OSError(f"interrupted; {added + replaced} documents or more were added before, and are safe") from None
    last = index.manifest.numbered
    numbered = f"#{first} to #{last}" if last >= first else None
    return IndexInfo(added=added, replaced=replaced, numbered=numbered, **index.info())


def _records(path: str, data: str, options: CorpusOptions, splits: Sequence[str] | None) -> Iterator[Record]:
    """Give the documents to be added to an index."""
    place = Path(resolve(data))
    if Path(path).resolve() == place.resolve():
        raise ValueError(f"{path}: would be added to itself; give documents")
    if splits is not None and (place.is_file() or place.is_dir()):
        # A split that is not there is found before anything is written; a pipe cannot be read twice.
        deque(_of_splits(iter_documents(place, options=options), splits, data), maxlen=0)
    return _of_splits(iter_documents(place, options=options, numbered=False), splits, data)


def _of_splits(records: Iterable[Record], splits: Sequence[str] | None, source: str) -> Iterator[Record]:
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

    Documents without a label stay behind, for they cannot vote.
    """
    check_writable(Path(output))
    index = LiveIndex.open(path)
    method, settings = _method_of(index)
    voters = [document for document in index.documents() if document[-1]]
    if not voters:
        raise ValueError(f"{path}: no document has a label, so that none could vote; add documents with labels")
    tree = None
    if hierarchy is not None:
        edges = read_categories(_file(hierarchy, "check the path of the hierarchy")).edges
        tree = Hierarchy.from_edges(edges)
    model = TextClassifier(method, settings=settings, hierarchy=tree)
    ids, features, labels = map(list, zip(*voters, strict=True))
    model.fit(features, labels, ids=ids)
    model.save(output)
    return Packed(model=output, method=method, documents=len(voters), categories=len(model.hierarchy_))


def _method_of(index: LiveIndex) -> tuple[str, dict[str, Any]]:
    """Give the method that finds the documents that the index finds, and its settings."""
    manifest = index.manifest
    settings: dict[str, Any] = {name: getattr(manifest.text, name) for name in READING}
    if manifest.scoring == "overlap":
        return "knn-overlap", settings
    weights = {"scoring": manifest.scoring, "bm25_k1": manifest.k1, "bm25_b": manifest.b, "idf": manifest.idf}
    return "knn-bm25", settings | weights


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
    for batch in in_batches(_questions(data, options), DOCUMENTS_IN_A_BATCH):
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
