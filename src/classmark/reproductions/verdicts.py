"""What is reported beside what was measured, and what follows from it.

A figure is *within* if it lies no further than the tolerance from the reported one, *above* or *below* if it lies
further, *not run* if it could not be measured, and *no claim* if nobody promised anything. What a paper says about
significance is judged in `comparisons`.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

from classmark.reproductions.comparisons import FAILS, HOLDS, Comparison, compare, described
from classmark.reproductions.tables import Measure, Part, Row, Table, entry

VERDICTS = ("within", "above", "below", "not run", "no claim")
ROUNDING = 1e-12
"""What a difference may lie over the tolerance because floating-point numbers are not decimal."""

Measured: TypeAlias = dict[str, float]
Place: TypeAlias = tuple[int, int]
"""A row by the position of its part and its position there."""


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
    def counts(self) -> dict[str, int]:
        """How many figures have each verdict."""
        found = [cell.verdict for part in self.parts for row in part.rows for cell in row.cells.values()]
        return {verdict: found.count(verdict) for verdict in VERDICTS}

    @property
    def significance(self) -> dict[str, int]:
        """How many of the paper's claims of significance hold here, and how many do not."""
        cells = [cell for part in self.parts for row in part.rows for cell in row.cells.values()]
        found = [cell.compared.verdict for cell in cells if cell.compared is not None]
        return {verdict: found.count(verdict) for verdict in (HOLDS, FAILS)}

    @property
    def was_run(self) -> bool:
        """Whether any row was run."""
        return any(row.missing is None for part in self.parts for row in part.rows)


def judge(reported: float, ours: float | None, tolerance: float | None) -> Cell:
    """Compare two figures.

    >>> judge(0.741, 0.752, 0.03).verdict, judge(0.741, 0.7, 0.03).verdict, judge(34.0, 1.5, None).verdict
    ('within', 'below', 'no claim')
    """
    if ours is None:
        return Cell(reported, None, None, tolerance, "no claim" if tolerance is None else "not run")
    difference = ours - reported
    if tolerance is None:
        verdict = "no claim"
    elif abs(difference) <= tolerance + ROUNDING:
        verdict = "within"
    else:
        verdict = "above" if difference > 0 else "below"
    return Cell(reported, ours, difference, tolerance, verdict)


def part_results(
    table: Table, measured: Mapping[Place, Measured], missing: Mapping[Place, str], *, quick: bool = False
) -> list[PartResult]:
    """Give every row of a table its verdicts."""
    results = []
    for part_position, part in enumerate(table.parts):
        rows = []
        for row_position, row in enumerate(part.rows):
            place = (part_position, row_position)
            condition = table.condition_of(part, row, quick=quick)
            at = {name: entry(condition, name) for name in table.columns}
            cells = {
                name: msgspec.structs.replace(cell, compared=compare(table, measured, place, name))
                for name, cell in _cells(table, measured, place).items()
            }
            rows.append(RowResult(at, cells, row.note, missing.get(place)))
        results.append(PartResult(part.title, part.against, part.note, rows, described(part)))
    return results


def _cells(table: Table, measured: Mapping[Place, Measured], place: Place) -> dict[str, Cell]:
    part = table.parts[place[0]]
    row = part.rows[place[1]]
    cells = {}
    for name, measure in table.measures.items():
        if name not in row.reported:
            if measure.always:
                cells[name] = Cell(None, measured.get(place, {}).get(measure.measured), None, None, "no claim")
            continue
        tolerance = part.tolerance.get(name) if row.verdict else None
        reported: float | None = row.reported[name]
        ours = measured.get(place, {}).get(measure.measured)
        if measure.ratio:
            base = _base(table, part, row)
            if base is None:
                continue
            reported = _ratio(reported, base[1].reported.get(name))
            ours = _ratio(ours, measured.get(base[0], {}).get(measure.measured))
        if reported is not None:
            cells[name] = judge(reported, ours, tolerance)
    return cells


def _base(table: Table, part: Part, row: Row) -> tuple[Place, Row] | None:
    """Find the row that a row's ratios refer to: of the part it stands against, the one with the same entries."""
    if part.against is None:
        return None
    position = table.parts.index(table.part(part.against))
    for row_position, base in enumerate(table.parts[position].rows):
        if base.at == row.at:
            return (position, row_position), base
    return None


def _ratio(figure: float | None, base: float | None) -> float | None:
    return None if figure is None or not base else figure / base
