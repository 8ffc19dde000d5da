"""JSON: an array of objects, each as in JSON Lines, or one object of columns, each a list or an object by row.

The file is read whole. A document's number stands in messages where a line's would.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from classmark.data.corpus import Corpus
from classmark.data.formats.jsonl import AskedKeys, fields_of, record_of
from classmark.data.formats.output import records_of, writing
from classmark.data.formats.records import Record, read_whole
from classmark.data.formats.values import type_word
from classmark.data.options import CorpusOptions
from classmark.errors import InputError, attempts

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
    yield from attempts(_looked_at, ((fields, number, f"{path}:{number}", options, keys) for number, fields in objects))
    keys.check(path)


def _looked_at(fields: Any, number: int, where: str, options: CorpusOptions, keys: AskedKeys) -> Record:
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
