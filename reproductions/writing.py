"""Results as tables of words, as Markdown and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec

from classmark.errors import InputError
from classmark.persistence import replacing
from reproductions.comparisons import HOLDS, Comparison
from reproductions.tables import Measure
from reproductions.verdicts import Cell, PartResult, RowResult, TableResult

NOTHING = "–"
CLAIM, NO_CLAIM, OURS, NONE = slice(0, 4), slice(0, 2), slice(1, 2), slice(0, 0)
"""Which of reported, ours, difference and verdict are shown."""
SMALL = 0.0001
"""Below it a p-value is not told more exactly."""


def plain(result: TableResult) -> dict[str, Any]:
    """Give results as plain data, with the counts of the verdicts."""
    data: dict[str, Any] = msgspec.to_builtins(result)
    return data | {"counts": result.counts, "significance": result.significance}


class Shown(NamedTuple):
    """Which columns of a measure a part shows, of its figures and of its p-values."""

    measure: Measure
    figures: slice
    p_values: slice

    @classmethod
    def of(cls, measure: Measure, cells: Sequence[Cell]) -> Self:
        """Choose the columns for the figures of a measure."""
        return cls(measure, _columns(cells), _p_columns(cells))

    def header(self) -> list[str]:
        """Give the titles of the columns."""
        title = self.measure.title
        figures = (
            [title] if self.figures == OURS else [f"{title}: reported", "ours", "difference", "verdict"][self.figures]
        )
        return figures + (["p"] if self.p_values == OURS else ["p: reported", "ours", "verdict"][self.p_values])

    def cells(self, cell: Cell | None) -> list[str]:
        """Give the columns of a row."""
        compared = None if cell is None else cell.compared
        return _words(cell, self.measure)[self.figures] + _p_words(compared)[self.p_values]


def grid(result: TableResult, part: PartResult) -> list[list[str]]:
    """Give a part as lines of cells, the header first.

    A measure has four columns where it makes a claim (reported, ours, difference, verdict), two where it does not, and
    one, ours, where the paper reports nothing. Where rows are compared, p-values follow: what the paper says of them,
    ours, and whether it holds, where there is a claim.
    """
    cells = {name: [row.cells[name] for row in part.rows if name in row.cells] for name in result.measures}
    shown = {name: Shown.of(result.measures[name], found) for name, found in cells.items() if found}
    header = [*result.columns.values(), *chain.from_iterable(one.header() for one in shown.values())]
    return [header, *(_line(result, row, shown) for row in part.rows)]


def _line(result: TableResult, row: RowResult, shown: Mapping[str, Shown]) -> list[str]:
    at = [NOTHING if row.at[name] is None else str(row.at[name]) for name in result.columns]
    return [*at, *chain.from_iterable(one.cells(row.cells.get(name)) for name, one in shown.items())]


def remarks(result: TableResult, part: PartResult) -> list[str]:
    """Give what is to be said below a part: why rows were not run, what its ratios mean, notes."""
    reasons = dict.fromkeys(row.missing for row in part.rows if row.missing is not None)
    said = {
        "ratios: to {}": part.against,
        "p: two-sided paired t-test over the repetitions, against {}": part.compared,
        "{}": part.note,
    }
    return [
        *(f"not run: {reason}" for reason in reasons),
        *(words.format(given) for words, given in said.items() if given is not None),
        *(f"{_place(result, row)}: {row.note}" for row in part.rows if row.note is not None),
    ]


def _place(result: TableResult, row: RowResult) -> str:
    """Say which row it is."""
    return ", ".join(f"{title} {row.at[name]}" for name, title in result.columns.items())


def counted(result: TableResult) -> str:
    """Give the counts of the verdicts in words, and how many claims of significance hold."""
    words = ", ".join(f"{count} {verdict}" for verdict, count in result.counts.items() if count)
    holding, all_claims = result.significance[HOLDS], sum(result.significance.values())
    return f"{words}; {holding} of {all_claims} significances hold" if all_claims else words


def markdown(result: TableResult) -> str:
    """Give results as a page of Markdown."""
    # Pages of results are linked from a page about them, so the documentation need not list them a second time.
    parts = [
        "---\norphan: true\n---",
        f"# {result.title}",
        result.citation,
        result.about.strip(),
        result.protocol.strip(),
    ]
    command = f"python -m reproductions {result.paper} {result.table}{' --quick' * result.quick}"
    parts.append(f"Made by `{command}` with classmark {result.version}, seed {result.seed}: {counted(result)}.")
    for part in result.parts:
        parts += [f"## {part.title}", "\n".join(_markdown_lines(grid(result, part)))]
        if below := remarks(result, part):
            parts.append("\n".join(f"- {remark}" for remark in below))
    if result.notes:
        parts += ["## Notes", "\n".join(f"- {note}" for note in result.notes)]
    return "\n\n".join(parts) + "\n"


def read_result(folder: Path, paper: str, table: str) -> TableResult | None:
    """Read the result of a table that `write_results` has written, or return None if there is none."""
    file = folder / f"{paper}_{table}.json"
    if not file.exists():
        return None
    try:
        return msgspec.json.decode(file.read_bytes(), type=TableResult)
    except msgspec.DecodeError as error:
        raise InputError(f"{file}: no result of a table: {error}; delete it or repair it") from None


def write_results(result: TableResult, folder: Path) -> list[Path]:
    """Write results into a folder, as Markdown and as JSON, and give the files."""
    stem = f"{result.paper}_{result.table}"
    json = msgspec.json.format(msgspec.json.encode(plain(result)), indent=1) + b"\n"
    written = []
    for name, contents in ((f"{stem}.md", markdown(result).encode()), (f"{stem}.json", json)):
        with replacing(folder / name) as temporary:
            temporary.write_bytes(contents)
        written.append(folder / name)
    return written


def _columns(cells: Sequence[Cell]) -> slice:
    if any(cell.tolerance is not None for cell in cells):
        return CLAIM
    return OURS if all(cell.reported is None for cell in cells) else NO_CLAIM


def _words(cell: Cell | None, measure: Measure) -> list[str]:
    """Give a figure as four cells."""
    if cell is None:
        return [NOTHING] * 4
    reported, ours = (_figure(value, measure.decimals) for value in (cell.reported, cell.ours))
    difference = NOTHING if cell.difference is None else f"{cell.difference:+.{measure.decimals}f}"
    return [reported, ours, difference, cell.verdict]


def _p_columns(cells: Sequence[Cell]) -> slice:
    tests = [cell.compared for cell in cells if cell.compared is not None]
    if any(test.verdict != "no claim" for test in tests):
        return CLAIM
    if any(test.below is not None for test in tests):
        return NO_CLAIM
    return OURS if tests else NONE


def _p_words(test: Comparison | None) -> list[str]:
    """Give a comparison as three cells."""
    if test is None:
        return [NOTHING] * 3
    below = NOTHING if test.below is None else f"< {test.below:g}"
    small = test.p_value is not None and test.p_value < SMALL
    return [below, f"< {SMALL:g}" if small else _figure(test.p_value, 4), test.verdict]


def _figure(value: float | None, decimals: int) -> str:
    return NOTHING if value is None else f"{value:.{decimals}f}"


def _markdown_lines(lines: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rule = ["-" * (width - 1) + ":" for width in widths]
    for line in (lines[0], rule, *lines[1:]):
        yield f"| {' | '.join(map(str.rjust, line, widths))} |"
