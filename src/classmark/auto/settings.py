"""How long a search may take, as people write it, and how much of it is left.

`AutoSettings` are the parameters of a search.
"""

import re
import time
from dataclasses import dataclass, field
from typing import Annotated

from classmark.checks import Constraint, choice, is_number
from classmark.errors import InputError
from classmark.metrics.table import choices
from classmark.parameters import Parameterized

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
LATER = 0.93
"""The part of a budget that is planned with; the rest is for estimates that were too short."""


def read_budget(text: str) -> float | None:
    """Give the seconds of a time as it is written; nothing for none.

    >>> read_budget("90s"), read_budget("1.5m"), read_budget("none")
    (90.0, 90.0, None)
    """
    if text == "none":
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text.strip())
    if found is None:
        raise InputError(text)
    return float(found[1]) * UNITS[found[2] or "s"]


BUDGET = Constraint(
    lambda value: value is None or (is_number(value) and value > 0),
    "a time above 0 such as 90s, 10m or 2h, or none",
    read_budget,
)


def duration(seconds: float) -> str:
    """Write a time as people do.

    >>> duration(8.24), duration(90), duration(5400)
    ('8.2 s', '1.5 min', '1.5 h')
    """
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"


@dataclass
class Clock:
    """What is left of a budget; without one there is always enough."""

    budget: float | None
    start: float = field(default_factory=time.perf_counter)

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.start

    def allows(self, seconds: float) -> bool:
        """Say whether there is time for something that takes so long."""
        return self.budget is None or self.elapsed + seconds <= LATER * self.budget


NAMES = Constraint(
    lambda value: value is None or (isinstance(value, str) and all(part.strip() for part in value.split(","))),
    "names of methods with commas between them, or None",
    lambda text: None if text == "none" else text,
)


class AutoSettings(Parameterized, frozen=True):
    """How to search for the best model."""

    budget: Annotated[
        float | None, BUDGET, "How long searching and learning may take, in seconds or as in 90s, 10m and 2h."
    ] = 300.0
    measure: Annotated[str, choice(choices()), "What to choose by, on documents held out."] = "hf"
    methods: Annotated[str | None, NAMES, "The methods to choose among; by default those that suit the documents."] = (
        None
    )
    without: Annotated[str | None, NAMES, "Methods to leave out."] = None

    @property
    def wanted(self) -> list[str] | None:
        """The methods to choose among, if they are named."""
        return None if self.methods is None else _listed(self.methods)

    @property
    def unwanted(self) -> list[str]:
        """The methods to leave out."""
        return [] if self.without is None else _listed(self.without)


def _listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",")]
