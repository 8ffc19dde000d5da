"""How many stumps a round takes (adaboost_mh_kr_2000, section 3): K(s), and the two policies left as future work.

The paper wants K small while the best terms differ and larger later, and lets it grow by C every N rounds: `growing`.
`steps` gives it any number of intervals, each of any length and size.

A policy says how many of the best stumps it must see in a round, and how many of them it takes. Their mean is the
round's hypothesis (Equation 7).
"""

from bisect import bisect_right
from itertools import pairwise
from typing import Annotated, dataclass_transform

import numpy as np
import numpy.typing as npt

from classmark.checks import Constraint, integer, real
from classmark.errors import InputError
from classmark.parameters import check_parameters, declare, parameters, parse_choice

ROUNDING = 1e-12
"""What lies on a limit is within it, whatever the last digits of Z."""


INTEGERS = Constraint(
    lambda value: isinstance(value, tuple) and len(value) > 0 and all(map(integer(ge=1).accepts, value)),
    "integers >= 1, such as (1, 20, 50) or 1/20/50",
    lambda text: tuple(int(number) for number in text.split("/")),
)
Limit = Annotated[int, integer(ge=1), "Largest number of stumps."]


@dataclass_transform(frozen_default=True)
class Committee:
    """Base of the policies, whose parameters are declared and checked when one is built."""

    def __init_subclass__(cls) -> None:
        declare(cls, frozen=True, kw_only=False)

    def __post_init__(self) -> None:
        check_parameters(self)

    def most(self, round_number: int) -> int:
        """Return the number of best stumps that the policy must see in a round; rounds count from 1."""
        raise NotImplementedError

    def size(self, costs: npt.NDArray[np.float64]) -> int:
        """Return the number of stumps to take, given their Z in ascending order: all of them by default."""
        return len(costs)


class Growing(Committee):
    """K(s) = 1 + step ⌊(s - 1) / every⌋: the paper's C is `step`, its N `every`.

    >>> [Growing(step=2, every=3).most(s) for s in range(1, 8)]
    [1, 1, 1, 3, 3, 3, 5]
    """

    step: Annotated[int, integer(ge=0), "Growth C of the committee."] = 1
    every: Annotated[int, integer(ge=1), "Number N of rounds between two steps."] = 20

    def most(self, round_number: int) -> int:
        """Give K(s)."""
        return 1 + self.step * ((round_number - 1) // self.every)


class Steps(Committee):
    """K(s) by intervals of rounds, as many as one likes: `sizes[i]` stumps from round `starts[i]` on.

    >>> [Steps(starts=(1, 3, 6), sizes=(1, 4, 2)).most(s) for s in range(1, 8)]
    [1, 1, 4, 4, 4, 2, 2]
    """

    starts: Annotated[tuple[int, ...], INTEGERS, "First round of each interval."] = (1, 21, 61)
    sizes: Annotated[tuple[int, ...], INTEGERS, "Number of stumps in each interval."] = (1, 2, 4)

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.starts) != len(self.sizes):
            raise InputError(f"{len(self.starts)} starts for {len(self.sizes)} sizes; give one each")
        if self.starts[:1] != (1,) or any(a >= b for a, b in pairwise(self.starts)):
            raise InputError(f"the starts are {self.starts}; let them begin with round 1, and rise")

    def most(self, round_number: int) -> int:
        """Give the size of the interval that a round lies in."""
        return self.sizes[bisect_right(self.starts, round_number) - 1]


class SameSize(Committee):
    """The same number in every round."""

    count: Annotated[int, integer(ge=1), "Number of stumps."] = 1

    def most(self, round_number: int) -> int:
        """Give the number."""
        return self.count


class Near(Committee):
    """All stumps whose Z is within `distance` (the paper's τ) of the best, up to `limit` of them.

    >>> Near(distance=0.1).size(np.array([0.70, 0.75, 0.79, 0.85]))
    3
    """

    distance: Annotated[float, real(ge=0), "Largest difference τ of Z to the best."] = 0.001
    limit: Limit = 50

    def most(self, round_number: int) -> int:
        """Give the limit."""
        return self.limit

    def size(self, costs: npt.NDArray[np.float64]) -> int:
        """Count those near the first."""
        return int(np.searchsorted(costs, costs[0] + self.distance + ROUNDING, side="right"))


class Flat(Committee):
    """Stumps as long as the ranked Z curve is flat: up to the first step above `slope` times the best gain, 1 - Z.

    Where the curve rises steeply the best term stands out, and is taken alone.

    >>> Flat(slope=0.05).size(np.array([0.70, 0.71, 0.72, 0.75, 0.76]))
    3
    """

    slope: Annotated[float, real(ge=0), "Steepest step of a flat curve, in units of 1 - Z of the best."] = 0.02
    limit: Limit = 50

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
    """Parse a policy: its name, then settings as `key=value` after commas.

    >>> parse_committee("growing,step=1,every=20")
    Growing(step=1, every=20)
    """
    name, settings = parse_choice(text, "committee", {name: parameters(cls) for name, cls in POLICIES.items()})
    return POLICIES[name](**settings)


CommitteeOfStumps = Annotated[
    str | Committee,
    Constraint(
        lambda value: isinstance(value, str | Committee),
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
