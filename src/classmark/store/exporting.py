"""The documents whose labels hold as a dataset folder, which everything else reads."""

from array import array
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from sqlalchemy import Connection

from classmark.data.assembly import hint
from classmark.data.corpus import Corpus
from classmark.data.stored import Document, StoredDocuments, mark_of
from classmark.data.writing import write_corpus
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.store.documents import StoredDocument
from classmark.store.errors import Missing
from classmark.store.looking import labelled, projects
from classmark.wording import listed


def export(connection: Connection, place: str, folder: Path, project: str, hierarchy: Hierarchy | None) -> int:
    """Write a dataset folder, whole or not at all; texts go by one at a time."""
    known = projects(connection)
    if project not in known:
        raise Missing(f"{place}: there is no project {project!r}; there are {listed(known) or 'none'}")
    ids, labels, marks = list[str](), list[list[str] | None](), array("q")
    for one in labelled(connection, project):
        _check_known(one, hierarchy, place)
        ids.append(one.name)
        labels.append(one.labels)
        marks.append(mark_of(one.text))
    if not ids:
        raise InputError(f"{place}: no document of {project!r} has labels by a person yet; let some be reviewed first")
    texts = StoredDocuments(place, partial(_texts, connection, project), marks)
    write_corpus(Corpus(ids, texts, labels, [None] * len(ids), hierarchy, place), folder, kind="dataset")
    return len(ids)


def _check_known(one: StoredDocument, hierarchy: Hierarchy | None, place: str) -> None:
    """Refuse a label that a hierarchy does not have: nothing could read the folder."""
    for label in one.labels or ():
        if hierarchy is not None and label not in hierarchy:
            told = f"{place}: the label {label!r} of document {one.name!r} is not in the hierarchy"
            raise InputError(f"{told}{hint(label, hierarchy)}; add it there, or correct the document")


def _texts(connection: Connection, project: str) -> Iterator[Document]:
    for one in labelled(connection, project):
        yield one.text
