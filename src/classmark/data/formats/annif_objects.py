"""Annif's documents as JSON: `{"document_id": …, "text": …, "metadata": {…}, "subjects": [{"uri": …, "label": …}]}`.

A subject that has no address is given by its name. What the text column names may stand among the metadata.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from classmark.data.formats.annif import IDENTIFIER, first_lines
from classmark.data.formats.cells import no_labels
from classmark.data.formats.jsonl import AskedKeys, read_fields
from classmark.data.formats.records import Record, Source, check_label, read_lines
from classmark.data.formats.values import field_of, id_of, split_of, type_word
from classmark.data.options import CorpusOptions
from classmark.errors import InputError, attempt, attempts
from classmark.hierarchy.formats.annif import bare
from classmark.wording import listed

KEYS = frozenset([IDENTIFIER, "text", "metadata", "subjects"])
TELLING = KEYS - {"text"}
"""A key that only documents of Annif have."""


def read_annif_jsonl(path: Source, options: CorpusOptions) -> Iterator[Record]:
    """Yield the documents of a JSON Lines file; blank lines are passed over."""
    keys = AskedKeys(options)
    lines = ((number, line) for number, line in read_lines(path, options) if line.strip())
    yield from attempts(_looked_at, ((line, number, f"{path}:{number}", options, keys) for number, line in lines))
    keys.check(path)


def _looked_at(line: str, number: int, where: str, options: CorpusOptions, keys: AskedKeys) -> Record:
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
        document=attempt(_text, fields, options.text_column, where) or "",
        labels=attempt(_subjects, fields.get("subjects"), options, where),
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


def _text(fields: dict[str, Any], column: str, where: str) -> str:
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


def _subjects(found: Any, options: CorpusOptions, where: str) -> list[str] | None:
    if found is None:
        return None
    if not isinstance(found, list):
        raise InputError(f"{where}: 'subjects' is {type_word(found)}; write a list of objects")
    return list(dict.fromkeys(_subject(one, where) for one in found)) or no_labels(options)


def _subject(found: Any, where: str) -> str:
    """Give a subject's address, or else its name."""
    if not isinstance(found, dict):
        raise InputError(f'{where}: a subject is {type_word(found)}; write it as {{"uri": "http://…"}}')
    subject = bare(found["uri"]) if isinstance(found.get("uri"), str) else found.get("label")
    if not isinstance(subject, str):
        raise InputError(f'{where}: a subject has no "uri" and no "label"; give it one of them, as a string')
    return check_label(subject, where)
