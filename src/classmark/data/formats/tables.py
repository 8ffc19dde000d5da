"""Tables: CSV and TSV with a header, a document a row, by the standard library's `csv`.

Quoted cells may hold line breaks. The labels of a document stand in one cell with a separator between them;
an empty cell means *not labelled* or *belongs nowhere*, as the user says.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

from classmark.data.formats.records import Record, check_id, check_label, read_lines
from classmark.data.options import CorpusOptions

FIELD_SIZE_LIMIT = 2**31 - 1
"""The longest cell in characters: what a C `long` holds everywhere; Python's own limit is 131,072."""


def read_table(path: Path, options: CorpusOptions, *, delimiter: str) -> Iterator[Record]:
    """Yield the documents of a table with a header; blank lines are passed over."""
    rows = _rows(path, delimiter)
    line, header = next(rows, (0, []))
    if not header:
        return
    columns = _columns([name.strip() for name in header], options, f"{path}:{line}")
    for line, row in rows:
        where = f"{path}:{line}"
        if len(row) != len(header):
            raise ValueError(
                f"{where}: {len(row)} cell(s) for {len(header)} columns; quote cells that hold {delimiter!r}"
            )
        found = {role: row[position] for role, position in columns.items()}
        yield Record(
            line=line,
            id=check_id(found["id"], where) if "id" in found else None,
            document=found["text"],
            labels=_labels(found["labels"], options, where) if "labels" in found else None,
            split=found.get("split") or None,
        )


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


def _columns(header: list[str], options: CorpusOptions, where: str) -> dict[str, int]:
    """Find the column of each role the table has: text, labels, id, split."""
    there = ", ".join(header)
    label_column = options.label_column or ("labels" if "labels" in header else "label")
    names = {
        "text": options.text_column,
        "labels": label_column,
        "id": options.id_column,
        "split": options.split_column,
    }
    required = {options.text_column: "text", options.label_column: "label"}
    for name, role in required.items():
        if name is not None and name not in header:
            raise ValueError(f"{where}: no {role} column {name!r}; name one of: {there}")
    for name in names.values():
        if header.count(name) > 1:
            raise ValueError(f"{where}: {header.count(name)} columns are called {name!r}; rename all but one")
    return {role: header.index(name) for role, name in names.items() if name in header}


def _labels(cell: str, options: CorpusOptions, where: str) -> list[str] | None:
    """Take the labels of a cell apart."""
    if not cell.strip():
        return [] if options.empty_labels == "nowhere" else None
    return [check_label(label.strip(), where) for label in cell.split(options.label_separator)]
