"""What values may be, the same way for all parameters.

A rule is a question, in words what may be, and how text is read as it. `whole`, `number`, `choice` and the others make
the common ones, so that no rule has to think of strings, truth values or arrays where a number belongs.
"""

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from numbers import Integral, Real
from operator import ge, gt, le, lt
from typing import Any, NamedTuple, TypeAlias

from classmark.errors import InputError


class Rule(NamedTuple):
    """What a value may be.

    Attributes
    ----------
    holds
        Says whether a value may be.
    words
        What may be.
    read
        Reads the text of a command line, a `ValueError` where it cannot; None where text says nothing.
    """

    holds: Callable[[Any], bool]
    words: str
    read: Callable[[str], Any] | None = str


Allowed: TypeAlias = Mapping[str, Rule]
"""The name of a value → what it may be."""

LARGEST = 1_000_000_000
"""The largest whole number where nothing smaller is said: what compiled solvers take, and nobody waits for."""
SHOWN = 80
"""So many characters of a value are shown."""


def is_number(value: Any) -> bool:
    """Say whether a value is a finite number; truth values are none, nor whole numbers that no array holds.

    >>> is_number(0.5), is_number(True), is_number(float("nan")), is_number(10**30)
    (True, False, False, False)
    """
    if is_whole(value):
        return abs(int(value)) < 2**63
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)


def is_whole(value: Any) -> bool:
    """Say whether a value is a whole number by its type; truth values are none.

    >>> is_whole(2), is_whole(2.0), is_whole(True)
    (True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def whole(least: int, most: int = LARGEST) -> Rule:
    """Allow whole numbers within limits."""
    words = f"a whole number from {least:,} to {most:,}"
    return Rule(lambda value: is_whole(value) and least <= value <= most, words, int)


def number(
    *, above: float | None = None, least: float | None = None, below: float | None = None, most: float | None = None
) -> Rule:
    """Allow finite numbers within limits, each open (`above`, `below`) or closed (`least`, `most`).

    >>> number(above=0, most=1).words
    'a number above 0, to 1'
    """
    limits = ((above, gt, "above"), (least, ge, "from"), (below, lt, "below"), (most, le, "to"))
    given = [(limit, holds, word) for limit, holds, word in limits if limit is not None]
    comma = "" if least is not None and most is not None else ","
    words = f"{comma} ".join(f"{word} {limit:g}" for limit, _, word in given)
    return Rule(
        lambda value: is_number(value) and all(holds(value, limit) for limit, holds, _ in given),
        f"a number {words}" if words else "a finite number",
        float,
    )


def choice(names: Iterable[str]) -> Rule:
    """Allow some names.

    >>> choice(["hard", "soft"]).words
    'one of hard, soft'
    """
    known = tuple(names)
    words = known[0] if len(known) == 1 else f"one of {', '.join(known)}"
    return Rule(lambda value: isinstance(value, str) and value in known, words)


def one_of_kind(kinds: type | tuple[type, ...], words: str) -> Rule:
    """Allow objects of some classes; text is one where strings are."""
    return Rule(lambda value: isinstance(value, kinds), words, str if isinstance("", kinds) else None)


def in_python(rule: Rule) -> Rule:
    """Allow what a rule does, and keep it off the command line."""
    return rule._replace(read=None)


def optional(rule: Rule) -> Rule:
    """Allow None too.

    >>> optional(number(least=0)).words
    'a number from 0, or None'
    """
    holds, words, read = rule
    if read is None:
        return Rule(lambda value: value is None or holds(value), f"{words}, or None", None)
    return Rule(
        lambda value: value is None or holds(value),
        f"{words}, or None",
        lambda text: None if text == "none" else read(text),
    )


def is_truth(value: Any) -> bool:
    """Say whether a value is a truth value, Python's or numpy's."""
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")


WRITTEN = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
"""What people write for truth values."""


def read_truth(text: str) -> bool:
    """Read a truth value.

    >>> read_truth("Yes"), read_truth("0")
    (True, False)
    """
    if text.lower() not in WRITTEN:
        raise InputError(f"{text!r} is neither yes nor no")
    return WRITTEN[text.lower()]


TRUTH = Rule(is_truth, "True or False", read_truth)
_NUMBER_OF_SEED = whole(0, 2**32 - 1)
SEED = optional(
    Rule(
        lambda value: _NUMBER_OF_SEED.holds(value) or type(value).__name__ == "RandomState", _NUMBER_OF_SEED.words, None
    )
)
JOBS = Rule(
    lambda value: value is None or (is_whole(value) and value != 0),
    "a number of threads, -1 for all cores or -2 for all but one",
    None,
)


def check_values(values: Mapping[str, Any], allowed: Allowed) -> None:
    """Refuse the first value that may not be, in words; names that the table does not have pass.

    >>> check_values({"kind": "firm"}, {"kind": choice(["hard", "soft"])})
    Traceback (most recent call last):
    classmark.errors.InputError: kind is 'firm'; choose one of hard, soft
    """
    for name, value in values.items():
        if name in allowed and not allowed[name].holds(value):
            raise refused(name, value, allowed[name])


def refused(name: str, value: Any, rule: Rule) -> InputError:
    """Give the error that says what a value is, and what it may be."""
    verb = "choose" if rule.words.startswith("one of ") else "give"
    return InputError(f"{name} is {shown(value)}; {verb} {rule.words}")


def shown(value: Any) -> str:
    """Give a value as a message shows it: on one line, and not without end.

    >>> shown([0] * 100)
    '[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0…'
    """
    words = " ".join(repr(value).split())
    return words if len(words) <= SHOWN else f"{words[:SHOWN]}…"


def split_settings(settings: Iterable[str], place: str) -> dict[str, str]:
    """Split settings written as `name=value`; raise ValueError if a name is given twice.

    >>> split_settings(["value=0.2", "consistency=filter"], "decision")
    {'value': '0.2', 'consistency': 'filter'}
    >>> split_settings(["value=0.2", "value=0.5"], "decision")
    Traceback (most recent call last):
    classmark.errors.InputError: decision: value is given twice; give it once
    """
    values: dict[str, str] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name in values:
            raise InputError(f"{place}: {name} is given twice; give it once")
        values[name] = value
    return values
