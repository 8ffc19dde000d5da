"""What may go into a store, checked before a database sees it, the same for both of them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from classmark.checks import check_values, integer, is_number, shown
from classmark.errors import InputError
from classmark.store.documents import Lesson, NewDocument
from classmark.wording import one_of

LONGEST = {"project": 200, "name": 400, "who": 200, "key": 200, "origin": 40, "version": 200}
"""How many characters names may have: what an index of PostgreSQL takes together."""
UNKEPT = re.compile("[\x00\ud800-\udfff]")
"""What PostgreSQL cannot hold: NULs, and halves of characters."""
MEASURES = ("doubt", "disagreement", "suspicion")


def check_name(what: str, value: Any) -> None:
    """Refuse what cannot be a name of this sort.

    >>> check_name("who", "")
    Traceback (most recent call last):
    classmark.errors.InputError: who='': must be 1 to 200 characters
    """
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST[what]:
        raise InputError(f"{what}={shown(value)}: must be 1 to {LONGEST[what]} characters")
    check_characters(value, what)


def check_characters(text: str, what: str) -> None:
    r"""Refuse characters that a database cannot hold.

    >>> check_characters("hoots", "the text"), check_characters("ho\x00ts", "the text")
    Traceback (most recent call last):
    classmark.errors.InputError: the text has the character U+0000 at 3, which no store can hold; take it out
    """
    found = UNKEPT.search(text)
    if found:
        told = f"{what} has the character U+{ord(found[0]):04X} at {found.start() + 1}"
        raise InputError(f"{told}, which no store can hold; take it out")


def check_choice(what: str, value: str, known: Sequence[str]) -> None:
    """Refuse what is none of some names."""
    if value not in known:
        raise InputError(f"{what}={shown(value)}: must be {one_of(known)}")


def check_count(what: str, value: Any, least: int = 0) -> None:
    """Refuse what is no number of things."""
    check_values({what: value}, {what: integer(ge=least, le=2**31 - 1)})


def checked_labels(labels: Any, what: str) -> list[str]:
    """Give labels as a list, each once, and refuse what is none."""
    if isinstance(labels, str) or not isinstance(labels, Sequence):
        raise InputError(f"the labels of {what} are {shown(labels)}; give a list of names")
    for label in labels:
        if not isinstance(label, str) or not label:
            raise InputError(f"a label of {what} is {shown(label)}; give the name of a category")
        check_characters(label, f"a label of {what}")
    return list(dict.fromkeys(labels))


def check_documents(documents: Sequence[NewDocument]) -> None:
    """Refuse documents that cannot be stored; the first that is wrong is named."""
    _check_names([one.name for one in documents])
    for one in documents:
        what = _called(one.name)
        _check_text(one.text, what)
        check_name("origin", one.origin)
        if one.given is not None:
            checked_labels(one.given, what)
        if one.version is not None:
            check_name("version", one.version)
        if one.said is not None:
            _check_said(one.said, what)
        for measure in MEASURES:
            value = getattr(one, measure)
            if value is not None and not is_number(value):
                raise InputError(f"the {measure} of {what} is {shown(value)}; give a finite number")


def check_lessons(lessons: Sequence[Lesson]) -> None:
    """Refuse documents that cannot be learned from; the first that is wrong is named."""
    _check_names([one.name for one in lessons])
    for one in lessons:
        what = _called(one.name)
        _check_text(one.text, what)
        checked_labels(one.labels, what)


def _check_names(names: Sequence[str | None]) -> None:
    seen: set[str] = set()
    for name in names:
        if name is None:
            continue
        check_name("name", name)
        if name in seen:
            raise InputError(f"two documents are called {name!r}; give each a name of its own")
        seen.add(name)


def _called(name: str | None) -> str:
    return "a document" if name is None else f"document {shown(name)}"


def _check_text(text: Any, what: str) -> None:
    if not isinstance(text, str):
        raise InputError(f"the text of {what} is {shown(text)}; give a string")
    check_characters(text, f"the text of {what}")


def _check_said(said: Any, what: str) -> None:
    """Refuse what no model says: `labels` is a list of names, and all else plain data."""
    if not isinstance(said, Mapping):
        raise InputError(f"what was said of {what} is {shown(said)}; give a dict with labels")
    if said.get("labels") is not None:
        checked_labels(said["labels"], what)
    _check_plain(dict(said), f"what was said of {what}")


def _check_plain(value: Any, what: str) -> None:
    """Refuse what JSON, or a database, cannot hold, however deep inside."""
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            pending += [*one, *one.values()]
        elif isinstance(one, list | tuple):
            pending += one
        elif isinstance(one, str):
            check_characters(one, what)
        elif one is not None and not isinstance(one, bool) and not is_number(one):
            raise InputError(f"{what} has {shown(one)}; give strings, finite numbers, lists and dicts")
