"""Rows of the tables as documents and verdicts, found one at a time."""

from dataclasses import fields
from hashlib import blake2b
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, select

from classmark.store.documents import RecordedVerdict, StoredDocument
from classmark.store.errors import Missing
from classmark.store.schema import document, verdict

STORED = [document.c[one.name] for one in fields(StoredDocument)]
"""The columns that a `StoredDocument` is made of."""
_ELSEWHERE: dict[str, ColumnElement[Any]] = {"name": document.c.name, "order": verdict.c.claimed_order.label("order")}
RECORDED = [_ELSEWHERE[one.name] if one.name in _ELSEWHERE else verdict.c[one.name] for one in fields(RecordedVerdict)]
"""The columns that a `RecordedVerdict` is made of."""


def select_documents(project: str) -> Select[Any]:
    """Ask for documents of a project."""
    return select(*STORED).where(document.c.project == project)


def select_verdicts(project: str) -> Select[Any]:
    """Ask for verdicts on documents of a project."""
    joined = verdict.join(document, verdict.c.document == document.c.id)
    return select(*RECORDED).select_from(joined).where(verdict.c.project == project)


def as_document(row: RowMapping) -> StoredDocument:
    """Give a row as a document."""
    return StoredDocument(**{str(name): value for name, value in row.items()})


def as_verdict(row: RowMapping) -> RecordedVerdict:
    """Give a row as a verdict."""
    return RecordedVerdict(**{str(name): value for name, value in row.items()})


def find_document(connection: Connection, project: str, name: str, *, held: bool = False) -> StoredDocument:
    """Give a document by its name; `held`, nobody else changes it before this transaction ends."""
    asked = select_documents(project).where(document.c.name == name)
    row = connection.execute(asked.with_for_update() if held else asked).mappings().first()
    if row is None:
        raise Missing(f"{project}: there is no document {name!r}")
    return as_document(row)


def verdicts_by_key(connection: Connection, project: str, key: str) -> list[RecordedVerdict]:
    """Give the verdicts of a key in their order; several where documents were learned together."""
    asked = select_verdicts(project).where(verdict.c.key == key).order_by(verdict.c.part)
    return [as_verdict(row) for row in connection.execute(asked).mappings()]


def last_verdict(connection: Connection, project: str, identity: int) -> RecordedVerdict | None:
    """Give what was said last of a document, those left out who have nothing to say."""
    asked = select_verdicts(project).where(verdict.c.document == identity, verdict.c.kind != "skip")
    row = connection.execute(asked.order_by(verdict.c.id.desc()).limit(1)).mappings().first()
    return None if row is None else as_verdict(row)


def draw_of(project: str, name: str) -> float:
    """Give the number >= 0 to below 1 by which documents are drawn at random: the same whenever it is asked for.

    >>> draw_of("birds", "1"), draw_of("birds", "2")
    (0.5900956491147668, 0.13415375879491676)
    """
    digest = blake2b(f"{project}\x00{name}".encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / (1 << 53)
