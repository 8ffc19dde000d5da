"""Annif's files of short texts: TSV without a header, `text<TAB><uri> <uri>`, and CSV with the column `subject_uris`.

A subject is an address, in angle brackets or without. A document without any is *not labelled* or *belongs nowhere*,
as the user says; a line of a TSV file without a tab is a text that is not labelled.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import msgspec

from classmark.data.formats.cells import Columns, find_columns, no_labels
from classmark.data.formats.records import Record, Source, read_lines
from classmark.data.formats.tables import COMMON, read_rows, record_of_row
from classmark.data.options import CorpusOptions
from classmark.errors import InputError, attempt, attempts
from classmark.hierarchy.formats.annif import ADDRESS, bare

SUBJECTS = "subject_uris"
IDENTIFIER = "document_id"
LOOKED_AT = 100
"""In so many lines a first labelled document is looked for."""


def _addresses(cell: str, options: CorpusOptions, where: str) -> list[str] | None:
    """Give the subjects of a cell, each once."""
    found = cell.split()
    for one in found:
        if not (ADDRESS.fullmatch(one) or ":" in one):
            raise InputError(
                f"{where}: {one!r} stands where the addresses of subjects do; write <http://…> <http://…>,"
                " and no tab in the text"
            )
    return list(dict.fromkeys(map(bare, found))) or no_labels(options)


def read_annif_tsv(path: Source, options: CorpusOptions) -> Iterator[Record]:
    """Yield the documents of a TSV file; blank lines are passed over."""
    lines = ((line, number, path, options) for number, line in read_lines(path, options) if line.strip())
    return attempts(_of_line, lines)


def _of_line(line: str, number: int, path: Source, options: CorpusOptions) -> Record:
    text, tab, subjects = line.rstrip("\r\n").partition("\t")
    labels = _addresses(subjects, options, f"{path}:{number}") if tab else None
    return Record(number, None, text, labels, None)


def read_annif_csv(path: Source, options: CorpusOptions) -> Iterator[Record]:
    """Yield the documents of a CSV file with a header."""
    rows = read_rows(path, options)
    line, header = next(rows, (0, []))
    if not header:
        return
    names = replace(
        options,
        label_column=options.label_column or (SUBJECTS if SUBJECTS in header else None),
        id_column=options.id_column or (IDENTIFIER if IDENTIFIER in header else None),
    )
    columns = find_columns(header, names, f"{path}:{line}")
    yield from attempts(_of_row, ((row, line, path, columns, options) for line, row in rows))


def _of_row(row: list[str], line: int, path: Source, columns: Columns, options: CorpusOptions) -> Record:
    record = record_of_row(row, line, path, columns._replace(labels=None), options)
    if columns.labels is None:
        return record
    labels = attempt(_addresses, row[columns.labels], options, f"{path}:{line}")
    return msgspec.structs.replace(record, labels=labels)


def is_annif_tsv(path: Path, options: CorpusOptions) -> bool:
    """Say whether nothing but addresses follows the first tab of a file: it has no header then."""
    lines = (line for line in first_lines(path, options) if "\t" in line)
    subjects = next(lines, "").partition("\t")[2].split()
    return bool(subjects) and all(map(ADDRESS.fullmatch, subjects))


def is_annif_csv(path: Path, options: CorpusOptions) -> bool:
    """Say whether a header has the column that Annif keeps subjects in, and none of ours."""
    header = next(filter(str.strip, first_lines(path, options)), "")
    names = {name.strip().strip('"') for name in re.split("[" + re.escape("".join(COMMON)) + "]", header)}
    return SUBJECTS in names and names.isdisjoint(["labels", "label"])


def first_lines(path: Path, options: CorpusOptions) -> Iterable[str]:
    """Give the lines by which a file is known."""
    return islice((line for _, line in read_lines(path, options)), LOOKED_AT)
