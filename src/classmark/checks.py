"""Constraints on parameter values: a test, a description, and a parser for the command line.

`integer`, `real`, `choice`, `instance` and `optional` build the common ones, so that no constraint has to handle
strings, booleans or arrays in place of a number.
"""

import operator
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from numbers import Integral, Real
from typing import Any, NamedTuple, TypeAlias

from classmark.errors import InputError


class Constraint(NamedTuple):
    """Allowed values of a parameter.

    Attributes
    ----------
    accepts
        Function that returns whether a value is allowed.
    description
        Allowed values, as a noun phrase that completes "must be".
    parse
        Parser of the command line's text, which raises `ValueError` if it cannot; None if text cannot express a value.
    """

    accepts: Callable[[Any], bool]
    description: str
    parse: Callable[[str], Any] | None = str


Allowed: TypeAlias = Mapping[str, Constraint]
"""Constraints by name of the value."""

LARGEST = 1_000_000_000
"""Default upper limit of integers: compiled solvers take 32 bits."""
SHOWN = 80
"""Length at which messages truncate a value."""


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number that an array can hold; booleans are not.

    >>> is_number(0.5), is_number(True), is_number(float("nan")), is_number(10**30)
    (True, False, False, False)
    """
    if is_whole(value):
        return abs(int(value)) < 2**63
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)


def is_whole(value: Any) -> bool:
    """Return whether a value is an integer by its type; booleans are not.

    >>> is_whole(2), is_whole(2.0), is_whole(True)
    (True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def integer(*, ge: int, le: int = LARGEST) -> Constraint:
    """Allow integers between two limits.

    >>> integer(ge=2, le=9).description, integer(ge=1).description
    ('an integer >= 2 and <= 9', 'an integer >= 1')
    """
    description = f"an integer >= {ge:,}" + (f" and <= {le:,}" if le != LARGEST else "")
    return Constraint(lambda value: is_whole(value) and ge <= value <= le, description, int)


def real(
    *, gt: float | None = None, ge: float | None = None, lt: float | None = None, le: float | None = None
) -> Constraint:
    """Allow finite numbers between limits.

    >>> real(gt=0, le=1).description, real().description
    ('a number > 0 and <= 1', 'a finite number')
    """
    comparisons = ((gt, operator.gt, ">"), (ge, operator.ge, ">="), (lt, operator.lt, "<"), (le, operator.le, "<="))
    limits = [(limit, compare, sign) for limit, compare, sign in comparisons if limit is not None]
    description = " and ".join(f"{sign} {limit:g}" for limit, _, sign in limits)
    return Constraint(
        lambda value: is_number(value) and all(compare(value, limit) for limit, compare, _ in limits),
        f"a number {description}" if description else "a finite number",
        float,
    )


def choice(names: Iterable[str]) -> Constraint:
    """Allow some names.

    >>> choice(["hard", "soft"]).description
    'one of hard, soft'
    """
    known = tuple(names)
    description = known[0] if len(known) == 1 else f"one of {', '.join(known)}"
    return Constraint(lambda value: isinstance(value, str) and value in known, description)


def instance(classes: type | tuple[type, ...], description: str) -> Constraint:
    """Allow objects of some classes; the command line can give them only if `str` is one of these."""
    return Constraint(lambda value: isinstance(value, classes), description, str if isinstance("", classes) else None)


def python_only(constraint: Constraint) -> Constraint:
    """Return the same constraint without a parser, so that the command line does not offer the parameter."""
    return constraint._replace(parse=None)


def optional(constraint: Constraint) -> Constraint:
    """Allow None too, which the command line writes as `none`.

    >>> optional(real(ge=0)).description
    'a number >= 0, or None'
    """
    accepts, description, parse = constraint
    return Constraint(
        lambda value: value is None or accepts(value),
        f"{description}, or None",
        None if parse is None else lambda text: None if text == "none" else parse(text),
    )


def is_truth(value: Any) -> bool:
    """Return whether a value is a boolean of Python or numpy."""
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")


WRITTEN = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
"""Spellings of booleans."""


def read_truth(text: str) -> bool:
    """Parse a boolean.

    >>> read_truth("Yes"), read_truth("0")
    (True, False)
    """
    if text.lower() not in WRITTEN:
        raise InputError(f"{text!r} is neither yes nor no")
    return WRITTEN[text.lower()]


BOOLEAN = Constraint(is_truth, "True or False", read_truth)
_SEED = integer(ge=0, le=2**32 - 1)
SEED = optional(
    Constraint(lambda value: _SEED.accepts(value) or type(value).__name__ == "RandomState", _SEED.description, None)
)
JOBS = Constraint(
    lambda value: value is None or (is_whole(value) and value != 0),
    "a number of threads, -1 for all cores or -2 for all but one",
    None,
)


def check_values(values: Mapping[str, Any], allowed: Allowed) -> None:
    """Raise InputError for the first invalid value; names without a constraint pass.

    >>> check_values({"kind": "firm"}, {"kind": choice(["hard", "soft"])})
    Traceback (most recent call last):
    classmark.errors.InputError: kind='firm': must be one of hard, soft
    """
    for name, value in values.items():
        if name in allowed and not allowed[name].accepts(value):
            raise invalid_value(name, value, allowed[name])


def invalid_value(name: str, value: Any, constraint: Constraint) -> InputError:
    """Return the error for a value that a constraint rejects."""
    return InputError(f"{name}={shown(value)}: must be {constraint.description}")


def shown(value: Any) -> str:
    """Format a value for a message: on one line, truncated.

    >>> shown([0] * 100)
    '[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0…'
    """
    words = " ".join(repr(value).split())
    return words if len(words) <= SHOWN else f"{words[:SHOWN]}…"
