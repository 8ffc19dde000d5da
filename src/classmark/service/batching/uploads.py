"""A table that somebody brought: CSV, TSV or JSON Lines, looked at before anything is made of it, and read by rows."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, NamedTuple, TypeAlias

import msgspec

from classmark.data.formats.records import Source, Stream, read_lines, type_word
from classmark.data.formats.tables import read_rows, sniff_delimiter
from classmark.data.options import DEFAULT_OPTIONS, CorpusOptions
from classmark.errors import InputError, attempt, collecting
from classmark.wording import listed, meant, visible

KINDS = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
"""What is read, by how the name of a file ends."""
TEXT = DEFAULT_OPTIONS.text_column
SHOWN_ROWS, SHOWN_CELL = 5, 200
"""So many rows are shown before anything begins, and so many characters of a cell."""
LOOKED_AT = 200
"""By so many rows it is guessed which column has the texts."""
MOST_COLUMNS = 1000
MAX_FAULTS = 10_000
"""After that many lines with a fault no more are read."""
MAX_KEYS = 200_000
"""An object has fewer keys: a row of nothing else would take 30 times its size in memory (benchmarks/uploads.py)."""
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
        delimiter = {"tsv": "\t"}.get(kind)
        if kind == "csv":
            header = next((line for _, line in read_lines(source, DEFAULT_OPTIONS) if line.strip()), "")
            delimiter = sniff_delimiter(header)
            source.content.seek(0)
        looker = _Looker()
        with suppress(TooManyFaultsError), collecting(looker.refuse):
            for cells in CELLS[kind](source, delimiter, looker.head):
                looker.take(cells)
    looker.check(visible(name))
    return Look(
        rows=looker.rows,
        columns=list(looker.columns),
        text_column=looker.text_column,
        sample=[[row.get(column, "") for column in looker.columns] for row in looker.sample],
        delimiter=delimiter,
        header_line=looker.header_line,
    )


class TooManyFaultsError(Exception):
    """Ends the reading of a file with many faults."""


class _Looker:
    """Collects what is to be known of a file while it goes by; of rows and faults it keeps no more than it shows."""

    def __init__(self) -> None:
        self.rows = self.header_line = self.n_faults = 0
        self.columns: dict[str, None] = {}
        self.sample: list[dict[str, str]] = []
        self._lengths: Counter[str] = Counter()
        self._first_fault = ""

    def head(self, line: int, names: list[str]) -> None:
        """Take the header of a table."""
        self.header_line = line
        self.columns = dict.fromkeys(names)

    def take(self, cells: Mapping[str, str | msgspec.Raw]) -> None:
        """Take the next row."""
        if len(self.columns) < MOST_COLUMNS:
            self.columns.update(dict.fromkeys(cells))
        if len(self.sample) < SHOWN_ROWS:
            self.sample.append({column: _shown(cells[column]) for column in self.columns if column in cells})
        if self.rows < LOOKED_AT:
            self._lengths.update({column: _length(cells[column]) for column in self.columns if column in cells})
        self.rows += 1

    def refuse(self, fault: ValueError) -> None:
        """Count a fault, and keep what the first one says: an exception would keep the lines that it was made of."""
        self._first_fault = self._first_fault or str(fault)
        self.n_faults += 1
        if self.n_faults > MAX_FAULTS:
            raise TooManyFaultsError

    def check(self, name: str) -> None:
        """Refuse a file with faults, and one without documents."""
        if self.n_faults:
            further = f"{MAX_FAULTS:,} or" if self.n_faults > MAX_FAULTS else f"{self.n_faults - 1:,}"
            more = f" (and {further} more such lines)" if self.n_faults > 1 else ""
            raise InputError(f"{OPTIONS.sub('', self._first_fault)}{more}")
        if not self.rows or not any(self.columns):
            raise InputError(
                f"{name}: has no documents; the first line of a table names its columns, the others follow"
            )

    @property
    def text_column(self) -> str:
        """The column called `text`, or else the one with the longest texts."""
        if TEXT in self.columns:
            return TEXT
        return max(filter(None, self.columns), key=lambda column: self._lengths[column])


def _length(value: str | msgspec.Raw) -> int:
    """Return the length of a text, in characters of a table and in bytes of JSON; 0 for other values."""
    if isinstance(value, str):
        return len(value)
    raw = memoryview(value)
    return len(raw) - 2 if bytes(raw[:1]) == b'"' else 0


def _shown(value: str | msgspec.Raw) -> str:
    """Return the beginning of a cell as it is shown."""
    text = value if isinstance(value, str) else _text_of(value)
    text = "" if text is None else text
    return text if len(text) <= SHOWN_CELL else f"{text[:SHOWN_CELL]}…"


def _text_of(value: msgspec.Raw) -> str | None:
    """Return a JSON value as it is shown: a string as it is, null as None, anything else as it is written."""
    beginning = bytes(memoryview(value)[: 4 * SHOWN_CELL + 4])
    if beginning.startswith(b'"'):
        return msgspec.json.decode(value, type=str)
    return None if beginning == b"null" else beginning.decode(errors="ignore")


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


def _cells_of_table(source: Source, delimiter: str | None, head: Head) -> Iterator[dict[str, str]]:
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
    name, times = Counter(filter(None, header)).most_common(1)[0] if any(header) else ("", 0)
    if times > 1:
        raise InputError(f"{where}: {times} columns are called {name!r}; rename all but one")


def _cells_of_lines(source: Source, delimiter: str | None, head: Head) -> Iterator[dict[str, msgspec.Raw]]:
    for number, line in read_lines(source, DEFAULT_OPTIONS):
        if line.strip():
            fields = attempt(_fields, line, f"{source}:{number}")
            if fields is not None:
                yield fields


def _fields(line: str, where: str) -> dict[str, msgspec.Raw]:
    """Read the object that a line holds, its values as they are written: lists of lists take many times their size."""
    if line.count('":') > MAX_KEYS:
        raise InputError(f"{where}: the object has more than {MAX_KEYS:,} keys; write one object a document")
    try:
        return msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    except msgspec.ValidationError:
        kind = JSON_TYPES.get(line.lstrip()[:1], "a number")
        raise InputError(f"{where}: {kind} instead of an object; write one object a line") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise InputError(
            f"{where}: not valid JSON ({error}); write one object a line, without NaN or Infinity"
        ) from None


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
            value = _fields(line, f"{source}:{number}").get(column)
            yield number, None if value is None else _shallow(value)


def _shallow(value: msgspec.Raw) -> Any:
    """Return a JSON value; of a list or an object, which is no text, an empty one."""
    first = bytes(memoryview(value)[:1])
    return {b"[": [], b"{": {}}[first] if first in (b"[", b"{") else msgspec.json.decode(value)


def check_column(columns: list[str], column: str) -> None:
    """Refuse a column that a file has not."""
    if column not in columns or not column:
        raise InputError(f"there is no column {column!r}{meant(column, columns)}; choose one of: {listed(columns)}")


JSON_TYPES = {"[": "a list", '"': "a string", "t": "true or false", "f": "true or false", "n": "null"}
CELLS: dict[str, Callable[[Source, str | None, Head], Iterator[Mapping[str, str | msgspec.Raw]]]] = {
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
