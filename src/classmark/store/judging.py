"""What people say of documents, and take back."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, exists, insert, select, update

from classmark.errors import InputError
from classmark.store.documents import KINDS, RecordedVerdict, StoredDocument, Verdict
from classmark.store.errors import Conflict, Missing
from classmark.store.rows import as_verdict, find_document, last_verdict, select_verdicts, verdicts_by_key
from classmark.store.schema import document, verdict
from classmark.store.signatures import signature_of
from classmark.store.values import check_choice, check_count, check_name, checked_labels

DONE = {
    "accept": "accepted",
    "correct": "corrected",
    "reject": "rejected",
    "learn": "given labels",
    "undo": "put back as it was",
}
FREE = {"claimed_by": None, "claimed_until": None, "claimed_order": None}
"""What is kept of a claim that has ended."""


def record(
    connection: Connection,
    project: str,
    name: str,
    said: Verdict,
    now: datetime,
    is_category: Callable[[str], bool] | None = None,
) -> RecordedVerdict:
    """Keep a verdict, unless somebody else was first, or it accepts labels that are no categories."""
    _check(project, name, said)
    found = find_document(connection, project, name, held=True)
    if said.key is not None:
        before = verdicts_by_key(connection, project, said.key)
        if before:
            return _same(before[0], found, said)
    _check_first(connection, found, said, now)
    change = _change(found, said)
    if said.kind == "accept" and is_category is not None:
        _check_categories(connection, found, change["labels"], is_category)
    return _keep(connection, found, change, {"kind": said.kind, "who": said.who, "key": said.key, "at": now})


def _check(project: str, name: str, said: Verdict) -> None:
    check_name("project", project)
    check_name("name", name)
    check_name("who", said.who)
    check_choice("kind", said.kind, KINDS)
    if said.key is not None:
        check_name("key", said.key)
    if said.revision is not None:
        check_count("revision", said.revision)


def _same(before: RecordedVerdict, found: StoredDocument, said: Verdict) -> RecordedVerdict:
    """Give the verdict that a key marks already; for another one, the key is refused."""
    labels = None if said.kind != "correct" else checked_labels(said.labels, "a document")
    same = (before.name, before.kind, before.who) == (found.name, said.kind, said.who)
    if not same or (labels is not None and labels != before.labels):
        raise InputError(f"the key {said.key!r} was used for another verdict; give each a key of its own")
    return before


def _check_first(connection: Connection, found: StoredDocument, said: Verdict, now: datetime) -> None:
    """Refuse a verdict on what the person has not seen, or what somebody else has before them."""
    if said.revision is not None and said.revision != found.revision:
        last = last_verdict(connection, found.project, found.id)
        told = "has changed" if last is None else f"was {DONE[last.kind]} by {last.who} at {_written(last.at)}"
        raise Conflict(found, last, f"document {found.name!r} {told}; look at it again")
    until = found.claimed_until
    if found.claimed_by not in (None, said.who) and until is not None and until > now:
        last = last_verdict(connection, found.project, found.id)
        told = f"document {found.name!r} is before {found.claimed_by} until {_written(until)}"
        raise Conflict(found, last, f"{told}; take another one")


def _check_categories(
    connection: Connection, found: StoredDocument, labels: Sequence[str], is_category: Callable[[str], bool]
) -> None:
    """Raise Conflict if a suggested label is no category any more."""
    for label in labels:
        if not is_category(label):
            last = last_verdict(connection, found.project, found.id)
            told = f"document {found.name!r}: the model no longer has the suggested category {label!r}"
            raise Conflict(found, last, f"{told}; correct or reject the document")


def _written(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def _change(found: StoredDocument, said: Verdict) -> dict[str, Any]:
    """Return the new state and labels of a document; nothing if it is skipped."""
    if said.kind == "accept":
        # The labels of the model, or those that the document came with if no model has made a suggestion.
        labels = found.given if found.said is None else found.said.get("labels")
        if labels is None:
            raise InputError(f"document {found.name!r} has no labels to accept; give it some (correct)")
        if said.labels is not None and set(said.labels) != set(labels):
            raise InputError(f"the labels are not those of document {found.name!r}; to change them, correct it")
        return {"state": "reviewed", "labels": labels}
    if said.kind == "correct":
        return {"state": "human", "labels": checked_labels(said.labels, f"document {found.name!r}")}
    if said.labels:
        raise InputError(f"labels are given with {said.kind}; leave them out, or correct the document")
    return {"state": "rejected", "labels": None} if said.kind == "reject" else {}


def _keep(
    connection: Connection, found: StoredDocument, change: dict[str, Any], values: dict[str, Any]
) -> RecordedVerdict:
    """Change a document, and write down who did so, and what it was."""
    before = {name: getattr(found, name) for name in change}
    revision = found.revision + bool(change)
    skips = {} if change else {"skips": document.c.skips + 1}
    of_claim = select(document.c.claimed_order).where(document.c.id == found.id)
    values |= {"claimed_order": connection.execute(of_claim).scalar_one(), "before": before}
    connection.execute(
        update(document).where(document.c.id == found.id).values(**change, **skips, **FREE, revision=revision)
    )
    after = {"state": change.get("state", found.state), "labels": change.get("labels"), "revision": revision}
    return _write(connection, found, values | after)


def _write(connection: Connection, found: StoredDocument, values: dict[str, Any]) -> RecordedVerdict:
    """Add a row to the verdicts."""
    fixed = {"project": found.project, "document": found.id, "part": 0, "undone": False}
    row = fixed | {"said": found.said, "version": found.version} | values | {"key": values["key"] or str(uuid4())}
    (number,) = connection.execute(insert(verdict).values(**row)).inserted_primary_key or (None,)
    asked = select_verdicts(found.project).where(verdict.c.id == number)
    return as_verdict(connection.execute(asked).mappings().one())


def undo(
    connection: Connection, project: str, who: str, name: str | None, key: str | None, now: datetime, until: datetime
) -> RecordedVerdict:
    """Take back the last verdict of a person; a document that waits again is before the same person until a time."""
    check_name("project", project)
    check_name("who", who)
    if name is not None:
        check_name("name", name)
    if key is not None:
        check_name("key", key)
        done = verdicts_by_key(connection, project, key)
        if done:
            if (done[0].kind, done[0].who) != ("undo", who) or name not in (None, done[0].name):
                raise InputError(f"the key {key!r} was used for a verdict; give each request a key of its own")
            return done[0]
    last = _to_undo(connection, project, who, name)
    found = find_document(connection, project, last["name"], held=True)
    values = {"kind": "undo", "who": who, "key": key, "at": now}
    connection.execute(update(verdict).where(verdict.c.id == last["id"]).values(undone=True))
    if last["kind"] == "skip":
        connection.execute(update(document).where(document.c.id == found.id).values(skips=document.c.skips - 1))
        after = {"state": found.state, "labels": found.labels, "revision": found.revision}
        return _write(connection, found, values | after)
    _check_last(connection, found, last["id"])
    claim = {"claimed_by": who, "claimed_until": until, "claimed_order": last["claimed_order"]}
    return _put_back(connection, found, last["before"], values, claim)


def _to_undo(connection: Connection, project: str, who: str, name: str | None) -> dict[str, Any]:
    """Find the last verdict of a person that still holds, and let nobody else take it back meanwhile."""
    joined = verdict.join(document, verdict.c.document == document.c.id)
    asked = (
        select(verdict.c.id, verdict.c.kind, verdict.c.before, verdict.c.claimed_order, document.c.name)
        .select_from(joined)
        .where(verdict.c.project == project, verdict.c.who == who)
        .where(verdict.c.kind != "undo", verdict.c.undone.is_(False))
    )
    asked = asked if name is None else asked.where(document.c.name == name)
    asked = asked.order_by(verdict.c.id.desc()).limit(1).with_for_update(of=verdict)
    row = connection.execute(asked).mappings().first()
    if row is None:
        of = "" if name is None else f" on document {name!r}"
        raise Missing(f"{project}: {who} has given no verdict{of} that could be taken back")
    return dict(row)


def _check_last(connection: Connection, found: StoredDocument, number: int) -> None:
    """Refuse to take back what somebody has built on."""
    later = exists().where(
        verdict.c.document == found.id,
        verdict.c.id > number,
        verdict.c.kind.not_in(("undo", "skip")),
        verdict.c.undone.is_(False),
    )
    if connection.execute(select(later)).scalar_one():
        last = last_verdict(connection, found.project, found.id)
        told = "" if last is None else f"was {DONE[last.kind]} by {last.who} at {_written(last.at)}"
        raise Conflict(found, last, f"document {found.name!r} {told}; what came before cannot be taken back")


def _put_back(
    connection: Connection,
    found: StoredDocument,
    before: dict[str, Any],
    values: dict[str, Any],
    claim: dict[str, Any],
) -> RecordedVerdict:
    """Give a document back its state and labels, and its text where that had changed."""
    changed = before | {"revision": found.revision + 1} | (claim if before["state"] == "waiting" else {})
    if "text" in before:
        changed["signature"] = signature_of(before["text"])
    connection.execute(update(document).where(document.c.id == found.id).values(**changed))
    after = {name: changed[name] for name in ("state", "labels", "revision")}
    return _write(connection, found, values | after)
