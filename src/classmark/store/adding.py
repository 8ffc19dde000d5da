"""Documents into the store."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import count, islice
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, exists, insert, select, text, update

from classmark.errors import InputError
from classmark.store.documents import Lesson, NewDocument, StoredDocument
from classmark.store.rows import as_document, draw_of, select_documents, verdicts_by_key
from classmark.store.schema import document, project, verdict
from classmark.store.values import check_name, checked_labels

NUMBER = re.compile(r"#([1-9]\d{0,14})")
"""A name as the store gives it."""
NAMES_IN_A_QUESTION = 500
BROUGHT = ("text", "origin", "given", "said", "version", "doubt", "disagreement", "suspicion")
"""What a document brings with it."""


def add(
    connection: Connection,
    of: str,
    documents: Sequence[NewDocument],
    signatures: Sequence[bytes],
    who: str,
    now: datetime,
) -> list[StoredDocument]:
    """Add documents to a project with the signatures of their texts; replace those without a verdict."""
    names = _named(connection, of, [one.name for one in documents])
    there = by_name(connection, of, names, held=True)
    named = list(zip(names, documents, signatures, strict=True))
    _insert(connection, of, [one for one in named if one[0] not in there], who, now)
    for name, one, signature in named:
        if name in there:
            _replace(connection, there[name], one, signature)
    stored = by_name(connection, of, names)
    return [stored[name] for name in names]


def learn(
    connection: Connection,
    of: str,
    lessons: Sequence[Lesson],
    signatures: Sequence[bytes],
    who: str,
    key: str | None,
    now: datetime,
) -> list[StoredDocument]:
    """Add documents with the labels of a person and the signatures of their texts."""
    if key is not None:
        check_name("key", key)
        before = _learned(connection, of, lessons, who, key)
        if before is not None:
            return before
    names = _named(connection, of, [one.name for one in lessons])
    there = by_name(connection, of, names, held=True)
    new = [
        (name, NewDocument(name=name, text=one.text, origin="learn"), signature)
        for name, one, signature in zip(names, lessons, signatures, strict=True)
        if name not in there
    ]
    _insert(connection, of, new, who, now)
    stored, mark = by_name(connection, of, names), key or str(uuid4())
    for part, (name, lesson, signature) in enumerate(zip(names, lessons, signatures, strict=True)):
        _teach(connection, stored[name], lesson, signature, {"key": mark, "part": part, "who": who, "at": now})
    stored = by_name(connection, of, names)
    return [stored[name] for name in names]


def by_name(connection: Connection, of: str, names: Sequence[str], *, held: bool = False) -> dict[str, StoredDocument]:
    """Give the documents of some names that are there; `held`, nobody else changes them meanwhile."""
    found: dict[str, StoredDocument] = {}
    for some in _some(names):
        # In one order, so that two who hold several never wait for each other.
        asked = select_documents(of).where(document.c.name.in_(some)).order_by(document.c.id)
        rows = connection.execute(asked.with_for_update() if held else asked).mappings()
        found |= {one.name: one for one in map(as_document, rows)}
    return found


def _some(names: Sequence[str]) -> Iterator[list[str]]:
    pending = iter(names)
    while some := list(islice(pending, NAMES_IN_A_QUESTION)):
        yield some


def _named(connection: Connection, of: str, names: Sequence[str | None]) -> list[str]:
    """Give names to those without one: numbers that the project never had. Others who add there wait from here on."""
    connection.execute(
        text("INSERT INTO project (name, numbered) VALUES (:name, 0) ON CONFLICT (name) DO NOTHING"), {"name": of}
    )
    last = connection.execute(select(project.c.numbered).where(project.c.name == of).with_for_update()).scalar_one()
    written = [int(found[1]) for name in names if name is not None and (found := NUMBER.fullmatch(name))]
    numbers = count(max([last, *written]) + 1)
    given = [f"#{next(numbers)}" if name is None else name for name in names]
    reached = next(numbers) - 1
    if reached > last:
        connection.execute(update(project).where(project.c.name == of).values(numbered=reached))
    return given


def _insert(
    connection: Connection, of: str, documents: Sequence[tuple[str, NewDocument, bytes]], who: str, now: datetime
) -> None:
    rows = [
        {
            "project": of,
            "name": name,
            **_brought(one),
            "signature": signature,
            **{"draw": draw_of(of, name), "state": "waiting", "added": now, "by": who},
            **{"revision": 0, "indexed": 0, "skips": 0},
        }
        for name, one, signature in documents
    ]
    if rows:
        connection.execute(insert(document), rows)


def _brought(one: NewDocument) -> dict[str, Any]:
    values = {name: getattr(one, name) for name in BROUGHT}
    given = None if one.given is None else checked_labels(one.given, "a document")
    return values | {"given": given, "said": None if one.said is None else dict(one.said)}


def _replace(connection: Connection, old: StoredDocument, new: NewDocument, signature: bytes) -> None:
    """Take what a document brings in place of what it brought before, as long as nobody has judged that."""
    values = _brought(new)
    if values == {name: getattr(old, name) for name in BROUGHT}:
        return
    values["signature"] = signature
    judged = exists().where(verdict.c.document == old.id, verdict.c.kind != "skip")
    connection.execute(
        update(document).where(document.c.id == old.id, ~judged).values(**values, revision=document.c.revision + 1)
    )


def _teach(
    connection: Connection, old: StoredDocument, lesson: Lesson, signature: bytes, values: Mapping[str, Any]
) -> None:
    """Give a document the text and the labels of a lesson, and keep who said so."""
    before = {"state": old.state, "labels": old.labels} | ({} if old.text == lesson.text else {"text": old.text})
    after = {"state": "human", "labels": checked_labels(lesson.labels, "a document"), "revision": old.revision + 1}
    free = {"claimed_by": None, "claimed_until": None, "claimed_order": None}
    connection.execute(
        update(document).where(document.c.id == old.id).values(text=lesson.text, signature=signature, **after, **free)
    )
    said = {"said": old.said, "version": old.version, "before": before, "undone": False}
    connection.execute(
        insert(verdict).values(project=old.project, document=old.id, kind="learn", **said, **after, **values)
    )


def _learned(
    connection: Connection, of: str, lessons: Sequence[Lesson], who: str, key: str
) -> list[StoredDocument] | None:
    """Give the documents that were learned under a key, if it was used; for something else, it is refused."""
    before = verdicts_by_key(connection, of, key)
    if not before:
        return None
    asked = [(who, "learn", checked_labels(one.labels, "a document")) for one in lessons]
    if asked != [(one.who, one.kind, one.labels) for one in before]:
        raise InputError(f"the key {key!r} was used for something else; give each request a key of its own")
    stored = by_name(connection, of, [one.name for one in before])
    return [stored[one.name] for one in before]
