"""Files and folders that are written atomically, and errors for what a format cannot hold.

An error names the document; `write_corpus` puts the target before it. Formats that keep a label as folders or as
columns name each category by its path.
"""

import gzip
import math
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import IO, Any, cast

import msgspec

from classmark.data.corpus import Corpus
from classmark.data.formats.records import Record
from classmark.data.options import CorpusOptions
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy, Name
from classmark.persistence import check_writable, replacing
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


def with_path_names(corpus: Corpus, separator: str) -> Corpus:
    """Call every category by its path, as `animal/owl`; a corpus whose names are paths already stays as it is.

    >>> animals = Hierarchy.from_nested({"animal": ["owl"]})
    >>> with_path_names(Corpus(["1"], ["hoots"], [["owl"]], [None], animals, "an owl"), "/").labels
    [['animal/owl']]
    """
    if corpus.hierarchy is None or all(
        str(child).rpartition(separator)[0] == (parent or "") for parent, child in corpus.hierarchy.edges()
    ):
        return corpus
    names = {name: _path_of(name, corpus.hierarchy, separator) for name in corpus.hierarchy}
    return replace(_renamed(corpus, names), hierarchy=Hierarchy.from_paths(names.values(), separator))


def _renamed(corpus: Corpus, names: Mapping[Name, str]) -> Corpus:
    """Give the labels of documents, and the texts of categories, other names."""
    labels = [own and [names[label] for label in own] for own in corpus.labels]
    return replace(corpus, labels=labels, nodes={names[name]: text for name, text in corpus.nodes.items()})


def tidied(label: str, separator: str) -> str:
    """Take white space around the separator away, so that one category is not written in two ways.

    >>> tidied("Garden / Flowers", "/")
    'Garden/Flowers'
    """
    return separator.join(part.strip() for part in label.split(separator)) if separator in label else label


def parts_of(label: str, separator: str) -> list[str]:
    """Take a path apart, refusing an empty part."""
    parts = label.split(separator)
    if not all(parts):
        raise InputError(f"the label {label!r} has an empty part; rename it")
    return parts


def _path_of(name: Name, hierarchy: Hierarchy, separator: str) -> str:
    ways = hierarchy.paths(name)
    if len(ways) > 1:
        raise InputError(f"the category {name!r} has {len(ways)} paths, and here only one has room; write .jsonl")
    for part in ways[0]:
        if separator in str(part):
            raise InputError(f"the category {part!r} has {separator!r} in its name; rename it, or write .jsonl")
    return separator.join(map(str, ways[0]))


@contextmanager
def making(target: Path) -> Iterator[Path]:
    """Give a new folder beside the target, renamed to it at the end and removed if anything goes wrong.

    A folder that is already there stays until the new one is complete, and is then gone with all that it held:
    whoever calls this has made sure that nothing is lost.
    """
    temporary = _beside(target)
    check_writable(temporary)
    temporary.mkdir()
    try:
        yield temporary
        _put_in_place(temporary, target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _put_in_place(folder: Path, target: Path) -> None:
    """Rename a folder to the target; a folder cannot be renamed over a full one, so the old one steps aside."""
    old = _beside(target)
    if target.exists():
        target.rename(old)
    try:
        folder.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.name}.{token_hex(4)}.tmp")
