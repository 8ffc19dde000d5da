"""One format a file, and the table that finds it by the file's suffix, the folder's content, or its name.

A reader yields records, each with the line it stands on, and refuses what a single line shows to be wrong. A writer
writes what its reader reads back as the same, and refuses by name what the format cannot hold. `.gz` may follow any
suffix but Parquet's.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from classmark.data.corpus import Corpus, Document
from classmark.data.features import FeatureRows
from classmark.data.formats.dataset import document_files, is_dataset, read_dataset, write_dataset
from classmark.data.formats.excel import read_excel
from classmark.data.formats.files import categories_of_folders, has_folders, read_files, write_files
from classmark.data.formats.json import read_json, write_json
from classmark.data.formats.jsonl import read_jsonl, write_jsonl
from classmark.data.formats.parquet import read_parquet, write_parquet
from classmark.data.formats.rcv1 import categories_of_topics, has_tokens, read_rcv1
from classmark.data.formats.records import Record, Stream
from classmark.data.formats.reuters import has_sgml, read_reuters
from classmark.data.formats.svmlight import HIDDEN, read_feature_rows, read_svmlight, write_svmlight
from classmark.data.formats.tables import read_table, write_table
from classmark.data.options import CorpusOptions
from classmark.data.outline import Outline
from classmark.hierarchy.formats import Categories
from classmark.wording import meant

__all__ = ["FORMATS", "Document", "Format", "Reader", "Record", "Writer", "kind_of", "kind_of_target", "reader_for"]

Reader: TypeAlias = Callable[[Path, CorpusOptions], Iterator[Record]]
RowsReader: TypeAlias = Callable[[Path, CorpusOptions], tuple[Outline, FeatureRows] | None]
Writer: TypeAlias = Callable[[Corpus, Path, CorpusOptions], None]


class Format(NamedTuple):
    """How a kind of corpus is read and written.

    `recognise` tells a folder of this kind from others, `categories` gives the hierarchy that such a folder brings.
    A format that `has_columns` calls them by names, which somebody may ask for. One with `read_rows` is read as a whole
    into arrays; that gives None where only `read` can do it.
    """

    read: Reader
    write: Writer | None = None
    suffixes: tuple[str, ...] = ()
    recognise: Callable[[Path], bool] | None = None
    categories: Callable[[Path], Categories | None] | None = None
    is_table: bool = False
    has_columns: bool = False
    holds_splits: bool = True
    read_rows: RowsReader | None = None


_table = partial(Format, is_table=True, has_columns=True)

FORMATS: dict[str, Format] = {
    "dataset": Format(read_dataset, write_dataset, recognise=is_dataset, has_columns=True),
    "dataset-gz": Format(read_dataset, partial(write_dataset, compressed=True), recognise=is_dataset, has_columns=True),
    "jsonl": Format(read_jsonl, write_jsonl, (".jsonl", ".ndjson", ".json-lines"), has_columns=True),
    "json": Format(read_json, write_json, (".json",), has_columns=True),
    "csv": _table(read_table, partial(write_table, delimiter=","), (".csv",)),
    "tsv": _table(partial(read_table, delimiter="\t"), partial(write_table, delimiter="\t"), (".tsv",)),
    "parquet": _table(read_parquet, write_parquet, (".parquet", ".pq")),
    "xlsx": _table(read_excel, None, (".xlsx", ".xlsm")),
    "svmlight": Format(
        read_svmlight,
        write_svmlight,
        (".svm", ".svmlight", ".libsvm"),
        holds_splits=False,
        read_rows=read_feature_rows,
    ),
    "lshtc": Format(
        partial(read_svmlight, hidden=HIDDEN),
        partial(write_svmlight, hidden=HIDDEN),
        (".lshtc",),
        holds_splits=False,
        read_rows=partial(read_feature_rows, hidden=HIDDEN),
    ),
    "reuters": Format(read_reuters, None, (".sgm",), has_sgml),
    "rcv1": Format(read_rcv1, None, (), has_tokens, categories_of_topics),
    "files": Format(read_files, write_files, (), has_folders, categories_of_folders, holds_splits=False),
}

STREAMED: dict[str, Callable[[Stream, CorpusOptions], Iterator[Record]]] = {
    "jsonl": read_jsonl,
    "csv": read_table,
    "tsv": partial(read_table, delimiter="\t"),
    "svmlight": read_svmlight,
    "lshtc": partial(read_svmlight, hidden=HIDDEN),
}
"""The formats that need no file of their own: what comes from a pipe is read as well."""

DELIMITED = ("csv", "tsv")
"""The formats whose cells somebody may say the delimiter of."""

SUFFIXES = {suffix: kind for kind, form in FORMATS.items() for suffix in form.suffixes}


def reader_for(path: Path) -> Reader:
    """Find the reader of a file by its suffix.

    >>> reader_for(Path("documents.jsonl.gz")).__name__
    'read_jsonl'
    """
    return FORMATS[_kind_of_file(path)].read


def kind_of(path: Path, given: str | None = None) -> str:
    """Name the format of a file or folder to read: the one given, or else as its suffix or content tells."""
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file or folder; check the path")
    kind = checked_kind(given) if given is not None else _kind_of_folder(path) if path.is_dir() else _kind_of_file(path)
    form = FORMATS[kind]
    if not path.is_dir() and not form.suffixes:
        raise ValueError(f"{path}: a file, but the format {kind!r} is a folder; give the folder")
    if path.is_dir() and form.recognise is None:
        raise ValueError(f"{path}: a folder, but the format {kind!r} is a file; give the file")
    return kind


def kind_of_target(path: Path, given: str | None = None) -> str:
    """Name the format to write: the one given, or else the one of the suffix; without a suffix a dataset folder."""
    kind = checked_kind(given) if given is not None else _kind_of_file(path) if path.suffix else "dataset"
    if FORMATS[kind].write is None:
        writers = ", ".join(name for name, form in FORMATS.items() if form.write is not None)
        raise ValueError(f"{path}: the format {kind!r} is only read; write one of {writers}")
    return kind


def checked_kind(kind: str) -> str:
    """Refuse a format that there is not."""
    if kind not in FORMATS:
        raise ValueError(f"there is no format {kind!r}; name one of {', '.join(FORMATS)}{meant(kind, FORMATS)}")
    return kind


def _kind_of_file(path: Path) -> str:
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    try:
        return SUFFIXES[plain.suffix.lower()]
    except KeyError:
        known = ", ".join(SUFFIXES)
        raise ValueError(f"{path}: no reader for this kind of file; give a folder or a file in {known} [.gz]") from None


def _kind_of_folder(path: Path) -> str:
    for kind, form in FORMATS.items():
        if form.recognise is not None and form.recognise(path):
            return kind
    document_files(path)  # says what is missing
    return "dataset"
