"""A paper's table as data: conditions, what is reported, and how far ours may lie from it.

A table has *parts*, such as a method on a corpus, and a part has *rows*. The condition of a row is that of the table,
changed by that of the part, changed by the row's own; a table inside a condition is changed entry by entry.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from classmark.errors import InputError

FOLDER = Path(__file__).parent
"""Where the papers' folders are."""
Place: TypeAlias = tuple[int, int]
"""A row by the position of its part and its position there."""


class Measure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A column of figures.

    Parameters
    ----------
    title : str
        What people call it.
    measured : str
        The name of the figure among those that the experiment measures, such as `leaves.micro_f1`.
    decimals : int
        How many decimals are shown.
    ratio : bool
        Whether to compare not the figures but their ratios to those of the part that `against` names. For times: the
        paper's machine is not ours.
    always : bool
        Whether ours is shown in rows for which the paper reports nothing.
    """

    title: str
    measured: str
    decimals: int = 3
    ratio: bool = False
    always: bool = False


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of the table: what is its own in the condition, and the figures as printed.

    Without `verdict` it is shown, and makes no claim. `below` is, by measure, what the paper says that the p-value lies
    below where its part is `compared`.
    """

    at: dict[str, Any]
    reported: dict[str, float]
    below: dict[str, float] = {}
    note: str | None = None
    verdict: bool = True


class Compared(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the rows of a part are compared with, repetition by repetition.

    Parameters
    ----------
    measures : list of str
        The measures that are compared.
    part : str, optional
        The part of the other row; the same by default.
    at : dict, optional
        What the other row has in its `at`; by default all that the row itself has.
    below : dict
        What the paper says that the p-values of all rows lie below, by measure.
    """

    measures: list[str]
    part: str | None = None
    at: dict[str, Any] | None = None
    below: dict[str, float] = {}


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rows that belong together, with their common condition and tolerances.

    A measure without a tolerance makes no claim, about significance either.
    """

    title: str
    rows: list[Row]
    condition: dict[str, Any] = {}
    tolerance: dict[str, float] = {}
    against: str | None = None
    compared: Compared | None = None
    note: str | None = None


class Quick(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a quick run does: leaves out rows above the `most` of a parameter, and changes the `condition`."""

    most: dict[str, float] = {}
    condition: dict[str, Any] = {}


class Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a paper.

    Parameters
    ----------
    title, citation : str
        What the table shows, and where it stands.
    about : str
        What its numbers mean.
    protocol : str
        How they were measured, there and here.
    columns : dict
        The parameters that tell the rows apart, with their titles; `settings.C` is the entry `C` of `settings`.
    """

    title: str
    citation: str
    about: str
    protocol: str
    measures: dict[str, Measure]
    columns: dict[str, str]
    parts: list[Part]
    condition: dict[str, Any] = {}
    quick: Quick = Quick()
    notes: list[str] = []

    def condition_of(self, part: Part, row: Row, *, quick: bool = False) -> dict[str, Any]:
        """Give everything that holds for a row."""
        condition = changed(changed(self.condition, part.condition), row.at)
        return changed(condition, self.quick.condition) if quick else condition

    def part(self, title: str) -> Part:
        """Look a part up by its title."""
        return next(part for part in self.parts if part.title == title)

    def rows(self) -> Iterator[tuple[Place, Part, Row]]:
        """Give every row with its place and its part."""
        for part_position, part in enumerate(self.parts):
            for row_position, row in enumerate(part.rows):
                yield (part_position, row_position), part, row

    def find(self, part: Part, fits: Callable[[Row], bool]) -> tuple[Place, Row] | None:
        """Find the first row of a part that fits, and its place."""
        return next(((place, row) for place, one, row in self.rows() if one is part and fits(row)), None)


def changed(condition: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Change a condition, tables inside it entry by entry.

    >>> changed({"method": "owl", "settings": {"C": 1, "N": 5}}, {"settings": {"N": 20}})
    {'method': 'owl', 'settings': {'C': 1, 'N': 20}}
    """
    merged = dict(condition)
    for name, value in changes.items():
        old = merged.get(name)
        merged[name] = changed(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


def entry(condition: Mapping[str, Any], name: str) -> Any:
    """Look an entry up, with points between the names of tables inside tables.

    >>> entry({"settings": {"C": 1}}, "settings.C")
    1
    """
    found: Any = condition
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def papers() -> dict[str, list[str]]:
    """Give the papers' names, with the names of their tables."""
    files = sorted(FOLDER.glob("*/*_*.toml"), key=lambda file: (file.parent.name, len(file.name), file.name))
    return {
        paper: [file.stem for file in files if file.parent.name == paper]
        for paper in dict.fromkeys(file.parent.name for file in files)
    }


def find_tables(paper: str, table: str | None = None) -> dict[str, Table]:
    """Read the tables of a paper, or one of them; `1` is short for `table_1`."""
    known = papers()
    if paper not in known:
        raise InputError(f"no paper is called {paper!r}; there is {', '.join(known)}")
    wanted = [name for name in known[paper] if table in (None, name, name.removeprefix("table_"))]
    if not wanted:
        raise InputError(f"{paper} has no table {table!r} here; there is {', '.join(known[paper])}")
    return {name: read_table(FOLDER / paper / f"{name}.toml") for name in wanted}


def read_table(file: Path) -> Table:
    """Read a table from its file."""
    try:
        return parse_table(file.read_bytes())
    except ValueError as error:
        raise InputError(f"{file}: {error}") from None


def parse_table(text: bytes | str) -> Table:
    """Read a table, refusing names that stand for nothing."""
    table = msgspec.toml.decode(text, type=Table)
    for part in table.parts:
        _check_part(part, table)
    return table


def _check_part(part: Part, table: Table) -> None:
    """Refuse figures and parts that stand for nothing."""
    titles = [one.title for one in table.parts]
    if unknown := sorted(_figures(part) - set(table.measures)):
        raise InputError(f"the part {part.title!r} has the figure {unknown[0]!r}, which is no measure of the table")
    if titles.count(part.title) > 1:
        raise InputError(f"two parts are called {part.title!r}; give each a title of its own")
    for other in (part.against, part.compared and part.compared.part):
        if other not in (None, *titles):
            raise InputError(f"the part {part.title!r} stands against {other!r}, which is no part of the table")


def _figures(part: Part) -> set[str]:
    """Give the names of all figures that a part speaks of."""
    found = {name for row in part.rows for name in (*row.reported, *row.below)} | set(part.tolerance)
    return found if part.compared is None else found | set(part.compared.measures) | set(part.compared.below)
