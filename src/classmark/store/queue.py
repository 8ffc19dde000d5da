"""What waits for people's word, looked at as a whole: samples, branches, disagreement, and documents by their names."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, or_, select, update

from classmark.store.adding import by_name
from classmark.store.claiming import ORDERS
from classmark.store.database import Database
from classmark.store.documents import StoredDocument
from classmark.store.forgetting import Cleaner, delete_documents
from classmark.store.rows import as_document, select_documents
from classmark.store.schema import document, verdict
from classmark.store.values import check_choice, check_count

JUDGED = ("accept", "correct", "reject")
"""Verdicts that say whether the model was right."""
SUGGESTED = ("said", "version", "doubt", "disagreement", "suspicion")
"""Columns that depend on the model."""
ROWS_AT_A_TIME = 1000


class Queue:
    """What waits, and what came out of it; `Store.queue` gives it."""

    def __init__(self, database: Database, clock: Callable[[], datetime], cleaner: Cleaner) -> None:
        self._database = database
        self._clock = clock
        self._cleaner = cleaner

    def outcomes(self, project: str, order: str, limit: int) -> list[str]:
        """Give the verdicts, skips left out, on documents that were claimed in an order, the latest first."""
        return self._database.read(_outcomes, project, order, limit)

    def said(self, project: str) -> list[tuple[str, list[str]]]:
        """Give of every document its state, and the labels that it came with: the model's, or else the given."""
        return self._database.read(_said, project)

    def free_signatures(self, project: str, who: str, *, limit: int) -> dict[int, bytes]:
        """Return the signatures of waiting documents that no other person has claimed, the most uncertain first.

        The keys are the store's own numbers.
        """
        return self._database.read(_free_signatures, project, who, limit, self._clock())

    def numbered(self, project: str, numbers: Sequence[int]) -> dict[int, StoredDocument]:
        """Return the documents that are there of some, by the store's own numbers."""
        return self._database.read(_numbered, project, numbers)

    def waiting_after(self, project: str, last: int, *, limit: int) -> list[StoredDocument]:
        """Give the next waiting documents after one, by the store's own numbers."""
        return self._database.read(_waiting_after, project, last, limit)

    def compare(self, project: str, found: Mapping[int, tuple[float, Mapping[str, Any]]]) -> int:
        """Keep of waiting documents, by the store's numbers, how far another model disagrees, and what it says."""
        return self._database.write(_compare, project, found)

    def suggest(self, project: str, documents: Sequence[StoredDocument]) -> dict[int, StoredDocument]:
        """Save new suggestions of waiting documents, and return the documents as they are now, by the store's numbers.

        A document that has changed since it was read stays as it is. The revision increases if the labels differ.
        """
        return self._database.write(_suggest, project, documents)

    def named(self, project: str, names: Sequence[str]) -> dict[str, StoredDocument]:
        """Give the documents of some names that are there."""
        return self._database.read(by_name, project, names)

    def forget(self, project: str, names: Sequence[str], *, judged: bool, clean: bool = True) -> list[str]:
        """Delete documents by their names, those with a verdict only if `judged`; return the names of the deleted.

        Afterwards the database's files do not have them either; without `clean`, only after `Store.clean`.
        """
        gone, deleted = self._database.write(_forget, project, names, judged)
        if gone:
            self._cleaner.add(deleted)
            if clean:
                self._cleaner.clean()
        return gone


def _outcomes(connection: Connection, of: str, order: str, limit: int) -> list[str]:
    """Give the verdicts on documents that were claimed in an order, the latest first."""
    check_choice("order", order, tuple(ORDERS))
    check_count("limit", limit)
    asked = select(verdict.c.kind).where(
        verdict.c.project == of,
        verdict.c.claimed_order == order,
        verdict.c.kind.in_(JUDGED),
        verdict.c.undone.is_(False),
    )
    return list(connection.execute(asked.order_by(verdict.c.id.desc()).limit(limit)).scalars())


def _said(connection: Connection, of: str) -> list[tuple[str, list[str]]]:
    asked = select(document.c.state, document.c.said, document.c.given).where(document.c.project == of)
    rows = connection.execute(asked.execution_options(yield_per=ROWS_AT_A_TIME))
    return [(state, (model or {}).get("labels") or given or []) for state, model, given in rows]


def _free_signatures(connection: Connection, of: str, who: str, limit: int, now: datetime) -> dict[int, bytes]:
    check_count("limit", limit)
    free = or_(document.c.claimed_until.is_(None), document.c.claimed_until <= now, document.c.claimed_by == who)
    asked = select(document.c.id, document.c.signature).where(
        document.c.project == of, document.c.state == "waiting", free
    )
    rows = connection.execute(asked.order_by(ORDERS["doubt"], document.c.id).limit(limit))
    return {row[0]: row[1] for row in rows}


def _numbered(connection: Connection, of: str, numbers: Sequence[int]) -> dict[int, StoredDocument]:
    rows = connection.execute(select_documents(of).where(document.c.id.in_(numbers))).mappings()
    return {one.id: one for one in map(as_document, rows)}


def _waiting_after(connection: Connection, of: str, last: int, limit: int) -> list[StoredDocument]:
    """Give the next waiting documents after one, by the store's own numbers."""
    check_count("limit", limit)
    asked = select_documents(of).where(document.c.state == "waiting", document.c.id > last)
    return [as_document(row) for row in connection.execute(asked.order_by(document.c.id).limit(limit)).mappings()]


def _compare(connection: Connection, of: str, found: Mapping[int, tuple[float, Mapping[str, Any]]]) -> int:
    """Keep of waiting documents, by the store's numbers, how far another model disagrees, and what it says."""
    changed = 0
    for number in sorted(found):
        disagreement, other = found[number]
        same = (document.c.id == number, document.c.project == of, document.c.state == "waiting")
        row = connection.execute(select(document.c.said).where(*same).with_for_update()).first()
        if row is not None:
            values = {"disagreement": disagreement, "said": {**(row.said or {}), "other": dict(other)}}
            connection.execute(update(document).where(*same).values(**values))
            changed += 1
    return changed


def _suggest(connection: Connection, of: str, documents: Sequence[StoredDocument]) -> dict[int, StoredDocument]:
    stored: dict[int, StoredDocument] = {}
    for one in sorted(documents, key=lambda one: one.id):
        same = (document.c.id == one.id, document.c.project == of)
        asked = select_documents(of).where(*same).with_for_update()
        row = connection.execute(asked).mappings().first()
        if row is None:
            continue
        before = as_document(row)
        if before.state == "waiting" and before.revision == one.revision:
            differs = (before.said or {}).get("labels") != (one.said or {}).get("labels")
            values = {name: getattr(one, name) for name in SUGGESTED} | {"revision": one.revision + differs}
            connection.execute(update(document).where(*same).values(**values))
            before = replace(one, revision=one.revision + differs)
        stored[one.id] = before
    return stored


def _forget(connection: Connection, of: str, names: Sequence[str], judged: bool) -> tuple[list[str], list[str]]:
    there = by_name(connection, of, names, held=True).values()
    gone = [one for one in there if judged or one.state == "waiting"]
    return [one.name for one in gone], delete_documents(connection, [one.id for one in gone])
