"""What is reported beside what was measured, and what follows from it.

A figure is *within* if it lies no further than the tolerance from the reported one, *above* or *below* if it lies
further, *not run* if it could not be measured, and *no claim* if nobody promised anything. What a paper says about
significance is judged in `comparisons`.
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import msgspec

from reproductions.comparisons import FAILS, HOLDS, Comparison, compare, described
from reproductions.tables import Measure, Part, Place, Row, Table, entry

WITHIN = "within"
VERDICTS = (WITHIN, "above", "below", "not run", "no claim")
ROUNDING = 1e-12
"""What a difference may lie over the tolerance because floating-point numbers are not decimal."""

Measured: TypeAlias = dict[str, float]


class Cell(msgspec.Struct, frozen=True):
    """A figure: reported, ours, the verdict, and the comparison with another row, if there is one."""

    reported: float | None
    ours: float | None
    difference: float | None
    tolerance: float | None
    verdict: str
    compared: Comparison | None = None


class RowResult(msgspec.Struct, frozen=True):
    """A row: what tells it apart, its figures by measure, and why it was not run, if it was not."""

    at: dict[str, Any]
    cells: dict[str, Cell]
    note: str | None
    missing: str | None


class PartResult(msgspec.Struct, frozen=True):
    """A part: its rows, the part that its ratios refer to, and in words what its rows are compared with."""

    title: str
    against: str | None
    note: str | None
    rows: list[RowResult]
    compared: str | None = None


class TableResult(msgspec.Struct, frozen=True):
    """A table with its results: everything that is printed or written."""

    paper: str
    table: str
    title: str
    citation: str
    about: str
    protocol: str
    notes: list[str]
    columns: dict[str, str]
    measures: dict[str, Measure]
    version: str
    seed: int
    quick: bool
    parts: list[PartResult]

    @property
    def cells(self) -> list[Cell]:
        """All its figures."""
        return [cell for part in self.parts for row in part.rows for cell in row.cells.values()]

    @property
    def counts(self) -> dict[str, int]:
        """How many figures have each verdict."""
        found = [cell.verdict for cell in self.cells]
        return {verdict: found.count(verdict) for verdict in VERDICTS}

    @property
    def significance(self) -> dict[str, int]:
        """How many of the paper's claims of significance hold here, and how many do not."""
        found = [cell.compared.verdict for cell in self.cells if cell.compared is not None]
        return {verdict: found.count(verdict) for verdict in (HOLDS, FAILS)}

    @property
    def missed(self) -> bool:
        """Whether a figure lies above or below."""
        return bool(self.counts["above"] or self.counts["below"])

    @property
    def was_run(self) -> bool:
        """Whether any row was run."""
        return any(row.missing is None for part in self.parts for row in part.rows)


def worsened(before: TableResult, now: TableResult) -> list[str]:
    """Describe the figures whose verdict, or that of their significance, is worse than before.

    Rows that are not run now are not compared.
    """
    old = {place: verdict for place, verdict, _ in _judged(before)}
    return [
        f"{now.table}: {' '.join(map(str, place))}: {old[place]} before, now {verdict}"
        for place, verdict, was_run in _judged(now)
        if was_run and old.get(place) in (WITHIN, HOLDS) and verdict != old[place]
    ]


def _judged(result: TableResult) -> Iterator[tuple[tuple[str, ...], str, bool]]:
    """Yield the place of every verdict, the verdict, and whether its row was run."""
    for part in result.parts:
        for row in part.rows:
            entries = ", ".join(f"{title} {row.at[name]}" for name, title in result.columns.items())
            for name, cell in row.cells.items():
                place = (part.title, entries, result.measures[name].title)
                yield place, cell.verdict, row.missing is None
                if cell.compared is not None:
                    yield (*place, "p"), cell.compared.verdict, row.missing is None


def judge(reported: float, ours: float | None, tolerance: float | None) -> Cell:
    """Compare two figures.

    >>> judge(0.741, 0.752, 0.03).verdict, judge(0.741, 0.7, 0.03).verdict, judge(34.0, 1.5, None).verdict
    ('within', 'below', 'no claim')
    """
    if ours is None:
        return Cell(reported, None, None, tolerance, "no claim" if tolerance is None else "not run")
    difference = ours - reported
    return Cell(reported, ours, difference, tolerance, _verdict(difference, tolerance))


def _verdict(difference: float, tolerance: float | None) -> str:
    if tolerance is None:
        return "no claim"
    if abs(difference) <= tolerance + ROUNDING:
        return WITHIN
    return "above" if difference > 0 else "below"


def part_results(
    table: Table, measured: Mapping[Place, Measured], missing: Mapping[Place, str], *, quick: bool = False
) -> list[PartResult]:
    """Give every row of a table its verdicts."""
    rows: list[list[RowResult]] = [[] for _ in table.parts]
    for place, part, row in table.rows():
        condition = table.condition_of(part, row, quick=quick)
        at = {name: entry(condition, name) for name in table.columns}
        cells = {
            name: msgspec.structs.replace(cell, compared=compare(table, measured, place, name))
            for name, cell in _cells(table, measured, place).items()
        }
        rows[place[0]].append(RowResult(at, cells, row.note, missing.get(place)))
    return [
        PartResult(part.title, part.against, part.note, found, described(part))
        for part, found in zip(table.parts, rows, strict=True)
    ]


def _cells(table: Table, measured: Mapping[Place, Measured], place: Place) -> dict[str, Cell]:
    cells = {name: _cell(table, measured, place, name) for name in table.measures}
    return {name: cell for name, cell in cells.items() if cell is not None}


def _cell(table: Table, measured: Mapping[Place, Measured], place: Place, name: str) -> Cell | None:
    """Judge one figure of a row, if there is something to judge."""
    part, measure = table.parts[place[0]], table.measures[name]
    row = part.rows[place[1]]
    reported, ours = row.reported.get(name), measured.get(place, {}).get(measure.measured)
    if reported is None:
        return Cell(None, ours, None, None, "no claim") if measure.always else None
    if measure.ratio:
        base = _base(table, part, row)
        if base is None:
            return None
        reported = _ratio(reported, base[1].reported.get(name))
        ours = _ratio(ours, measured.get(base[0], {}).get(measure.measured))
    tolerance = part.tolerance.get(name) if row.verdict else None
    return None if reported is None else judge(reported, ours, tolerance)


def _base(table: Table, part: Part, row: Row) -> tuple[Place, Row] | None:
    """Find the row that a row's ratios refer to: of the part it stands against, the one with the same entries."""
    return None if part.against is None else table.find(table.part(part.against), lambda base: base.at == row.at)


def _ratio(figure: float | None, base: float | None) -> float | None:
    return None if figure is None or not base else figure / base
