"""Who has which documents before them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, exists, func, or_, select, update

from classmark.store.documents import StoredDocument
from classmark.store.rows import as_document, select_documents
from classmark.store.schema import document, verdict
from classmark.store.values import check_choice, check_count, check_name

ORDERS: dict[str, ColumnElement[Any]] = {
    "doubt": document.c.doubt.desc().nulls_last(),
    "disagreement": document.c.disagreement.desc().nulls_last(),
    "suspicion": document.c.suspicion.desc().nulls_last(),
    "random": document.c.draw.asc(),
}
"""In which order documents are given to people."""


def claim(
    connection: Connection, project: str, who: str, order: str, count: int, now: datetime, until: datetime
) -> list[StoredDocument]:
    """Give a person waiting documents until a time: their own first, then the next that nobody has."""
    check_name("project", project)
    check_name("who", who)
    check_choice("order", order, tuple(ORDERS))
    check_count("count", count, least=1)
    own = _take(connection, _offered(project, order), _held_by(who, now), (document.c.id,), count, others=True)
    new = _next(connection, project, who, order, count - len(own), now) if len(own) < count else []
    if not own and not new:
        new = _again(connection, project, who, order, count, now)
    chosen = [*own, *new]
    if chosen:
        mine = {"claimed_by": who, "claimed_until": until}
        connection.execute(update(document).where(document.c.id.in_(own)).values(**mine))
        connection.execute(update(document).where(document.c.id.in_(new)).values(**mine, claimed_order=order))
    rows = connection.execute(select_documents(project).where(document.c.id.in_(chosen))).mappings()
    return sorted(map(as_document, rows), key=lambda one: chosen.index(one.id))


def release(connection: Connection, project: str, who: str, now: datetime) -> int:
    """Give back what a person has claimed."""
    held = and_(_waiting(project), _held_by(who, now))
    free = {"claimed_by": None, "claimed_until": None, "claimed_order": None}
    return connection.execute(update(document).where(held).values(**free)).rowcount


def _waiting(project: str) -> ColumnElement[bool]:
    return and_(document.c.project == project, document.c.state == "waiting")


def _offered(project: str, order: str) -> ColumnElement[bool]:
    """Return the condition of waiting documents that an order shows: by suspicion, only those that came with labels."""
    waiting = _waiting(project)
    return and_(waiting, document.c.suspicion.is_not(None)) if order == "suspicion" else waiting


def _held_by(who: str, now: datetime) -> ColumnElement[bool]:
    return and_(document.c.claimed_by == who, document.c.claimed_until > now)


def _free(now: datetime) -> ColumnElement[bool]:
    return or_(document.c.claimed_until.is_(None), document.c.claimed_until <= now)


def _skipped_by(who: str) -> ColumnElement[bool]:
    return exists().where(*_skips(who))


def _skips(who: str) -> tuple[ColumnElement[bool], ...]:
    return (
        verdict.c.document == document.c.id,
        verdict.c.kind == "skip",
        verdict.c.who == who,
        verdict.c.undone.is_(False),
    )


def _next(connection: Connection, project: str, who: str, order: str, count: int, now: datetime) -> list[int]:
    """Take documents that nobody has and nobody has skipped, then those that others have skipped."""
    untouched = and_(_offered(project, order), document.c.skips == 0)
    found = _take(connection, untouched, _free(now), (ORDERS[order], document.c.id), count)
    if len(found) == count:
        return found
    passed = and_(_offered(project, order), document.c.skips > 0, ~_skipped_by(who))
    by = (document.c.skips, ORDERS[order], document.c.id)
    return found + _take(connection, passed, _free(now), by, count - len(found))


def _again(connection: Connection, project: str, who: str, order: str, count: int, now: datetime) -> list[int]:
    """Take documents that the person has skipped, if all others are through: those skipped least often first."""
    others = select(exists().where(_offered(project, order), ~_skipped_by(who)))
    if connection.execute(others).scalar_one():
        return []
    times = select(func.count()).select_from(verdict).where(*_skips(who)).correlate(document).scalar_subquery()
    return _take(connection, _offered(project, order), _free(now), (times, ORDERS[order], document.c.id), count)


def _take(
    connection: Connection,
    which: ColumnElement[bool],
    free: ColumnElement[bool],
    by: Sequence[ColumnElement[Any]],
    count: int,
    *,
    others: bool = False,
) -> list[int]:
    """Give the numbers of some documents that nobody else takes meanwhile; what others hold just now is passed over."""
    asked = select(document.c.id).where(which, free).order_by(*by).limit(count)
    return list(connection.execute(asked.with_for_update(skip_locked=not others)).scalars())
