"""Dates and numbers, as files write them, in the order of time."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from classmark.errors import InputError

PARTIAL = re.compile(r"(\d{4})(?:-(\d{1,2}))?")
"""A year, or a year and a month."""


def moments(values: Sequence[str], names: Sequence[str], source: str) -> list[float]:
    """Give values as numbers that rise with time: all of them numbers, or all of them dates.

    Dates are as ISO 8601 has them (2024-05-31, 2024-05-31T12:30:00+02:00, 2024-05, 2024) or as mail has them (31 May
    2024 12:30:00 +0200); where no zone is named, it is UTC.

    Parameters
    ----------
    values : sequence of str
        One for each document.
    names, source : sequence of str, and str
        What messages call the documents, and where they come from.

    Examples
    --------
    >>> moments(["1996", "1995"], ["a", "b"], "two")
    [1996.0, 1995.0]
    >>> early, late = moments(["2024-05-31", "2024-05-31T00:30+00:00"], ["a", "b"], "two")
    >>> late - early
    1800.0
    >>> moments(["05/06/24"], ["a"], "one")
    Traceback (most recent call last):
    classmark.errors.InputError: one: document 'a' has '05/06/24', which is no number, and no date that can mean ...
    """
    with suppress(ValueError):
        return [_number(value) for value in values]
    found = []
    for value, name in zip(values, names, strict=True):
        date = _date(value)
        if date is None:
            raise InputError(
                f"{source}: document {name!r} has {value!r}, which is no number, and no date that can mean one day"
                " only; write numbers, or dates such as 2024-05-31, everywhere"
            )
        found.append((date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp())
    return found


def _number(value: str) -> float:
    number = float(value)
    if number != number:
        raise InputError("not a number")
    return number


def _date(value: str) -> datetime | None:
    """Read a date in any of the forms; None where it is in none."""
    for read in FORMS:
        with suppress(ValueError, TypeError, IndexError):
            return read(value)
    return None


def _partial(value: str) -> datetime:
    found = PARTIAL.fullmatch(value)
    if found is None:
        raise InputError(value)
    return datetime(int(found[1]), int(found[2] or 1), 1, tzinfo=UTC)


FORMS: tuple[Callable[[str], datetime], ...] = (_partial, datetime.fromisoformat, parsedate_to_datetime)
"""How a date may be written."""
