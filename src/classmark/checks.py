"""Settings held against a table of what they may be, the same way for all estimators.

A rule is a question and, in words, what may be. A table gives each setting its rule; `whole`, `number`, `choice` and
the others make the common ones, so that no rule has to think of strings, truth values or arrays where a number belongs.
"""

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from numbers import Integral, Real
from operator import ge, gt, le, lt
from typing import Any, TypeAlias

Rule: TypeAlias = tuple[Callable[[Any], bool], str]
Allowed: TypeAlias = Mapping[str, Rule]
"""The name of a setting → whether a value may be, and in words what may be."""

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
    return lambda value: is_whole(value) and least <= value <= most, f"a whole number from {least:,} to {most:,}"


def number(
    *, above: float | None = None, least: float | None = None, below: float | None = None, most: float | None = None
) -> Rule:
    """Allow finite numbers within limits, each open (`above`, `below`) or closed (`least`, `most`).

    >>> number(above=0, most=1)[1]
    'a number above 0, to 1'
    """
    limits = ((above, gt, "above"), (least, ge, "from"), (below, lt, "below"), (most, le, "to"))
    given = [(limit, holds, word) for limit, holds, word in limits if limit is not None]
    comma = "" if least is not None and most is not None else ","
    words = f"{comma} ".join(f"{word} {limit:g}" for limit, _, word in given)
    return (
        lambda value: is_number(value) and all(holds(value, limit) for limit, holds, _ in given),
        f"a number {words}" if words else "a finite number",
    )


def choice(names: Iterable[str]) -> Rule:
    """Allow some names.

    >>> choice(["hard", "soft"])[1]
    'one of hard, soft'
    """
    known = tuple(names)
    return lambda value: isinstance(value, str) and value in known, f"one of {', '.join(known)}"


def one_of_kind(kinds: type | tuple[type, ...], words: str) -> Rule:
    """Allow objects of some classes."""
    return lambda value: isinstance(value, kinds), words


def optional(rule: Rule) -> Rule:
    """Allow None too.

    >>> optional(number(least=0))[1]
    'a number from 0, or None'
    """
    allowed, words = rule
    return lambda value: value is None or allowed(value), f"{words}, or None"


def is_truth(value: Any) -> bool:
    """Say whether a value is a truth value, Python's or numpy's."""
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")


TRUTH: Rule = (is_truth, "True or False")
IS_SEED, SEEDS = whole(0, 2**32 - 1)
SEED: Rule = optional((lambda value: IS_SEED(value) or type(value).__name__ == "RandomState", SEEDS))
JOBS: Rule = (
    lambda value: value is None or (is_whole(value) and value != 0),
    "a number of threads, or -1 for all cores",
)


def check_values(values: Mapping[str, Any], allowed: Allowed) -> None:
    """Refuse the first value that may not be, in words; names that the table does not have pass.

    >>> check_values({"kind": "firm"}, {"kind": choice(["hard", "soft"])})
    Traceback (most recent call last):
    ValueError: kind is 'firm'; choose one of hard, soft
    """
    for name, value in values.items():
        if name in allowed and not allowed[name][0](value):
            words = allowed[name][1]
            verb = "choose" if words.startswith("one of ") else "give"
            raise ValueError(f"{name} is {shown(value)}; {verb} {words}")


def check_settings(estimator: Any, allowed: Allowed) -> None:
    """Refuse a setting of an estimator that may not be, in words; settings that the table does not have pass.

    >>> from classmark import FlatNB
    >>> check_settings(FlatNB(smoothing=0), {"smoothing": number(above=0)})
    Traceback (most recent call last):
    ValueError: smoothing is 0; give a number above 0
    """
    check_values(estimator.get_params(deep=False), allowed)


def shown(value: Any) -> str:
    """Give a value as a message shows it: on one line, and not without end.

    >>> shown([0] * 100)
    '[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0…'
    """
    words = " ".join(repr(value).split())
    return words if len(words) <= SHOWN else f"{words[:SHOWN]}…"
