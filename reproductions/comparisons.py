"""Whether one row is better than another, or only luckier: paired t-tests over the repetitions.

Rows of the same seed have the same documents, so their figures belong together in pairs. The test is two-sided. What a
paper says about significance *holds* if the p-value lies below the paper's bound and the difference has the sign that
it has in the paper, and *does not* otherwise. Repetitions that draw from one corpus share documents, and a t-test that
takes them for independent gives p-values that are too small; the papers do the same.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

from classmark.metrics import TTest, paired_t_test
from reproductions.tables import Part, Place, Row, Table

HOLDS, FAILS, NOT_RUN, NO_CLAIM = "holds", "does not", "not run", "no claim"

Figures: TypeAlias = Mapping[Place, Mapping[str, float]]


class Comparison(msgspec.Struct, frozen=True):
    """A figure beside that of another row.

    `below` is what the paper says that the p-value lies below, `difference` the mean of ours minus the other's.
    """

    below: float | None
    difference: float | None
    p_value: float | None
    repetitions: int
    verdict: str


def described(part: Part) -> str | None:
    """Say what the rows of a part are compared with.

    >>> from reproductions.tables import find_tables
    >>> described(find_tables("path_prediction_2019")["table_2"].parts[0])
    'method pcem'
    """
    if part.compared is None:
        return None
    entries = ", ".join(f"{name} {value}" for name, value in (part.compared.at or {}).items())
    return ", ".join(words for words in (part.compared.part, entries) if words)


def compare(table: Table, measured: Figures, place: Place, name: str) -> Comparison | None:
    """Compare a figure of a row with that of the row that its part names, unless it is that row itself."""
    part = table.parts[place[0]]
    row = part.rows[place[1]]
    found = _other(table, part, row, name)
    if part.compared is None or found is None or found[0] == place:
        return None
    other_place, other = found
    below = row.below.get(name, part.compared.below.get(name))
    test, repetitions = _tested(measured, (place, other_place), table.measures[name].measured)
    verdict = NO_CLAIM
    if below is not None and row.verdict and name in part.tolerance:
        verdict = _verdict(test, below, row.reported[name] - other.reported[name])
    difference, p_value = (None, None) if test is None else (test.difference, test.p_value)
    return Comparison(below, difference, p_value, repetitions, verdict)


def _tested(measured: Figures, places: tuple[Place, Place], name: str) -> tuple[TTest | None, int]:
    """Test the difference of two rows over the seeds that both have, and give how many there are."""
    ours, others = (_repetitions(measured.get(place, {}), name) for place in places)
    pairs = [(figure, others[seed]) for seed, figure in ours.items() if seed in others]
    if len(pairs) < 2:
        return None, len(pairs)
    return paired_t_test(*map(list, zip(*pairs, strict=True))), len(pairs)


def _verdict(test: TTest | None, below: float, reported: float) -> str:
    if test is None:
        return NOT_RUN
    return HOLDS if test.p_value < below and test.difference * reported > 0 else FAILS


def _other(table: Table, part: Part, row: Row, name: str) -> tuple[Place, Row] | None:
    """Find the row that a figure of a row is compared with."""
    if part.compared is None or name not in part.compared.measures:
        return None
    wanted: Mapping[str, Any] = row.at if part.compared.at is None else part.compared.at
    named = part if part.compared.part is None else table.part(part.compared.part)
    return table.find(named, lambda other: wanted.items() <= other.at.items())


def _repetitions(measured: Mapping[str, float], name: str) -> dict[str, float]:
    """Give the figure of every seed."""
    prefix = f"{name}.seed-"
    return {key.removeprefix(prefix): value for key, value in measured.items() if key.startswith(prefix)}
