"""A table that somebody brought: CSV, TSV or JSON Lines, looked at before anything is made of it, and read by rows."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, NamedTuple, TypeAlias

from classmark.data.formats.jsonl import read_fields
from classmark.data.formats.records import Source, Stream, read_lines
from classmark.data.formats.tables import COMMON, read_rows
from classmark.data.formats.values import type_word
from classmark.data.options import DEFAULT_OPTIONS, CorpusOptions
from classmark.errors import InputError
from classmark.faults import attempt, collecting
from classmark.wording import listed, meant, visible

KINDS = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
"""What is read, by how the name of a file ends."""
TEXT = DEFAULT_OPTIONS.text_column
SHOWN_ROWS, SHOWN_CELL = 5, 200
"""So many rows are shown before anything begins, and so many characters of a cell."""
LOOKED_AT = 200
"""By so many rows it is guessed which column has the texts."""
MOST_COLUMNS = 1000
OPTIONS = re.compile(r" \(-[^)]*\)")
"""What messages say for the command line, and nobody needs to know here."""

Head: TypeAlias = Callable[[int, list[str]], None]
"""Is told the last line of a table's header, and its names."""


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A file that was brought."""

    path: Path
    """Where it lies."""
    name: str
    """What it was called; messages call it so."""
    kind: str
    """`csv`, `tsv` or `jsonl`."""
    delimiter: str | None = None
    """What stands between the cells of a table."""
    header_line: int = 0
    """The last line of a table's header; 0 where there is none."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """What a file has."""

    rows: int
    """How many documents."""
    columns: list[str]
    """The names of its columns, or the keys of its objects."""
    text_column: str
    """The column that has the texts, most probably."""
    sample: list[list[str]]
    """The first rows, their cells cut."""
    delimiter: str | None
    """What stands between the cells of a table."""
    header_line: int
    """The last line of a table's header; 0 where there is none."""


class Row(NamedTuple):
    """A document of a file."""

    number: int
    """Counted from 1."""
    line: int
    """The last of its lines in the file."""
    text: str
    """The text; empty where there is none."""
    problem: str | None = None
    """Why there is none."""


def kind_of(name: str) -> str:
    """Say by its name what a file is.

    >>> kind_of("tickets.CSV")
    'csv'
    >>> kind_of("tickets.xlsx")
    Traceback (most recent call last):
    classmark.errors.InputError: tickets.xlsx: neither CSV, TSV nor JSONL; save the table as CSV (UTF-8) and bring that
    """
    kind = KINDS.get(PurePath(name).suffix.lower())
    if kind is None:
        raise InputError(f"{visible(name)}: neither CSV, TSV nor JSONL; save the table as CSV (UTF-8) and bring that")
    return kind


def look_at(path: Path, name: str) -> Look:
    """Read a whole file once; lines that cannot be read are refused, the first of them named."""
    kind = kind_of(name)
    with _opened(path, name) as source:
        delimiter = None if kind == "jsonl" else _delimiter(source, kind)
        source.content.seek(0)
        looker = _Looker()
        with collecting(looker.faults.append):
            for cells in CELLS[kind](source, delimiter, looker.head):
                looker.take(cells)
    looker.check(visible(name))
    return Look(
        rows=looker.rows,
        columns=list(looker.columns),
        text_column=looker.text_column,
        sample=[[_cut(row.get(column)) for column in looker.columns] for row in looker.first[:SHOWN_ROWS]],
        delimiter=delimiter,
        header_line=looker.header_line,
    )


class _Looker:
    """Collects what is to be known of a file while it goes by."""

    def __init__(self) -> None:
        self.rows = self.header_line = 0
        self.columns: dict[str, None] = {}
        self.first: list[dict[str, Any]] = []
        self.faults: list[InputError] = []

    def head(self, line: int, names: list[str]) -> None:
        """Take the header of a table."""
        self.header_line = line
        self.columns = dict.fromkeys(names)

    def take(self, cells: dict[str, Any]) -> None:
        """Take the next row."""
        if len(self.columns) < MOST_COLUMNS:
            self.columns.update(dict.fromkeys(cells))
        if len(self.first) < LOOKED_AT:
            self.first.append(cells)
        self.rows += 1

    def check(self, name: str) -> None:
        """Refuse a file with faults, and one without documents."""
        if self.faults:
            more = f" (and {len(self.faults) - 1:,} more such lines)" if len(self.faults) > 1 else ""
            raise InputError(f"{OPTIONS.sub('', str(self.faults[0]))}{more}")
        if not self.rows or not any(self.columns):
            raise InputError(
                f"{name}: has no documents; the first line of a table names its columns, the others follow"
            )

    @property
    def text_column(self) -> str:
        """The column called `text`, or else the one with the longest texts."""
        if TEXT in self.columns:
            return TEXT
        return max(filter(None, self.columns), key=lambda column: sum(_length(row.get(column)) for row in self.first))


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str) else 0


def _cut(value: Any) -> str:
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN_CELL else f"{text[:SHOWN_CELL]}…"


def read_upload(upload: Upload, text_column: str, longest: int) -> Iterator[Row]:
    """Yield the documents of a file; one without a text, or with one that is too long, says so."""
    with _opened(upload.path, upload.name) as source:
        for number, (line, value) in enumerate(TEXTS[upload.kind](source, upload.delimiter, text_column), 1):
            problem = _problem(value, text_column, longest)
            yield Row(number, line, "" if problem else value, problem)


def _problem(value: Any, column: str, longest: int) -> str | None:
    if value is None:
        return f"has nothing in {column!r}"
    if not isinstance(value, str):
        return f"{column!r} is {type_word(value)}, not a text"
    if len(value) > longest:
        return f"the text has {len(value):,} characters, more than {longest:,}"
    return None


@contextmanager
def _opened(path: Path, name: str) -> Iterator[Stream]:
    with path.open("rb") as file:
        yield Stream(visible(name), file)


def _options(delimiter: str | None) -> CorpusOptions:
    return CorpusOptions(delimiter=delimiter)


def _delimiter(source: Source, kind: str) -> str:
    """Find what stands between the cells: that by which the header has most columns."""
    if kind == "tsv":
        return "\t"
    header = next((line for _, line in read_lines(source, DEFAULT_OPTIONS) if line.strip()), "")

    def width(delimiter: str) -> int:
        try:
            return len(next(csv.reader([header], delimiter=delimiter), []))
        except csv.Error:
            return 0  # reading the row says what is wrong with it

    return max(COMMON, key=width)


def _cells_of_table(source: Source, delimiter: str | None, head: Head) -> Iterator[dict[str, Any]]:
    rows = read_rows(source, _options(delimiter))
    try:
        line, header = next(rows, (0, []))
        _check_header(header, f"{source}:{line}")
        head(line, header)
        for _, row in rows:
            yield dict(zip(header, row, strict=True))
    except InputError as error:
        # A quote that is not closed ends the reading.
        attempt(_raise, error)


def _raise(error: InputError) -> None:
    raise error


def _check_header(header: list[str], where: str) -> None:
    for name in header:
        if name and header.count(name) > 1:
            raise InputError(f"{where}: {header.count(name)} columns are called {name!r}; rename all but one")


def _cells_of_lines(source: Source, delimiter: str | None, head: Head) -> Iterator[dict[str, Any]]:
    for number, line in read_lines(source, DEFAULT_OPTIONS):
        if line.strip():
            fields = attempt(read_fields, line, f"{source}:{number}")
            if fields is not None:
                yield fields


def _texts_of_table(source: Source, delimiter: str | None, column: str) -> Iterator[tuple[int, Any]]:
    rows = read_rows(source, _options(delimiter))
    _, header = next(rows, (0, []))
    check_column(header, column)
    place = header.index(column)
    for line, row in rows:
        yield line, row[place]


def _texts_of_lines(source: Source, delimiter: str | None, column: str) -> Iterator[tuple[int, Any]]:
    for number, line in read_lines(source, DEFAULT_OPTIONS):
        if line.strip():
            yield number, read_fields(line, f"{source}:{number}").get(column)


def check_column(columns: list[str], column: str) -> None:
    """Refuse a column that a file has not."""
    if column not in columns or not column:
        raise InputError(f"there is no column {column!r}{meant(column, columns)}; choose one of: {listed(columns)}")


CELLS: dict[str, Callable[[Source, str | None, Head], Iterator[dict[str, Any]]]] = {
    "csv": _cells_of_table,
    "tsv": _cells_of_table,
    "jsonl": _cells_of_lines,
}
TEXTS: dict[str, Callable[[Source, str | None, str], Iterator[tuple[int, Any]]]] = {
    "csv": _texts_of_table,
    "tsv": _texts_of_table,
    "jsonl": _texts_of_lines,
}
"""What reads a file, by its kind."""
