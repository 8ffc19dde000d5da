"""How many stumps a round takes (adaboost_mh_kr_2000, section 3): K(s), and the two policies left as future work.

The paper wants K small while the best terms differ and larger later, and lets it grow by C every N rounds: `growing`.
`steps` gives it any number of intervals, each of any length and size.

A policy says how many of the best stumps it must see in a round, and how many of them it takes. Their mean is the
round's hypothesis (Equation 7).
"""

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from classmark.checks import Rule, split_settings
from classmark.errors import InputError

ROUNDING = 1e-12
"""What lies on a limit is within it, whatever the last digits of Z."""


@runtime_checkable
class Committee(Protocol):
    """A policy."""

    def most(self, round_number: int) -> int:
        """Say how many of the best stumps the policy must see; rounds count from 1."""

    def size(self, costs: npt.NDArray[np.float64]) -> int:
        """Say how many are taken, given their Z, the smallest first."""


@dataclass(frozen=True)
class Growing:
    """K(s) = 1 + step ⌊(s - 1) / every⌋: the paper's C is `step`, its N `every`.

    >>> [Growing(step=2, every=3).most(s) for s in range(1, 8)]
    [1, 1, 1, 3, 3, 3, 5]
    """

    step: int = 1
    every: int = 20

    def most(self, round_number: int) -> int:
        """Give K(s)."""
        return 1 + self.step * ((round_number - 1) // self.every)

    def size(self, costs: npt.NDArray[np.float64]) -> int:
        """Take them all."""
        return len(costs)


@dataclass(frozen=True)
class Steps:
    """K(s) by intervals of rounds, as many as one likes: `sizes[i]` stumps from round `starts[i]` on.

    >>> [Steps(starts=(1, 3, 6), sizes=(1, 4, 2)).most(s) for s in range(1, 8)]
    [1, 1, 4, 4, 4, 2, 2]
    """

    starts: tuple[int, ...] = (1, 21, 61)
    sizes: tuple[int, ...] = (1, 2, 4)

    def __post_init__(self) -> None:
        if len(self.starts) != len(self.sizes):
            raise InputError(f"{len(self.starts)} starts for {len(self.sizes)} sizes; give one each")
        if self.starts[:1] != (1,) or any(a >= b for a, b in pairwise(self.starts)):
            raise InputError(f"the starts are {_written(self.starts)}; let them begin with round 1, and rise")
        if min(self.sizes) < 1:
            raise InputError(f"the sizes are {_written(self.sizes)}; give whole numbers from 1")

    def most(self, round_number: int) -> int:
        """Give the size of the interval that a round lies in."""
        return self.sizes[bisect_right(self.starts, round_number) - 1]

    def size(self, costs: npt.NDArray[np.float64]) -> int:
        """Take them all."""
        return len(costs)


@dataclass(frozen=True)
class SameSize:
    """The same number in every round."""

    count: int = 1

    def most(self, round_number: int) -> int:
        """Give the number."""
        return self.count

    def size(self, costs: npt.NDArray[np.float64]) -> int:
        """Take them all."""
        return len(costs)


@dataclass(frozen=True)
class Near:
    """All stumps whose Z is within `distance` (the paper's τ) of the best, up to `limit` of them.

    >>> Near(distance=0.1).size(np.array([0.70, 0.75, 0.79, 0.85]))
    3
    """

    distance: float = 0.001
    limit: int = 50

    def most(self, round_number: int) -> int:
        """Give the limit."""
        return self.limit

    def size(self, costs: npt.NDArray[np.float64]) -> int:
        """Count those near the first."""
        return int(np.searchsorted(costs, costs[0] + self.distance + ROUNDING, side="right"))


@dataclass(frozen=True)
class Flat:
    """Stumps as long as the ranked Z curve is flat: up to the first step above `slope` times the best gain, 1 - Z.

    Where the curve rises steeply the best term stands out, and is taken alone.

    >>> Flat(slope=0.05).size(np.array([0.70, 0.71, 0.72, 0.75, 0.76]))
    3
    """

    slope: float = 0.02
    limit: int = 50

    def most(self, round_number: int) -> int:
        """Give one more than the limit, to see the step after it."""
        return self.limit + 1

    def size(self, costs: npt.NDArray[np.float64]) -> int:
        """Count those before the first steep step."""
        steep = np.diff(costs) > self.slope * max(1.0 - costs[0], 0.0) + ROUNDING
        return min(int(np.argmax(steep)) + 1 if steep.any() else len(costs), self.limit)


POLICIES: dict[str, type[Committee]] = {
    "growing": Growing,
    "steps": Steps,
    "constant": SameSize,
    "near": Near,
    "flat": Flat,
}


def parse_committee(text: str) -> Committee:
    """Read a policy written as its name and settings.

    >>> parse_committee("growing,step=1,every=20")
    Growing(step=1, every=20)
    >>> parse_committee("near,distance=many")
    Traceback (most recent call last):
    classmark.errors.InputError: committee 'near,distance=many': distance must be a number; its settings: ...
    """
    name, *settings = (part.strip() for part in text.split(","))
    if name not in POLICIES:
        raise InputError(f"committee {name!r} does not exist; choose one of {', '.join(POLICIES)}")
    defaults = vars(POLICIES[name]())
    given = split_settings(settings, f"committee {text!r}")
    try:
        return POLICIES[name](**{key: _read(key, value, defaults) for key, value in given.items()})
    except ValueError as error:
        shown = ", ".join(f"{key}={_written(value)}" for key, value in defaults.items())
        raise InputError(f"committee {text!r}: {error}; its settings: {shown}") from None


def _read(key: str, value: str, defaults: dict[str, Any]) -> Any:
    """Read a setting, by the type of its default."""
    if key not in defaults:
        raise InputError(f"there is no setting {key!r}")
    kind, what = READ[type(defaults[key])]
    try:
        number = kind(value)
    except ValueError:
        raise InputError(f"{key} must be {what}") from None
    if isinstance(number, float) and not math.isfinite(number):
        raise InputError(f"{key} must be finite, got {value}")
    if not isinstance(number, tuple) and number < LEAST.get(key, 0):
        raise InputError(f"{key} is too small")
    return number


def _written(value: Any) -> str:
    """Write a setting as it is read."""
    return "/".join(map(str, value)) if isinstance(value, tuple) else str(value)


READ: dict[type, tuple[Callable[[str], Any], str]] = {
    int: (int, "a whole number"),
    float: (float, "a number"),
    tuple: (lambda text: tuple(map(int, text.split("/"))), "whole numbers as 1/20/50"),
}
"""How a setting is read by the type of its default, and what it must be."""
LEAST = {"every": 1, "count": 1, "limit": 1}
"""The least value of a setting, where it is not 0."""


CommitteeOfStumps = Annotated[
    str | Committee,
    Rule(
        lambda value: isinstance(value, str) or (isinstance(value, Committee) and not isinstance(value, type)),
        "a policy such as 'growing,step=1,every=20'",
    ),
    "How many stumps a round takes.",
]


def as_committee(given: str | Committee) -> Committee:
    """Give the policy that a parameter names or is."""
    return parse_committee(given) if isinstance(given, str) else given


def is_single(policy: Committee) -> bool:
    """Say whether a policy always takes one stump."""
    return isinstance(policy, SameSize) and policy.count == 1
