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
from classmark.data.formats.annif import (
    is_annif_csv,
    is_annif_folder,
    is_annif_jsonl,
    is_annif_tsv,
    read_annif_csv,
    read_annif_folder,
    read_annif_jsonl,
    read_annif_tsv,
)
from classmark.data.formats.dataset import document_files, is_dataset, read_dataset, write_dataset, write_sharded
from classmark.data.formats.excel import read_excel
from classmark.data.formats.files import categories_of_folders, has_folders, read_files, write_files
from classmark.data.formats.json import read_json, read_jsonl, write_json, write_jsonl
from classmark.data.formats.parquet import read_parquet, write_parquet
from classmark.data.formats.rcv1 import categories_of_topics, has_tokens, read_rcv1
from classmark.data.formats.records import Outline, Record, Stream
from classmark.data.formats.reuters import has_sgml, read_reuters
from classmark.data.formats.svmlight import HIDDEN, read_feature_rows, read_svmlight, write_svmlight
from classmark.data.formats.tables import read_table, write_table
from classmark.data.options import CorpusOptions
from classmark.data.stored import FeatureRows
from classmark.errors import InputError
from classmark.hierarchy.formats import Categories
from classmark.wording import meant

__all__ = ["FORMATS", "Document", "Format", "Reader", "Record", "Writer", "kind_of", "kind_of_target"]

Reader: TypeAlias = Callable[[Path, CorpusOptions], Iterator[Record]]
StreamReader: TypeAlias = Callable[[Stream, CorpusOptions], Iterator[Record]]
RowsReader: TypeAlias = Callable[[Path, CorpusOptions], tuple[Outline, FeatureRows] | None]
Writer: TypeAlias = Callable[[Corpus, Path, CorpusOptions], None]
ShardsWriter: TypeAlias = Callable[[Corpus, Path, CorpusOptions, int], None]


def _no_categories(path: Path) -> None:
    """Find no hierarchy in a folder."""


def _itself(path: Path) -> list[Path]:
    """Give what is read as one."""
    return [path]


class Format(NamedTuple):
    """How a kind of corpus is read and written.

    Attributes
    ----------
    read : function
        Yields the documents of a file or folder.
    write : function, optional
        Writes a corpus; a format without one is only read.
    suffixes : tuple of str
        What the names of its files end in; a format without any is a folder.
    recognise : function, optional
        Tells a folder of this kind from others; a format without one is a file.
    fits : function, optional
        Tells a file of this kind from those of another whose suffix it shares.
    categories : function
        Gives the hierarchy that a folder of this kind brings, if any.
    is_table : bool
        Whether a document is a row, and a path may stand in several columns.
    is_delimited : bool
        Whether somebody may say what stands between the cells.
    has_columns : bool
        Whether columns have names, which somebody may ask for.
    holds_splits : bool
        Whether a document's split is written.
    empty_is_open : bool
        Whether no label may mean *not labelled* or *belongs nowhere*, as somebody says.
    read_stream : function, optional
        Reads what comes from a pipe; a format without one needs a file of its own.
    read_rows : function, optional
        Reads a file as a whole into arrays; gives None where only `read` can do it.
    by_address : bool
        Whether labels are addresses, as in thesauri, or the names that categories have in the hierarchy file.
    files : function
        Gives the files without which a second reading would miss documents.
    write_shards : function, optional
        Writes a corpus in so many shards.
    """

    read: Reader
    write: Writer | None = None
    suffixes: tuple[str, ...] = ()
    recognise: Callable[[Path], bool] | None = None
    categories: Callable[[Path], Categories | None] = _no_categories
    is_table: bool = False
    is_delimited: bool = False
    has_columns: bool = False
    holds_splits: bool = True
    empty_is_open: bool = False
    read_stream: StreamReader | None = None
    read_rows: RowsReader | None = None
    fits: Callable[[Path, CorpusOptions], bool] | None = None
    by_address: bool = False
    files: Callable[[Path], list[Path]] = _itself
    write_shards: ShardsWriter | None = None


_read_tsv = partial(read_table, delimiter="\t")
_read_lshtc = partial(read_svmlight, hidden=HIDDEN)
_table = partial(Format, is_table=True, has_columns=True)
_delimited = partial(_table, is_delimited=True, empty_is_open=True)
_rows = partial(Format, holds_splits=False, empty_is_open=True)
_dataset = partial(Format, read_dataset, recognise=is_dataset, has_columns=True, files=document_files)
_write_parquet_shards = partial(write_sharded, suffix=".parquet")
_annif = partial(Format, write=None, empty_is_open=True, by_address=True)

FORMATS: dict[str, Format] = {
    "dataset": _dataset(write_dataset, write_shards=partial(write_sharded, suffix=".jsonl")),
    "dataset-gz": _dataset(
        partial(write_dataset, compressed=True), write_shards=partial(write_sharded, suffix=".jsonl.gz")
    ),
    "dataset-parquet": _dataset(_write_parquet_shards, write_shards=_write_parquet_shards),
    "jsonl": Format(
        read_jsonl, write_jsonl, (".jsonl", ".ndjson", ".json-lines"), has_columns=True, read_stream=read_jsonl
    ),
    "json": Format(read_json, write_json, (".json",), has_columns=True),
    "csv": _delimited(read_table, partial(write_table, delimiter=","), (".csv",), read_stream=read_table),
    "tsv": _delimited(_read_tsv, partial(write_table, delimiter="\t"), (".tsv",), read_stream=_read_tsv),
    "parquet": _table(read_parquet, write_parquet, (".parquet", ".pq")),
    "xlsx": _table(read_excel, None, (".xlsx", ".xlsm")),
    "svmlight": _rows(
        read_svmlight,
        write_svmlight,
        (".svm", ".svmlight", ".libsvm"),
        read_stream=read_svmlight,
        read_rows=read_feature_rows,
    ),
    "lshtc": _rows(
        _read_lshtc,
        partial(write_svmlight, hidden=HIDDEN),
        (".lshtc",),
        read_stream=_read_lshtc,
        read_rows=partial(read_feature_rows, hidden=HIDDEN),
    ),
    "reuters": Format(read_reuters, None, (".sgm",), has_sgml),
    "rcv1": Format(read_rcv1, None, (), has_tokens, categories_of_topics),
    "annif": _annif(read_annif_folder, recognise=is_annif_folder, has_columns=True),
    "annif-tsv": _annif(read_annif_tsv, suffixes=(".tsv",), fits=is_annif_tsv, read_stream=read_annif_tsv),
    "annif-csv": _annif(
        read_annif_csv,
        suffixes=(".csv",),
        fits=is_annif_csv,
        has_columns=True,
        is_delimited=True,
        read_stream=read_annif_csv,
    ),
    "annif-jsonl": _annif(
        read_annif_jsonl, suffixes=(".jsonl",), fits=is_annif_jsonl, has_columns=True, read_stream=read_annif_jsonl
    ),
    "files": Format(read_files, write_files, (), has_folders, categories_of_folders, holds_splits=False),
}

SUFFIXES = {suffix: kind for kind, form in FORMATS.items() if form.fits is None for suffix in form.suffixes}


def kind_of(path: Path, given: str | None = None) -> str:
    """Name the format of a file or folder to read: the one given, or else as its suffix or content tells."""
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file or folder; check the path")
    find = _kind_of_folder if path.is_dir() else _kind_of_file
    kind = find(path) if given is None else checked_kind(given)
    form = FORMATS[kind]
    if not path.is_dir() and not form.suffixes:
        raise InputError(f"{path}: a file, but the format {kind!r} is a folder; give the folder")
    if path.is_dir() and form.recognise is None:
        raise InputError(f"{path}: a folder, but the format {kind!r} is a file; give the file")
    return kind


def kind_by_content(kind: str, path: Path, options: CorpusOptions) -> str:
    """Name the format of a file that has the suffix of another."""
    form = FORMATS[kind]
    for other, its in FORMATS.items():
        if its.fits is not None and set(its.suffixes) & set(form.suffixes) and its.fits(path, options):
            return other
    return kind


def kind_of_target(path: Path, given: str | None = None) -> str:
    """Name the format to write: the one given, or else the one of the suffix; without a suffix a dataset folder."""
    by_name = _kind_of_file(path) if given is None and path.suffix else "dataset"
    kind = by_name if given is None else checked_kind(given)
    if FORMATS[kind].write is None:
        raise InputError(
            f"{path}: the format {kind!r} is only read; write one of {_kinds_with(lambda form: form.write)}"
        )
    return kind


def reader_of_streams(kind: str, name: str) -> StreamReader:
    """Give what reads a format from a pipe, which messages call by a name."""
    read = FORMATS[checked_kind(kind)].read_stream
    if read is None:
        readers = _kinds_with(lambda form: form.read_stream)
        raise InputError(f"{name}: {kind} is not read from there; give a file, or one of {readers}")
    return read


def _kinds_with(function: Callable[[Format], object]) -> str:
    """List the formats that have one of the optional functions."""
    return ", ".join(kind for kind, form in FORMATS.items() if function(form) is not None)


def checked_kind(kind: str) -> str:
    """Refuse a format that there is not."""
    if kind not in FORMATS:
        raise InputError(f"there is no format {kind!r}; name one of {', '.join(FORMATS)}{meant(kind, FORMATS)}")
    return kind


def check_path_columns(path: Path | str, kind: str, options: CorpusOptions) -> None:
    """Refuse path columns of what is no table."""
    if options.path_columns and not FORMATS[kind].is_table:
        raise InputError(f"{path}: path columns are columns of a table, and this is {kind}; leave them out")


def _kind_of_file(path: Path) -> str:
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    try:
        return SUFFIXES[plain.suffix.lower()]
    except KeyError:
        known = ", ".join(SUFFIXES)
        raise InputError(f"{path}: no reader for this kind of file; give a folder or a file in {known} [.gz]") from None


def _kind_of_folder(path: Path) -> str:
    for kind, form in FORMATS.items():
        if form.recognise is not None and form.recognise(path):
            return kind
    document_files(path)  # says what is missing
    return "dataset"
