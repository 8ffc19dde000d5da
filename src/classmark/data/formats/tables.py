"""Tables: CSV and TSV with a header, one row per document, by the standard library's `csv`.

Quoted cells may hold line breaks. The labels of a document stand in one cell with a separator between them, or as a
path in several columns; no label means *not labelled* or *belongs nowhere*, as the user says. What stands between the
cells of a CSV file, a comma or, as where commas are in numbers, a semicolon, is found by its header, and said.
"""

import csv
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from itertools import chain
from pathlib import Path

from classmark.data.corpus import Corpus
from classmark.data.formats.cells import Columns, LabelCells, find_columns, header_of, labels_of_cell, labels_of_path
from classmark.data.formats.output import records_of, text_of, writing
from classmark.data.formats.records import Record, Room, Source, check_field, check_id, read_lines
from classmark.data.options import CorpusOptions
from classmark.errors import InputError, attempt, attempts
from classmark.progress import notice

FIELD_SIZE_LIMIT = 2**31 - 1
"""The longest cell in characters: what a C `long` holds everywhere; Python's own limit is 131,072."""
BYTES_OF_A_CELL = 64
"""The mean length of cells in a row of the greatest length."""
COMMON = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
"""What stands between the cells of CSV files, the usual first."""
HEADER_READ = 100_000
"""Number of characters of a header from which the delimiter is guessed."""


def read_table(path: Source, options: CorpusOptions, *, delimiter: str | None = None) -> Iterator[Record]:
    """Yield the documents of a table with a header; blank lines are passed over.

    Without a delimiter, here or in the options, it is the one by which the header has the columns asked for.
    """
    rows = read_rows(path, options, delimiter)
    line, header = next(rows, (0, []))
    if not header:
        return
    columns = find_columns(header, options, f"{path}:{line}")
    yield from attempts(record_of_row, ((row, line, path, columns, options) for line, row in rows))


def read_rows(path: Source, options: CorpusOptions, delimiter: str | None = None) -> Iterator[tuple[int, list[str]]]:
    """Yield the header and the rows of a table, all of its length, each with its line."""
    csv.field_size_limit(max(csv.field_size_limit(), FIELD_SIZE_LIMIT))
    delimiter, rows = _delimited_rows(path, options, delimiter)
    line, header = next(rows, (0, []))
    yield line, [name.strip() for name in header]
    for line, row in rows:
        cells = attempt(_whole, row, len(header), delimiter, f"{path}:{line}")
        if cells is not None:
            yield line, cells


def _whole(row: list[str], width: int, delimiter: str, where: str) -> list[str]:
    """Refuse a row that has not a cell for every column."""
    if len(row) != width:
        raise InputError(f"{where}: {len(row)} cell(s) for {width} columns; quote cells that hold {delimiter!r}")
    return row


def _delimited_rows(
    path: Source, options: CorpusOptions, delimiter: str | None
) -> tuple[str, Iterator[tuple[int, list[str]]]]:
    """Find out what stands between the cells, and give the rows."""
    lines = (line for _, line in read_lines(path, options))
    begun = _up_to_the_header(lines)
    delimiter = options.delimiter or delimiter
    if delimiter is None:
        delimiter = sniff_delimiter("".join(begun[-1:]), [options.text_column, *(name for _, name in options.asked)])
        if delimiter != ",":
            notice(f"{path}: cells are separated by {COMMON[delimiter]}, as in its header (--delimiter overrides this)")
    return delimiter, _rows(chain(begun, lines), path, delimiter, options)


def record_of_row(row: list[str], line: int, path: Source, columns: Columns, options: CorpusOptions) -> Record:
    """Make a document of the cells of a row."""
    where = f"{path}:{line}"
    return Record(
        line=line,
        id=None if columns.id is None else attempt(check_id, row[columns.id], where),
        document=row[columns.text],
        labels=attempt(_labels, row, columns, options, where),
        split=None if columns.split is None else row[columns.split] or None,
        field=None
        if columns.field is None
        else attempt(check_field, row[columns.field], options.field_column or "", where),
    )


def _labels(row: list[str], columns: Columns, options: CorpusOptions, where: str) -> list[str] | None:
    if columns.path:
        return labels_of_path([row[position] for position in columns.path], options, where)
    return None if columns.labels is None else labels_of_cell(row[columns.labels], options, where)


def _up_to_the_header(lines: Iterator[str]) -> list[str]:
    """Take blank lines and the first that is not."""
    taken = []
    for line in lines:
        taken.append(line)
        if line.strip():
            break
    return taken


def sniff_delimiter(header: str, columns: Sequence[str] = ()) -> str:
    """Return the delimiter by which a header has most of some columns, and of those the one with most columns in all.

    >>> sniff_delimiter("id;text;labels, comma"), sniff_delimiter("id;no;text,labels", ["labels"])
    (';', ',')
    """

    def fits(delimiter: str) -> tuple[int, int]:
        try:
            cells = [cell.strip() for cell in next(csv.reader([header[:HEADER_READ]], delimiter=delimiter), [])]
        except csv.Error:
            return 0, 0  # reading the row says what is wrong with it
        return sum(name in cells for name in columns), len(cells)

    return max(COMMON, key=fits)


def _rows(
    lines: Iterator[str], path: Source, delimiter: str, options: CorpusOptions
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank, each with the number of its last line."""
    room = Room("row", options)
    # A cell takes 8 bytes besides its own: a row of delimiters alone would take ten times its size in memory.
    most = options.longest // BYTES_OF_A_CELL
    n_cells = 0

    def bounded() -> Iterator[str]:
        nonlocal n_cells
        for line in lines:
            room.take(line, f"{path}:{reader.line_num + 1}")
            n_cells += line.count(delimiter)
            if n_cells > most:
                more = f"(--max-line {2 * options.max_line}, max_line={2 * options.max_line})"
                where = f"{path}:{reader.line_num + 1}"
                raise InputError(f"{where}: the row has more than {most:,} times {delimiter!r}; allow more {more}")
            yield line

    # strict: an unbalanced quote would otherwise swallow the rows after it without a word.
    reader = csv.reader(bounded(), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            room.empty()
            n_cells = 0
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise InputError(
            f"{path}:{reader.line_num}: not a valid row ({error}); close every quote, double those in a cell"
        ) from None


def write_table(corpus: Corpus, path: Path, options: CorpusOptions, *, delimiter: str) -> None:
    """Write one row per document below a header: id, text, labels, split."""
    cells = LabelCells(options)
    with writing(path) as file, TextIOWrapper(file, encoding="utf-8", newline="") as stream:
        # Lines end in CR LF (RFC 4180), so that the writer quotes a lone carriage return in a text too.
        writer = csv.writer(stream, delimiter=options.delimiter or delimiter, lineterminator="\r\n")
        writer.writerow(header_of(options))
        for record in records_of(corpus):
            writer.writerow([record.id, text_of(record), *cells.of(record), record.split])
