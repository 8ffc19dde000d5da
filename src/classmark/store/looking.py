"""What is in the store: documents, counts, and what the live index does not have yet."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Select,
    Text,
    and_,
    bindparam,
    case,
    cast,
    exists,
    false,
    func,
    select,
    type_coerce,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB

from classmark.store.claiming import ORDERS
from classmark.store.documents import LABELLED, STATES, RecordedVerdict, StoredDocument
from classmark.store.rows import as_document, as_verdict, find_document, select_documents, select_verdicts
from classmark.store.schema import document, project, verdict
from classmark.store.values import check_choice, check_count

LISTED: dict[str, ColumnElement[Any]] = {"added": document.c.id.asc(), "name": document.c.name.asc(), **ORDERS}
"""In which order documents are listed."""
DOCUMENTS_AT_A_TIME = 1000
OUTCOMES = {"accept": "accepted", "correct": "corrected", "reject": "rejected"}


def documents(
    connection: Connection, of: str, state: str | None, order: str, offset: int, limit: int
) -> list[StoredDocument]:
    """Give some documents of a project."""
    check_choice("order", order, tuple(LISTED))
    check_count("offset", offset)
    check_count("limit", limit)
    asked = select_documents(of)
    if state is not None:
        check_choice("state", state, STATES)
        asked = asked.where(document.c.state == state)
    asked = asked.order_by(LISTED[order], document.c.id).offset(offset).limit(limit)
    return [as_document(row) for row in connection.execute(asked).mappings()]


def history(connection: Connection, of: str, name: str) -> list[RecordedVerdict]:
    """Give all verdicts on a document."""
    found = find_document(connection, of, name)
    asked = select_verdicts(of).where(verdict.c.document == found.id).order_by(verdict.c.id)
    return [as_verdict(row) for row in connection.execute(asked).mappings()]


def projects(connection: Connection) -> list[str]:
    """Give the projects that have documents."""
    has = exists().where(document.c.project == project.c.name)
    return sorted(connection.execute(select(project.c.name).where(has)).scalars())


def counts(connection: Connection, of: str, now: datetime) -> dict[str, Any]:
    """Count documents by state, and verdicts by person and by outcome at random."""
    number = func.count()
    grouped = select(document.c.state, number).where(document.c.project == of).group_by(document.c.state)
    states = _numbers(connection, grouped)
    claimed = select(number).where(document.c.project == of, document.c.state == "waiting")
    holds = (verdict.c.project == of, verdict.c.undone.is_(False), verdict.c.kind != "undo")
    drawn = select(verdict.c.kind, number).where(*holds, verdict.c.claimed_order == "random").group_by(verdict.c.kind)
    outcomes = _numbers(connection, drawn)
    people: dict[str, dict[str, int]] = {}
    by_person = select(verdict.c.who, verdict.c.kind, number).where(*holds).group_by(verdict.c.who, verdict.c.kind)
    for who, kind, times in connection.execute(by_person.order_by(verdict.c.who, verdict.c.kind)):
        people.setdefault(who, {})[kind] = times
    return {
        "documents": sum(states.values()),
        **{state: states.get(state, 0) for state in STATES},
        "claimed": connection.execute(claimed.where(document.c.claimed_until > now)).scalar_one(),
        "random": {words: outcomes.get(kind, 0) for kind, words in OUTCOMES.items()},
        "people": people,
    }


def _numbers(connection: Connection, grouped: Select[Any]) -> dict[str, int]:
    return {row[0]: row[1] for row in connection.execute(grouped)}


def labelled(connection: Connection, of: str) -> Iterator[StoredDocument]:
    """Give the documents whose labels hold, some at a time."""
    last = 0
    while some := labelled_after(connection, of, last):
        yield from some
        last = some[-1].id


def labelled_after(connection: Connection, of: str, last: int) -> list[StoredDocument]:
    """Give the next documents after one, by the store's own numbers."""
    asked = select_documents(of).where(document.c.state.in_(LABELLED), document.c.id > last)
    rows = connection.execute(asked.order_by(document.c.id).limit(DOCUMENTS_AT_A_TIME)).mappings()
    return [as_document(row) for row in rows]


def labelled_as(connection: Connection, of: str, label: str, offset: int, limit: int) -> list[StoredDocument]:
    """Give the documents with a label that holds, and those waiting that the model gave it."""
    check_count("offset", offset)
    check_count("limit", limit)
    held = _has_label(connection, document.c.labels, "$", label)
    suggested = _has_label(connection, document.c.said, "$.labels", label)
    asked = select_documents(of).where(
        case(
            (document.c.labels.is_not(None), held),
            (and_(document.c.state == "waiting", document.c.said.is_not(None)), suggested),
            else_=false(),
        )
    )
    asked = asked.order_by(document.c.state == "waiting", document.c.id.desc()).offset(offset).limit(limit)
    return [as_document(row) for row in connection.execute(asked).mappings()]


def _has_label(connection: Connection, column: ColumnElement[Any], path: str, label: str) -> ColumnElement[bool]:
    """Return the condition that the list of names at a path of a JSON column has a label."""
    text = type_coerce(column, Text)
    if connection.dialect.name == "sqlite":
        each = func.json_each(text, path).table_valued("value")
        return exists().where(each.c.value == label)
    values = cast(text, JSONB) if path == "$" else cast(text, JSONB)[path.removeprefix("$.")]
    condition: ColumnElement[bool] = values.has_key(label)
    return condition


def not_indexed(connection: Connection, of: str, limit: int) -> list[StoredDocument]:
    """Give documents that have changed since the live index got them, or that it never got."""
    check_count("limit", limit)
    asked = select_documents(of).where(document.c.revision > document.c.indexed).order_by(document.c.id).limit(limit)
    return [as_document(row) for row in connection.execute(asked).mappings()]


def mark_indexed(connection: Connection, of: str, names: Iterable[str] | Mapping[str, int]) -> None:
    """Say which revision of documents the live index has; never an earlier one than it had."""
    same = (document.c.project == of, document.c.name == bindparam("called"))
    if isinstance(names, Mapping):
        reached: BindParameter[int] = bindparam("reached")
        change = update(document).where(*same, document.c.indexed < reached).values(indexed=reached)
        rows = [{"called": name, "reached": revision} for name, revision in names.items()]
    else:
        change = update(document).where(*same).values(indexed=document.c.revision)
        rows = [{"called": name} for name in names]
    if rows:
        # In one order, so that two who mark several never wait for each other.
        connection.execute(change, sorted(rows, key=lambda row: str(row["called"])))
