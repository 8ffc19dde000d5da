"""What goes into a store and comes out of it: documents, and what people said of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

STATES = ("waiting", "reviewed", "human", "rejected")
"""What may hold of a document: nobody has said anything; a person has accepted the labels that it came with or that the
model gave; a person has given the labels; a person has refused it."""
LABELLED = ("reviewed", "human")
"""The states of documents whose labels hold."""
KINDS = ("accept", "correct", "reject", "skip")
"""What a person may say of a document."""


@dataclass(frozen=True, kw_only=True)
class NewDocument:
    """A document that somebody brings.

    Attributes
    ----------
    name : str or None
        Its id outside, unique within a project; None lets the store give a number such as `#7`, never given before.
    text : str
        The text.
    given : sequence of str, optional
        The labels that it came with; None where it has none.
    said : mapping, optional
        What the model says of it: `labels`, a list of names, and whatever else is worth keeping, such as `chances`.
    version : str, optional
        The version of the model that said it.
    doubt, disagreement, suspicion : float, optional
        How unsure the model is; how far several disagree; how probably the given labels are wrong. The order counts.
    origin : str
        How it came: `review`, `learn`, `import`.
    """

    name: str | None
    text: str
    given: Sequence[str] | None = None
    said: Mapping[str, Any] | None = None
    version: str | None = None
    doubt: float | None = None
    disagreement: float | None = None
    suspicion: float | None = None
    origin: str = "review"


class Lesson(NamedTuple):
    """A document with the labels that a person gives it, of which the model is to learn."""

    name: str | None
    text: str
    labels: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class StoredDocument:
    """A document as the store has it now.

    Attributes
    ----------
    id : int
        The store's own number.
    project, name : str
        The project, and the document's name there.
    text, origin, given, said, version, doubt, disagreement, suspicion
        As for `NewDocument`.
    draw : float
        A number >= 0 to below 1 that follows from project and name, for samples at random.
    state : str
        One of `STATES`.
    labels : list of str or None
        The labels that hold now.
    revision : int
        How often something about it has changed.
    indexed : int
        The revision that the live index has.
    added : datetime
        When it came, in UTC.
    by : str
        Who brought it.
    claimed_by, claimed_until : str and datetime, or None
        Who has it before them, and how long it is kept for them.
    """

    id: int
    project: str
    name: str
    text: str
    origin: str
    given: list[str] | None
    said: dict[str, Any] | None
    version: str | None
    doubt: float | None
    disagreement: float | None
    suspicion: float | None
    draw: float
    state: str
    labels: list[str] | None
    revision: int
    indexed: int
    added: datetime
    by: str
    claimed_by: str | None = None
    claimed_until: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a person says of a document.

    Attributes
    ----------
    kind : str
        `accept` (the model's labels, or the given ones where no model has spoken, are right), `correct` (these labels
        are), `reject` (none of it is, and the document is not to be learned from) or `skip` (somebody else may say).
    who : str
        The person.
    labels : sequence of str, optional
        The right labels, for `correct`; `[]` where the document belongs nowhere.
    key : str, optional
        What marks this one verdict, so that sending it again changes nothing; a new one where none is given.
    revision : int, optional
        The revision that the person saw; None where it does not matter.
    """

    kind: str
    who: str
    labels: Sequence[str] | None = None
    key: str | None = None
    revision: int | None = None


@dataclass(frozen=True, kw_only=True)
class RecordedVerdict:
    """A verdict as the store keeps it.

    Attributes
    ----------
    id : int
        The store's own number; later verdicts have larger ones.
    project, name : str
        The document.
    key : str
        What marks it.
    kind : str
        One of `KINDS`, or `undo` or `learn`.
    labels : list of str or None
        The labels that hold after it, where it changes them.
    who : str
        The person.
    at : datetime
        When, in UTC.
    said, version
        What the model had said, and which.
    order : str or None
        The order in which the document was claimed, where it was.
    state : str
        What holds of the document after it.
    revision : int
        The document's revision after it.
    undone : bool
        Whether it was taken back.
    """

    id: int
    project: str
    name: str
    key: str
    kind: str
    labels: list[str] | None
    who: str
    at: datetime
    said: dict[str, Any] | None
    version: str | None
    order: str | None
    state: str
    revision: int
    undone: bool
