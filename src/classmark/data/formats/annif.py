"""Corpora of Annif: TSV and CSV files of short texts, documents as JSON, and folders of long texts.

- TSV without a header, `text<TAB><uri> <uri>`, and CSV with the column `subject_uris`. A subject is an address, in
  angle brackets or without. A document without any is *not labelled* or *belongs nowhere*, as the user says; a line
  of a TSV file without a tab is a text that is not labelled.
- JSON: `{"document_id": …, "text": …, "metadata": {…}, "subjects": [{"uri": …, "label": …}]}`. A subject that has no
  address is given by its name. What the text column names may be among the metadata.
- Folders: `NAME.txt` with `NAME.tsv`, `<uri><TAB>label` a line, or `NAME.key`, a name a line; `NAME.json` is a
  document with its subjects. A text without a file of subjects is not labelled. A document's id is the name of its
  file, unless a JSON document has its own.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from classmark.data.formats.cells import Columns, find_columns, no_labels
from classmark.data.formats.files import read_text
from classmark.data.formats.json import AskedKeys, read_fields
from classmark.data.formats.records import (
    Record,
    Source,
    check_field,
    check_label,
    field_of,
    id_of,
    read_lines,
    split_of,
    type_word,
)
from classmark.data.formats.tables import COMMON, read_rows, record_of_row
from classmark.data.options import CorpusOptions
from classmark.errors import InputError, attempt, attempts
from classmark.hierarchy.formats.vocabularies import ADDRESS, bare
from classmark.wording import listed

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


KEYS = frozenset([IDENTIFIER, "text", "metadata", "subjects"])
TELLING = KEYS - {"text"}
"""A key that only documents of Annif have."""


def read_annif_jsonl(path: Source, options: CorpusOptions) -> Iterator[Record]:
    """Yield the documents of a JSON Lines file; blank lines are passed over."""
    keys = AskedKeys(options)
    lines = ((number, line) for number, line in read_lines(path, options) if line.strip())
    yield from attempts(_read_object, ((line, number, f"{path}:{number}", options, keys) for number, line in lines))
    keys.check(path)


def _read_object(line: str, number: int, where: str, options: CorpusOptions, keys: AskedKeys) -> Record:
    """Read the document that one line holds, and see which keys it has."""
    fields = read_fields(line, where)
    told = _metadata(fields)
    keys.look(fields | {name: told[name] for name in (options.field_column,) if name in told})
    return annif_record(fields, number, where, options)


def annif_record(fields: dict[str, Any], number: int, where: str, options: CorpusOptions) -> Record:
    """Make a document of an object."""
    further, parts = options.field_column, _metadata(fields) | fields
    return Record(
        line=number,
        id=attempt(id_of, fields.get(options.id_column or IDENTIFIER), where),
        document=attempt(_object_text, fields, options.text_column, where) or "",
        labels=attempt(_object_subjects, fields.get("subjects"), options, where),
        split=attempt(split_of, fields.get(options.split_name), where),
        field=further and attempt(field_of, parts.get(further), further, where, parts),
    )


def _metadata(fields: dict[str, Any]) -> dict[str, Any]:
    """Give what is told about a document."""
    found = fields.get("metadata")
    return found if isinstance(found, dict) else {}


def is_annif_object(fields: Any) -> bool:
    """Say whether an object is a document of Annif: it has one of its keys, and no other.

    >>> is_annif_object({"text": "hoots", "subjects": []}), is_annif_object({"text": "hoots"})
    (True, False)
    """
    return isinstance(fields, dict) and KEYS.issuperset(fields) and not TELLING.isdisjoint(fields)


def is_annif_jsonl(path: Path, options: CorpusOptions) -> bool:
    """Say whether the first line of a file is a document of Annif."""
    return is_annif_line(next(filter(str.strip, first_lines(path, options)), ""))


def is_annif_line(line: bytes | str) -> bool:
    """Say whether a text is a document of Annif; what is wrong with it is said when it is read."""
    try:
        return is_annif_object(read_fields(line, ""))
    except ValueError:
        return False


def _object_text(fields: dict[str, Any], column: str, where: str) -> str:
    """Give the text, or the part of the metadata that is called so."""
    parts = _metadata(fields)
    text = fields.get(column, parts.get(column))
    if text is None:
        raise InputError(
            f"{where}: the document has no {column!r}, only: {listed([*fields, *parts]) or 'nothing'};"
            " name what its text is, among the metadata too (--text-column, text_column)"
        )
    if not isinstance(text, str):
        raise InputError(f"{where}: {column!r} is {type_word(text)}; write the text as a string")
    return text


def _object_subjects(found: Any, options: CorpusOptions, where: str) -> list[str] | None:
    if found is None:
        return None
    if not isinstance(found, list):
        raise InputError(f"{where}: 'subjects' is {type_word(found)}; write a list of objects")
    return list(dict.fromkeys(_object_subject(one, where) for one in found)) or no_labels(options)


def _object_subject(found: Any, where: str) -> str:
    """Give a subject's address, or else its name."""
    if not isinstance(found, dict):
        raise InputError(f'{where}: a subject is {type_word(found)}; write it as {{"uri": "http://…"}}')
    subject = bare(found["uri"]) if isinstance(found.get("uri"), str) else found.get("label")
    if not isinstance(subject, str):
        raise InputError(f'{where}: a subject has no "uri" and no "label"; give it one of them, as a string')
    return check_label(subject, where)


SUBJECT_SUFFIXES = (".tsv", ".key")
"""What files of subjects end in; the first that is there counts, as it has addresses."""
HIERARCHY = "hierarchy"
"""A file of this name tells about the categories."""


def is_annif_folder(folder: Path) -> bool:
    """Say whether a folder has texts with files of subjects, or documents as JSON; texts alone may be anything."""
    if any(map(_subject_file, _document_files(folder, ".txt"))):
        return True
    objects = _document_files(folder, ".json")
    return bool(objects) and is_annif_line(objects[0].read_bytes())


def read_annif_folder(path: Path, options: CorpusOptions) -> Iterator[Record]:
    """Yield the documents of a folder, the texts first, in the order of their names."""
    yield from attempts(_of_text, ((file, options) for file in _document_files(path, ".txt")))
    yield from attempts(_of_object, ((file, options) for file in _document_files(path, ".json")))


def _of_object(file: Path, options: CorpusOptions) -> Record:
    where = f"{file}:1"
    record = annif_record(read_fields(read_text(str(file)), where), 1, where, options)
    return msgspec.structs.replace(record, id=record.id or file.name, file=str(file))


def _document_files(folder: Path, suffix: str) -> list[Path]:
    """List the documents of a folder in the order of their names."""
    found = (file for file in folder.glob(f"*{suffix}") if file.is_file() and not file.name.startswith("."))
    return sorted(file for file in found if file.stem != HIERARCHY)


def _subject_file(text: Path) -> Path | None:
    files = map(text.with_suffix, SUBJECT_SUFFIXES)
    return next((file for file in files if file.is_file()), None)


def _of_text(file: Path, options: CorpusOptions) -> Record:
    """Read a text and its subjects; messages about these name the file that they stand in."""
    if options.field_column is not None:
        check_field(None, options.field_column, f"{file}:1")
    subjects = _subject_file(file)
    labels = None if subjects is None else _subjects(read_text(str(subjects)), options)
    return Record(1, file.name, read_text(str(file)), labels, None, str(subjects or file))


def _subjects(content: str, options: CorpusOptions) -> list[str] | None:
    """Give the subjects of a file, a line each, and each once."""
    lines = map(_subject, content.split("\n"))
    return list(dict.fromkeys(filter(None, lines))) or no_labels(options)


def _subject(line: str) -> str | None:
    r"""Give the address of a subject, or else its name; columns after these say nothing.

    >>> _subject("<http://example.org/owl>\towl"), _subject("snowy owl"), _subject("")
    ('http://example.org/owl', 'snowy owl', None)
    """
    cells = [cell.strip() for cell in line.split("\t") if cell.strip()]
    address = next((bare(cell) for cell in cells[:1] if ADDRESS.fullmatch(cell)), None)
    return address or (cells[0] if cells else None)
