"""Live indexes: documents into a folder, out of it, and searched in it."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from classmark.data import CorpusOptions, iter_documents
from classmark.data.corpus import check_splits
from classmark.data.formats import Record
from classmark.data.sets import resolve
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import read_categories
from classmark.index.manifest import NAME
from classmark.neighbours import LiveIndex
from classmark.parameters import parameters, read_settings
from classmark.persistence import check_writable
from classmark.pipeline import TextClassifier
from classmark.progress import track
from classmark.service.answering import DOCUMENTS_IN_A_BATCH, in_batches, read_input, standard_input
from classmark.text import TextSettings

DOCUMENTS_IN_A_WRITE = 50_000
READING = (
    *("language", "stop_words", "stemmer", "lowercase"),
    *("token_pattern", "remove_numbers", "min_length", "ngrams"),
)
"""The text settings that say how words are read; the others say what is made of the counts."""


def create_index(path: str, *, scoring: str, k1: float, b: float, idf: str, settings: dict[str, str]) -> dict[str, Any]:
    """Make an empty index; the settings are those of the text."""
    declared = {name: one for name, one in parameters(TextSettings).items() if name in READING}
    text = TextSettings(**read_settings(declared, settings, "an index"))
    return LiveIndex.create(path, scoring=scoring, k1=k1, b=b, idf=idf, text=text).info()


def add_to_index(path: str, data: str, options: CorpusOptions, splits: Sequence[str] | None) -> dict[str, Any]:
    """Add the documents of a corpus, a part of them at a time; an index that is not there is made first.

    Each part is safe as soon as it is written, so an interruption loses the part at hand and nothing else.
    """
    place = Path(resolve(data))
    if Path(path).resolve() == place.resolve():
        raise ValueError(f"{path}: would be added to itself; give documents")
    if splits is not None and (place.is_file() or place.is_dir()):
        # A split that is not there is found before anything is written; a pipe cannot be read twice.
        deque(_of_splits(iter_documents(place, options=options), splits, data), maxlen=0)
    records = _of_splits(iter_documents(place, options=options, numbered=False), splits, data)
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
    numbered = {"numbered": f"#{first} to #{last}"} if last >= first else {}
    return {"added": added, "replaced": replaced, **numbered, **index.info()}


def _of_splits(records: Iterable[Record], splits: Sequence[str] | None, source: str) -> Iterator[Record]:
    """Give the documents of some splits; at the end, refuse a split that no document had."""
    seen: set[str | None] = set()
    for record in records:
        seen.add(record.split)
        if splits is None or record.split in splits:
            yield record
    check_splits(splits or (), seen, source)


def delete_from_index(path: str, ids: str) -> dict[str, Any]:
    """Delete documents; their ids stand in a file, one a line, or on standard input (`-`)."""
    index = LiveIndex.open(path)
    lines = standard_input().read() if ids == "-" else _file(ids).read_bytes()
    try:
        names = [line for line in lines.decode("utf-8-sig").splitlines() if line]
    except UnicodeDecodeError:
        raise ValueError(f"{ids}: not UTF-8; convert it first") from None
    deleted = index.delete(names)
    return {"deleted_now": deleted, **index.info()}


def compact_index(path: str) -> dict[str, Any]:
    """Make one segment of all, without the deleted documents."""
    index = LiveIndex.open(path)
    index.compact()
    return index.info()


def pack_index(path: str, output: str, *, hierarchy: str | None = None) -> dict[str, Any]:
    """Make a model file of an index: a classifier by the nearest of its documents, which reads text as the index does.

    Documents without a label stay behind, for they cannot vote.
    """
    check_writable(Path(output))
    index = LiveIndex.open(path)
    manifest = index.manifest
    settings: dict[str, Any] = {name: getattr(manifest.text, name) for name in READING}
    method = "knn-overlap" if manifest.scoring == "overlap" else "knn-bm25"
    if method == "knn-bm25":
        settings |= {"scoring": manifest.scoring, "bm25_k1": manifest.k1, "bm25_b": manifest.b, "idf": manifest.idf}
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
    return {"model": output, "method": method, "documents": len(voters), "categories": len(model.hierarchy_)}


def index_info(path: str, *, check: bool) -> dict[str, Any]:
    """Describe an index; with `check`, compare the checksums of all its files first."""
    index = LiveIndex.open(path)
    if check:
        index.verify()
    return index.info()


def search_index(
    path: str, data: str, options: CorpusOptions, *, k: int, terms: int | None, jobs: int | None
) -> Iterator[dict[str, Any]]:
    """Find the nearest documents of each one given; `-` reads JSON or plain lines from standard input."""
    index = LiveIndex.open(path, n_jobs=jobs)
    documents: Iterable[tuple[str, Any]]
    if data == "-":
        documents = read_input(options)
    else:
        documents = ((str(record.id), record.document) for record in iter_documents(resolve(data), options=options))
    for batch in in_batches(documents, DOCUMENTS_IN_A_BATCH):
        for (name, _), found in zip(batch, index.search([text for _, text in batch], k, terms=terms), strict=True):
            yield {"id": name, "neighbours": [one._asdict() for one in found]}


def _file(path: str, remedy: str = "give one with an id a line, or - for standard input") -> Path:
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: there is no such file; {remedy}")
    return Path(path)
