"""JSON Lines, one object a line, and JSON, an array of objects or one object of columns.

An object has `text` or `features`, and perhaps `id`, `labels` and `split`. `labels` missing or null means *not
labelled*, `[]` means *belongs nowhere*. Labels and ids that are integers become strings. A document whose `answer` is
`reject` or `ignore`, as Prodigy writes, is not labeled. The columns of JSON are lists, or objects by row. A JSON file
is read whole, and a document's number stands in messages where a line's would.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec

from classmark.data.corpus import Corpus, Document
from classmark.data.formats.cells import MissingColumnError, label_column_of
from classmark.data.formats.output import features_of, records_of, write_lines, writing
from classmark.data.formats.records import (
    Record,
    Source,
    field_of,
    id_of,
    is_integer,
    label_of,
    read_lines,
    read_whole,
    split_of,
    type_word,
)
from classmark.data.options import CorpusOptions
from classmark.errors import InputError, attempt, attempts
from classmark.wording import listed, meant

FEATURES = "features"
ANSWER = "answer"
NOT_ACCEPTED = ("reject", "ignore")
"""Answers of annotators in files of Prodigy: the label beside them was proposed, and is not that of the document."""
KEYS_REMEMBERED = 1000
Weights = dict[str, Annotated[float, msgspec.Meta(ge=0)]]


class AskedKeys:
    """The keys that somebody has named, as long as no document has had them."""

    def __init__(self, options: CorpusOptions) -> None:
        self.missing = options.asked
        self._seen: dict[str, None] = {}

    def look(self, fields: dict[str, Any]) -> None:
        """See which keys a document has."""
        self.missing = [(role, name) for role, name in self.missing if name not in fields]
        if len(self._seen) < KEYS_REMEMBERED:
            self._seen.update(dict.fromkeys(fields))

    def check(self, source: object) -> None:
        """Refuse a key that no document has had; without any document there is nothing to say about keys."""
        if self.missing and self._seen:
            raise MissingColumnError(f"{source}:1", *self.missing[0], self._seen)


def read_jsonl(path: Source, options: CorpusOptions) -> Iterator[Record]:
    """Yield the documents of a JSON Lines file; blank lines are passed over."""
    keys = AskedKeys(options)
    yield from read_file(path, options, keys)
    keys.check(path)


def read_file(path: Source, options: CorpusOptions, keys: AskedKeys) -> Iterator[Record]:
    """Yield the documents of a file that may be one of several; whoever has read all of them asks the keys."""
    lines = ((number, line) for number, line in read_lines(path, options) if line.strip())
    return attempts(_looked_at, ((line, number, f"{path}:{number}", options, keys) for number, line in lines))


def _looked_at(line: str, number: int, where: str, options: CorpusOptions, keys: AskedKeys) -> Record:
    """Read the document that one line holds, and see which keys it has."""
    fields = read_fields(line, where)
    if keys.missing:
        keys.look(fields)
    return record_of(fields, number, where, options)


def write_jsonl(corpus: Corpus, path: Path, options: CorpusOptions) -> None:
    """Write one line per document; the hierarchy is not among them."""
    with writing(path) as file:
        write_lines((fields_of(record, options) for record in records_of(corpus)), file)


def fields_of(record: Record, options: CorpusOptions) -> dict[str, Any]:
    """Give a document as an object."""
    if isinstance(record.document, str):
        content: dict[str, Any] = {options.text_column: record.document}
    else:
        content = {FEATURES: features_of(record)}
    fields = {options.id_name: record.id, **content}
    return fields | {options.label_column or "labels": record.labels, options.split_name: record.split}


def read_object(line: bytes | str, number: int, source: str, options: CorpusOptions) -> Record:
    """Read the document that one line holds."""
    where = f"{source}:{number}"
    return record_of(read_fields(line, where), number, where, options)


def read_fields(line: bytes | str, where: str) -> dict[str, Any]:
    """Read the object that one line holds."""
    try:
        fields = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise InputError(
            f"{where}: not valid JSON ({error}); write one object a line, without NaN or Infinity"
        ) from None
    if not isinstance(fields, dict):
        raise InputError(f"{where}: {type_word(fields)} instead of an object; write one object a line")
    return fields


def record_of(fields: dict[str, Any], number: int, where: str, options: CorpusOptions) -> Record:
    """Make a document of an object; where ids were asked for, each must have one."""
    if options.id_column is not None and options.id_column not in fields:
        raise MissingColumnError(where, "id", options.id_column, fields)
    name = attempt(id_of, fields.get(options.id_name), where)
    document = attempt(_document, fields, options.text_column, where)
    further = options.field_column
    return Record(
        line=number,
        id=name,
        document="" if document is None else document,
        labels=attempt(_labels, fields, options.label_column, where),
        split=attempt(split_of, fields.get(options.split_name), where),
        field=further and attempt(field_of, fields.get(further), further, where, fields),
    )


def _document(fields: dict[str, Any], text_column: str, where: str) -> Document:
    """Give the text or the features, whichever the document has."""
    text, features = fields.get(text_column), fields.get(FEATURES)
    if features is None and isinstance(text, str):
        return text
    if features is None:
        raise _no_text(fields, text_column, where)
    if text is not None:
        raise InputError(f"{where}: the document has {text_column!r} and {FEATURES!r}; keep one of them")
    return _weights(features, where)


def _no_text(fields: dict[str, Any], text_column: str, where: str) -> InputError:
    """Say why there is neither a text nor features."""
    text = fields.get(text_column)
    if text is not None:
        return InputError(f"{where}: {text_column!r} is {type_word(text)}; write the text as a string")
    if text_column in fields:
        return InputError(f"{where}: {text_column!r} is null; give the document a text or leave it out")
    return InputError(
        f"{where}: the document has no {text_column!r}{meant(text_column, fields)} and no {FEATURES!r},"
        f" only: {listed(fields) or 'nothing'}; add one, or name the text column (--text-column)"
    )


def _weights(features: Any, where: str) -> dict[str, float]:
    """Check features all at once, and look for the culprit only where there is one."""
    try:
        return msgspec.convert(features, Weights)
    except msgspec.ValidationError:
        pass
    if not isinstance(features, dict):
        raise InputError(f"{where}: {FEATURES!r} is {type_word(features)}; write an object, term to weight")
    term, weight = next(
        (term, weight)
        for term, weight in features.items()
        if not ((is_integer(weight) or isinstance(weight, float)) and 0 <= weight <= sys.float_info.max)
    )
    raise InputError(f"{where}: the feature {term!r} has the weight {weight!r}; write a number >= 0 up")


def _labels(fields: dict[str, Any], column: str | None, where: str) -> list[str] | None:
    """Return the labels as strings. A key called `labels` holds a list; any other may hold a single label."""
    column = label_column_of(fields, column)
    value = fields.get(column)
    if value is None or (column != ANSWER and fields.get(ANSWER) in NOT_ACCEPTED):
        return None
    labels = value if isinstance(value, list) else _single(value, column, where)
    return [label_of(label, where) for label in labels]


def _single(value: Any, column: str, where: str) -> list[Any]:
    if column == "labels" or not (isinstance(value, str) or is_integer(value)):
        raise InputError(f"{where}: {column!r} is {type_word(value)}; write a list, such as {_as_list(value)}")
    return [value]


def _as_list(value: Any) -> str:
    """Show how to write what was meant, or any list where that cannot be guessed."""
    return f'["{value}"]' if isinstance(value, str) and len(value) <= 40 else '["a", "b"]'


REMEDY = "write an array of objects or an object of columns; where there is an object a line, say so (--kind jsonl)"


def read_json(path: Path, options: CorpusOptions) -> Iterator[Record]:
    """Yield the documents of a file."""
    content = read_whole(path, options)
    if not content.strip():
        return
    try:
        found = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise InputError(f"{path}:1: not valid JSON ({error}); {REMEDY}") from None
    keys = AskedKeys(options)
    objects = enumerate(_objects(found, path), 1)
    yield from attempts(
        _checked_record, ((fields, number, f"{path}:{number}", options, keys) for number, fields in objects)
    )
    keys.check(path)


def _checked_record(fields: Any, number: int, where: str, options: CorpusOptions, keys: AskedKeys) -> Record:
    """Make a document of an object, and see which keys it has."""
    if not isinstance(fields, dict):
        raise InputError(f"{where}: {type_word(fields)} instead of an object; {REMEDY}")
    keys.look(fields)
    return record_of(fields, number, where, options)


def _objects(found: Any, path: Path) -> Iterator[Any]:
    """Yield the objects of an array, or the rows of columns."""
    if isinstance(found, list):
        return iter(found)
    if not isinstance(found, dict):
        raise InputError(f"{path}:1: {type_word(found)}; {REMEDY}")
    return _rows({name: _cells(name, column, path) for name, column in found.items()}, path)


def _rows(columns: dict[str, list[Any]], path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects that columns of one length stand for."""
    sizes = {len(column): name for name, column in columns.items()}
    if len(sizes) > 1:
        listed = " and ".join(f"{name!r} {size:,}" for size, name in list(sizes.items())[:2])
        raise InputError(f"{path}:1: columns of different lengths: {listed}; give each column a value per document")
    for row in zip(*columns.values(), strict=True):
        yield dict(zip(columns, row, strict=True))


def _cells(name: str, column: Any, path: Path) -> list[Any]:
    """Give the values of a column, which may be an object from row to value, as pandas writes it."""
    if isinstance(column, dict):
        return list(column.values())
    if not isinstance(column, list):
        raise InputError(f"{path}:1: {name!r} is {type_word(column)}; {REMEDY}")
    return column


def write_json(corpus: Corpus, path: Path, options: CorpusOptions) -> None:
    """Write an array, one object per line."""
    encoder = msgspec.json.Encoder()
    with writing(path) as file:
        before = b"["
        for record in records_of(corpus):
            file.write(before + b"\n" + encoder.encode(fields_of(record, options)))
            before = b","
        file.write(b"\n]\n" if before == b"," else b"[]\n")
