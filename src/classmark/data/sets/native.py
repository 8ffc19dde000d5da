"""Documents into a dataset folder one by one, so that a corpus need not fit into memory."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from classmark.data.formats.dataset import write_categories
from classmark.data.formats.jsonl import FEATURES
from classmark.data.formats.output import writing
from classmark.data.formats.records import Record
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import NodeText
from classmark.progress import track


def write_records(
    folder: Path,
    records: Iterable[Record],
    hierarchy: Hierarchy | None = None,
    nodes: Mapping[str, NodeText] | None = None,
    total: int | None = None,
) -> None:
    """Write documents, hierarchy and the names of categories into a folder; the same input gives the same bytes.

    Parameters
    ----------
    folder : Path
        A folder that exists.
    records : iterable of Record
        The documents, each with an id.
    hierarchy : Hierarchy, optional
        The categories.
    nodes : mapping of str to NodeText, optional
        What people call the categories.
    total : int, optional
        How many documents to expect, for the progress bar.
    """
    write_categories(folder, hierarchy, nodes)
    encoder = msgspec.json.Encoder()
    with writing(folder / "docs.jsonl.gz") as file:
        for record in track(_distinct(records), "documents", total):
            content = "text" if isinstance(record.document, str) else FEATURES
            line = {"id": record.id, content: record.document, "labels": record.labels, "split": record.split}
            file.write(encoder.encode(line) + b"\n")


def _distinct(records: Iterable[Record]) -> Iterator[Record]:
    """Pass documents on, refusing an id that comes again: some file lies there twice."""
    seen: set[str | None] = set()
    for record in records:
        if record.id in seen:
            where = f"{record.file}:{record.line}: " if record.file else ""
            raise InputError(f"{where}the id {record.id!r} comes a second time; take away what lies there twice")
        seen.add(record.id)
        yield record
