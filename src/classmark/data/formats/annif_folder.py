"""Annif's folders of long texts: `NAME.txt` with `NAME.tsv`, `<uri><TAB>label` a line, or `NAME.key`, a name a line.

`NAME.json` is a document with its subjects. A text without a file of subjects is not labelled. A document's id is the
name of its file, unless a JSON document has its own.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from classmark.data.formats.annif_objects import annif_record, is_annif_line
from classmark.data.formats.cells import no_labels
from classmark.data.formats.files import read_text
from classmark.data.formats.jsonl import read_fields
from classmark.data.formats.records import Record, check_field
from classmark.data.options import CorpusOptions
from classmark.errors import attempts
from classmark.hierarchy.formats.annif import ADDRESS, bare

SUBJECT_SUFFIXES = (".tsv", ".key")
"""What files of subjects end in; the first that is there counts, as it has addresses."""
HIERARCHY = "hierarchy"
"""A file of this name tells about the categories."""


def is_annif_folder(folder: Path) -> bool:
    """Say whether a folder has texts with files of subjects, or documents as JSON; texts alone may be anything."""
    if any(map(_subject_file, _files(folder, ".txt"))):
        return True
    objects = _files(folder, ".json")
    return bool(objects) and is_annif_line(objects[0].read_bytes())


def read_annif_folder(path: Path, options: CorpusOptions) -> Iterator[Record]:
    """Yield the documents of a folder, the texts first, in the order of their names."""
    yield from attempts(_of_text, ((file, options) for file in _files(path, ".txt")))
    yield from attempts(_of_object, ((file, options) for file in _files(path, ".json")))


def _of_object(file: Path, options: CorpusOptions) -> Record:
    where = f"{file}:1"
    record = annif_record(read_fields(read_text(str(file)), where), 1, where, options)
    return msgspec.structs.replace(record, id=record.id or file.name, file=str(file))


def _files(folder: Path, suffix: str) -> list[Path]:
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
