"""Tables: CSV and TSV with a header, a document a row, by the standard library's `csv`.

Quoted cells may hold line breaks. The labels of a document stand in one cell with a separator between them, or as a
path in several columns; no label means *not labelled* or *belongs nowhere*, as the user says.
"""

import csv
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path

from classmark.data.corpus import Corpus
from classmark.data.formats.cells import Columns, LabelCells, find_columns, header_of, labels_of_cell, labels_of_path
from classmark.data.formats.output import records_of, text_of, writing
from classmark.data.formats.records import Record, check_id, read_lines
from classmark.data.options import CorpusOptions

FIELD_SIZE_LIMIT = 2**31 - 1
"""The longest cell in characters: what a C `long` holds everywhere; Python's own limit is 131,072."""


def read_table(path: Path, options: CorpusOptions, *, delimiter: str) -> Iterator[Record]:
    """Yield the documents of a table with a header; blank lines are passed over."""
    rows = _rows(path, delimiter)
    line, header = next(rows, (0, []))
    if not header:
        return
    columns = find_columns([name.strip() for name in header], options, f"{path}:{line}")
    for line, row in rows:
        where = f"{path}:{line}"
        if len(row) != len(header):
            raise ValueError(
                f"{where}: {len(row)} cell(s) for {len(header)} columns; quote cells that hold {delimiter!r}"
            )
        yield Record(
            line=line,
            id=None if columns.id is None else check_id(row[columns.id], where),
            document=row[columns.text],
            labels=_labels(row, columns, options, where),
            split=None if columns.split is None else row[columns.split] or None,
        )


def _labels(row: list[str], columns: Columns, options: CorpusOptions, where: str) -> list[str] | None:
    if columns.path:
        return labels_of_path([row[position] for position in columns.path], options, where)
    return None if columns.labels is None else labels_of_cell(row[columns.labels], options, where)


def _rows(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank, each with the number of its last line."""
    csv.field_size_limit(max(csv.field_size_limit(), FIELD_SIZE_LIMIT))
    # strict: an unbalanced quote would otherwise swallow the rows after it without a word.
    reader = csv.reader((line for _, line in read_lines(path)), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise ValueError(
            f"{path}:{reader.line_num}: not a valid row ({error}); close every quote, double those in a cell"
        ) from None


def write_table(corpus: Corpus, path: Path, options: CorpusOptions, *, delimiter: str) -> None:
    """Write a row a document below a header: id, text, labels, split."""
    cells = LabelCells(options)
    with writing(path) as file, TextIOWrapper(file, encoding="utf-8", newline="") as stream:
        # Lines end in CR LF (RFC 4180), so that the writer quotes a lone carriage return in a text too.
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\r\n")
        writer.writerow(header_of(options))
        for record in records_of(corpus):
            writer.writerow([record.id, text_of(record), *cells.of(record), record.split])
