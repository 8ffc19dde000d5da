"""One reader a file format, and the table that finds it by the file's suffix; `.gz` may follow any suffix."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeAlias

from classmark.data.formats.jsonl import read_jsonl
from classmark.data.formats.records import Document, Record
from classmark.data.formats.tables import read_table
from classmark.data.options import CorpusOptions

__all__ = ["READERS", "Document", "Reader", "Record", "reader_for"]

Reader: TypeAlias = Callable[[Path, CorpusOptions], Iterator[Record]]

READERS: dict[str, Reader] = {
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".json-lines": read_jsonl,
    ".csv": partial(read_table, delimiter=","),
    ".tsv": partial(read_table, delimiter="\t"),
}


def reader_for(path: Path) -> Reader:
    """Find the reader of a file by its suffix.

    >>> reader_for(Path("documents.jsonl.gz")).__name__
    'read_jsonl'
    """
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    try:
        return READERS[plain.suffix.lower()]
    except KeyError:
        known = ", ".join(READERS)
        raise ValueError(f"{path}: no reader for this kind of file; give a folder or a file in {known} [.gz]") from None
