"""Stores: documents into them, labels out of them, copies, and forgetting."""

import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from classmark.data import CorpusOptions, iter_documents
from classmark.data.assembly import dropped_labels, hint
from classmark.data.formats import Record
from classmark.data.sets import resolve
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import read_categories
from classmark.index import LiveIndex
from classmark.index.manifest import read_manifest
from classmark.persistence import is_index, read_header
from classmark.pipeline import TextClassifier
from classmark.progress import track
from classmark.service.answering import in_batches
from classmark.service.batching.folders import Batches, folder_beside
from classmark.service.corpora import EMBEDDED, read
from classmark.service.indexing import of_splits
from classmark.service.serving import Responder
from classmark.store import NewDocument, Store
from classmark.store.values import check_documents
from classmark.wording import listed

DOCUMENTS_IN_A_WRITE = 500
IN_AN_INDEX = "review:"
"""What the ids of a store's documents begin with in a live index that learns from it."""
LONGEST_VERSION = 12
"""So many characters of a checksum tell versions of a model apart."""
Dropped: TypeAlias = list[tuple[list[str], bool]]
"""The unknown labels of each document, and whether it has lost its last label."""


@dataclass(frozen=True, kw_only=True)
class ProjectInfo:
    """What a store has of one project."""

    documents: int
    """How many documents there are."""
    waiting: int
    """How many nobody has judged."""
    reviewed: int
    """How many have labels of the model, or that they came with, which a person has accepted."""
    human: int
    """How many have labels by a person."""
    rejected: int
    """How many a person has refused."""
    claimed: int
    """How many of those that wait are before somebody just now."""
    random: Mapping[str, int]
    """What became of those that were drawn at random: how many were accepted, corrected and rejected."""
    people: Mapping[str, Mapping[str, int]]
    """How often each person has said what."""


@dataclass(frozen=True, kw_only=True)
class StoreInfo:
    """What a store is."""

    store: str
    """Where it is."""
    projects: Mapping[str, ProjectInfo]
    """What it has of each project."""


@dataclass(frozen=True, kw_only=True)
class AddedToStore:
    """Documents that were brought to be reviewed."""

    store: str
    """Where the store is."""
    project: str
    """The project."""
    documents: int
    """How many documents were read."""
    new: int
    """How many were not there before."""
    numbered: str | None = None
    """The numbers of those that had no ids."""
    version: str | None = None
    """The version of the model that was asked, where one was."""


@dataclass(frozen=True, kw_only=True)
class Exported:
    """A dataset folder that was made of a store."""

    written: str
    """The folder."""
    project: str
    """The project."""
    documents: int
    """How many documents it has."""


@dataclass(frozen=True, kw_only=True)
class Copied:
    """A backup that was made of a store, or a store of a backup."""

    written: str
    """What was made."""
    documents: int
    """How many documents it has."""


@dataclass(frozen=True, kw_only=True)
class Forgotten:
    """What was deleted."""

    documents: int
    """How many documents of the store."""
    names: Sequence[str]
    """Which ones, by project and name."""
    in_index: int | None = None
    """How many documents of the live index, where one was given."""
    batches: int | None = None
    """How many batches of the person, where there is a folder of them."""


def store_info(store: str) -> StoreInfo:
    """Say what a store has."""
    with Store.open(store, create=False) as opened:
        projects = {name: ProjectInfo(**opened.counts(name)) for name in opened.projects()}
        return StoreInfo(store=opened.place, projects=projects)


def add_to_store(
    store: str,
    data: str,
    project: str,
    *,
    model: str | None = None,
    who: str = "import",
    options: CorpusOptions | None = None,
    splits: Sequence[str] | None = None,
) -> AddedToStore:
    """Bring documents to be reviewed; a store that is not there is made.

    Parameters
    ----------
    store : str
        The path of a SQLite file, or an address such as `postgresql://…`.
    data : str
        Documents: a path, a dataset's name, or the embedded corpus. Labels that they have are kept beside, to be
        reviewed too.
    project : str
        What they belong to; a server looks for them under the name of its model.
    model : str, optional
        A model file, or the folder of an index: what it says of them is kept, how unsure it is, and how improbable it
        finds the labels that they came with.
    who : str
        Who brings them.
    options : CorpusOptions, optional
        How to read the documents.
    splits : sequence of str, optional
        The splits to bring; by default all.
    """
    options = options or CorpusOptions()
    responder = None if model is None else Responder(TextClassifier.load(model))
    version = None
    if model is not None:
        # As a server calls the version of the model.
        path = Path(model)
        version = (
            f"write-{read_manifest(path).writes}" if is_index(path) else read_header(path).checksum[:LONGEST_VERSION]
        )
    hierarchy = None if responder is None else responder.hierarchy
    if (place := Path(resolve(data))).is_file() or place.is_dir():
        # What is wrong with a document is found before anything is written; a pipe cannot be read twice.
        deque(_in_parts(_documents(data, options, splits, hierarchy, [])), maxlen=0)
    count, names = 0, list[str]()
    dropped: Dropped = []
    with Store.open(store) as opened:
        before = opened.counts(project)["documents"]
        for some in _in_parts(track(_documents(data, options, splits, hierarchy, dropped), "adding")):
            asked = some if responder is None else _judged(responder, some, version)
            stored = opened.add(project, asked, who=who)
            count += len(stored)
            names += [done.name for done, one in zip(stored, some, strict=True) if one.name is None]
        new = opened.counts(project)["documents"] - before
        place_of = opened.place
    warn_of_dropped(dropped, data, hierarchy)
    numbered = f"{names[0]} to {names[-1]}" if names else None
    return AddedToStore(store=place_of, project=project, documents=count, new=new, numbered=numbered, version=version)


def _documents(
    data: str,
    options: CorpusOptions,
    splits: Sequence[str] | None,
    hierarchy: Hierarchy | None,
    dropped: Dropped,
) -> Iterator[NewDocument]:
    """Yield the documents of a corpus as a store takes them.

    The unknown labels of each document are added to `dropped`, with whether the document has lost its last label.
    """
    seen: set[str] = set()
    for record in of_splits(_records(data, options), splits, data):
        called = f"document {record.id!r}" if record.id is not None else f"the document on line {record.line}"
        if record.id is not None and record.id in seen:
            raise InputError(f"{data}: {called} is there twice; give each document an id of its own")
        seen.update([record.id] if record.id is not None else [])
        if not isinstance(record.document, str):
            raise InputError(f"{data}: {called} has features, and a store holds texts; give texts")
        given = known_labels(
            record.labels, hierarchy, f"{data}: {called}", dropped if options.on_unknown == "drop" else None
        )
        yield NewDocument(name=record.id, text=record.document, given=given, origin="import")


def _records(data: str, options: CorpusOptions) -> Iterator[Record]:
    if data != EMBEDDED or Path(data).exists():
        return iter_documents(resolve(data), options=options, numbered=False)
    corpus = read(data, None, options)
    columns = zip(corpus.ids, corpus.documents, corpus.labels, corpus.splits, strict=True)
    return (Record(line, *column) for line, column in enumerate(columns, 1))


def known_labels(
    labels: list[str] | None, hierarchy: Hierarchy | None, where: str, dropped: Dropped | None
) -> list[str] | None:
    """Return the labels that a hierarchy has, None if none is left; raise ValueError for others, unless dropped."""
    if labels is None or hierarchy is None:
        return labels
    unknown = [label for label in labels if label not in hierarchy]
    if not unknown:
        return labels
    if dropped is None:
        told = f"{where}: the label {unknown[0]!r} is not in the hierarchy{hint(unknown[0], hierarchy)}"
        raise InputError(f"{told}; add it there, or drop unknown labels (--unknown-labels drop, on_unknown='drop')")
    known = [label for label in labels if label in hierarchy]
    dropped.append((unknown, not known))
    return known or None


def warn_of_dropped(dropped: Dropped, where: str, hierarchy: Hierarchy | None) -> None:
    """Warn of labels that were dropped."""
    if dropped and hierarchy is not None:
        labels = [label for unknown, _ in dropped for label in unknown]
        n_unlabeled = sum(lost for _, lost in dropped)
        warnings.warn(dropped_labels(where, len(labels), n_unlabeled, labels[0], hierarchy), stacklevel=4)


def _in_parts(documents: Iterable[NewDocument]) -> Iterator[list[NewDocument]]:
    """Give some documents at a time, all of which a store can hold."""
    for some in in_batches(documents, DOCUMENTS_IN_A_WRITE):
        check_documents(some)
        yield some


def _judged(responder: Responder, documents: Sequence[NewDocument], version: str | None) -> list[NewDocument]:
    """Add what a model says of documents, and how far it doubts that and the labels that they came with."""
    said = responder.judge([one.text for one in documents], [one.given for one in documents])
    return [
        NewDocument(
            name=one.name,
            text=one.text,
            given=one.given,
            origin=one.origin,
            version=version,
            said={"labels": list(answer.labels), "chances": list(answer.chances)},
            doubt=answer.doubt,
            suspicion=answer.suspicion,
        )
        for one, answer in zip(documents, said, strict=True)
    ]


def export_store(store: str, output: str, *, project: str | None = None, hierarchy: str | None = None) -> Exported:
    """Write the documents whose labels people have accepted or given as a dataset folder."""
    tree = None if hierarchy is None else _hierarchy(hierarchy)
    with Store.open(store, create=False) as opened:
        chosen = chosen_project(opened, project)
        documents = opened.export(output, chosen, tree)
    return Exported(written=output, project=chosen, documents=documents)


def _hierarchy(path: str) -> Hierarchy:
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: there is no such hierarchy file; check the path")
    return Hierarchy.from_edges(read_categories(Path(path)).edges)


def chosen_project(store: Store, name: str | None) -> str:
    """Give the project that is named, or the only one; another one, or none of several, is an error that lists them."""
    known = store.projects()
    if name is None and len(known) == 1:
        return known[0]
    if name in known:
        return name
    if not known:
        raise InputError(f"{store.place}: has no documents")
    told = "has several projects" if name is None else f"has no project {name!r}"
    raise InputError(f"{store.place}: {told}; name one of {listed(known)}")


def backup_store(store: str, output: str) -> Copied:
    """Write everything that a store has to one file."""
    with Store.open(store, create=False) as opened:
        return Copied(written=output, documents=opened.backup(output))


def restore_store(backup: str, store: str) -> Copied:
    """Make a store of a backup; one that is there must be empty."""
    with Store.restore(backup, store) as opened:
        documents = sum(opened.counts(name)["documents"] for name in opened.projects())
        return Copied(written=opened.place, documents=documents)


def forget_in_store(
    store: str,
    *,
    project: str | None = None,
    name: str | None = None,
    who: str | None = None,
    index: str | None = None,
    batches: str | None = None,
) -> Forgotten:
    """Delete documents by name, or by who brought them: from a live index first, if one is given, then from a store.

    Of a person the batches are deleted too, in the folder that is given or else in that beside the store.

    An index has the documents of a store under ids of its own; one that has a document by the very name that is given
    loses that too.
    """
    with Store.open(store, create=False) as opened:
        names = [called for _, called in opened.brought(project=project, name=name, who=who)]
        in_index = None if index is None else _forget_in_index(index, names, name)
        gone = opened.forget(project=project, name=name, who=who)
    called = [f"{of}: {one}" for of, one in gone]
    folder = folder_beside(store) if batches is None else Path(batches)
    brought = _forget_batches(Batches(folder), who, project) if who is not None and folder.is_dir() else None
    return Forgotten(documents=len(gone), names=called, in_index=in_index, batches=brought)


def _forget_batches(batches: Batches, who: str, project: str | None) -> int:
    """Delete the batches that a person has brought."""
    brought = [batch for batch, known in batches.of(project) if known["who"] == who]
    for batch in brought:
        batches.delete(batch)
    return len(brought)


def _forget_in_index(path: str, names: Iterable[str], name: str | None) -> int:
    """Delete documents from an index, and their words from its files."""
    index = LiveIndex.open(path)
    asked = {f"{IN_AN_INDEX}{one}" for one in names} | (set() if name is None else {name, f"{IN_AN_INDEX}{name}"})
    there = asked.intersection(index.ids)
    if there:
        index.delete(there)
    index.compact()
    return len(there)
