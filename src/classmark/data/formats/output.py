"""What writers share: a file that appears whole or not at all, and refusals of what a format cannot hold.

A refusal names the document; `write_corpus` puts the target before it.
"""

import gzip
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import msgspec

from classmark.data.corpus import Corpus
from classmark.data.formats.records import Record
from classmark.data.options import CorpusOptions
from classmark.errors import InputError
from classmark.persistence import replacing
from classmark.progress import track


@contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """Give a stream to a temporary file that gets its name at the end; `.gz` at the end of the name compresses."""
    with replacing(path) as temporary, temporary.open("wb") as file, packing(file, path) as stream:
        yield stream


@contextmanager
def packing(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    """Give a stream into an open file, compressed where the path says so."""
    if path.suffix.lower() != ".gz":
        yield file
        return
    # No name and no time in the header: the same documents give the same bytes.
    with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
        yield cast("IO[bytes]", packed)


def write_lines(rows: Iterable[Any], file: IO[bytes]) -> int:
    """Write plain data as JSON, a line each; give the number of lines."""
    encoder, written = msgspec.json.Encoder(), 0
    for row in rows:
        file.write(encoder.encode(row) + b"\n")
        written += 1
    return written


def records_of(corpus: Corpus) -> Iterator[Record]:
    """Yield the documents of a corpus as readers do, numbered from 1."""
    rows = zip(corpus.ids, corpus.documents, corpus.labels, corpus.splits, strict=True)
    for row, fields in enumerate(track(rows, "writing", len(corpus)), 1):
        yield Record(row, *fields)


def text_of(record: Record) -> str:
    """Give the text of a document; one that has features is refused."""
    if isinstance(record.document, str):
        return record.document
    raise InputError(
        f"document {record.id!r} has features, which this format cannot hold; write .jsonl, .svm or a folder"
    )


def features_of(record: Record) -> dict[str, float]:
    """Give the features of a document; one that has a text, or a weight that no reader takes, is refused."""
    if isinstance(record.document, str):
        raise InputError(
            f"document {record.id!r} has a text, which this format cannot hold; write .jsonl, .csv or a folder,"
            " or count its terms first"
        )
    for term, weight in record.document.items():
        if not 0 <= weight < math.inf:
            raise InputError(f"document {record.id!r} has the weight {weight!r} for {term!r}; give a number >= 0 up")
    return record.document


def no_split(record: Record) -> None:
    """Refuse a document that belongs to a split."""
    if record.split is not None:
        raise InputError(
            f"document {record.id!r} has the split {record.split!r}, which this format cannot hold;"
            " write one split at a time (--split), or .jsonl"
        )


def can_be_empty(record: Record, options: CorpusOptions) -> None:
    """Refuse a document without labels where no label means the other thing: not labelled, or belonging nowhere."""
    if record.labels is None and options.empty_labels == "nowhere":
        meaning, instead, other = "is not labelled", "belonging nowhere", "unlabelled"
    elif record.labels == [] and options.empty_labels == "unlabelled":
        meaning, instead, other = "belongs nowhere", "not labelled", "nowhere"
    else:
        return
    raise InputError(
        f"document {record.id!r} {meaning}, but would be read as {instead}; say empty_labels={other!r}"
        f" (--empty-labels {other}) here and when reading, or write .jsonl or a folder"
    )
