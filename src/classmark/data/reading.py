"""`read_corpus`, which makes a corpus of a file or folder of any format, and `iter_documents`, which holds none."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

import msgspec

from classmark.data import assembly
from classmark.data.corpus import Corpus, Document, Documents
from classmark.data.formats import (
    FORMATS,
    Format,
    Record,
    check_path_columns,
    kind_by_content,
    kind_of,
    reader_of_streams,
)
from classmark.data.formats.cells import MissingColumnError
from classmark.data.formats.dataset import find_shards
from classmark.data.formats.output import tidied
from classmark.data.formats.records import Outline, Stream
from classmark.data.options import DEFAULT_OPTIONS, CorpusOptions
from classmark.data.sharded import read_sharded
from classmark.data.stored import StoredDocuments, gone, mark_of
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy, Name
from classmark.parallel import elsewhere
from classmark.progress import track


def read_corpus(
    path: str | Path,
    *,
    hierarchy: Hierarchy | str | Path | None = None,
    options: CorpusOptions = DEFAULT_OPTIONS,
    stored: bool = False,
    titles: Mapping[Name, str] | None = None,
) -> Corpus:
    r"""Read documents from a dataset folder or a file.

    Parameters
    ----------
    path : str or Path
        A folder with `docs.jsonl` or with shards, or a file in JSON Lines, JSON, CSV or TSV; each may be compressed
        (`.gz`). Parquet, Excel's `.xlsx`, svmlight and LSHTC rows, Reuters SGML, RCV1 files, and text files in folders
        by category; and Annif's corpora.
    hierarchy : Hierarchy, str or Path, optional
        The categories, or the path of a file that has them: `hierarchy.tsv`, or one of LSHTC, RCV1, SKOS,
        OBO or Annif.
        Without one, the folder's own `hierarchy.tsv`, or what else it tells; else the tree of the label paths where
        `options.path_separator` or `options.path_columns` is given; else none.
    options : CorpusOptions
        The names of the columns and how labels are written.
    stored : bool
        Whether documents stay in the file: everything is checked as always, but `documents` reads them again when it
        is iterated over, one at a time. A pipe cannot be read twice, and its documents are held whatever this says;
        so are rows of features, which take 12 bytes per feature.
    titles : mapping, optional
        What people call the categories of a `Hierarchy` that is given, for corpora of Annif that label by names.

    Raises
    ------
    FileNotFoundError
        If there is no such file or folder.
    ValueError
        If something in the file is wrong: one line with the file, the line, what it is, and the remedy.

    Warns
    -----
    UserWarning
        If labels that the hierarchy does not have were dropped. A document left without any belongs nowhere.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "animals.csv")
    ...     _ = file.write_text("text,labels\nhoots at night,animal/bird\nswims,animal/fish\n")
    ...     corpus = read_corpus(file, options=CorpusOptions(path_separator="/"))
    >>> corpus.ids, corpus.labels
    (['1', '2'], [['animal/bird'], ['animal/fish']])
    >>> corpus.hierarchy.names
    ('animal', 'animal/bird', 'animal/fish')
    """
    location = Path(path)
    form = _format_of(location, options)
    place = elsewhere()
    if stored and place is not None and options.field_column is None and location.is_dir() and find_shards(location):
        # Workers may have been started in another folder.
        location = location.absolute()
        find = partial(assembly.find_categories, location, hierarchy, form, language=options.language)
        return read_sharded(location, form.files(location), options, find, place.n_workers)
    file = assembly.named_file(location)
    records, documents = _read(location, form, options, stored)
    if not records:
        raise _no_document(file)
    categories = assembly.find_categories(location, hierarchy, form, records, options.language)
    if form.by_address:
        assembly.call_by_titles(records, categories, titles, file, strict=options.on_unknown == "error")
    return assembly.assembled(records, documents, categories, options, file, str(path))


def _no_document(file: Path) -> InputError:
    what, where = ("folder", file) if file.is_dir() else ("file", f"{file}:1")
    return InputError(f"{where}: the {what} has no document; give it at least one")


def iter_documents(
    path: str | Path, *, options: CorpusOptions = DEFAULT_OPTIONS, numbered: bool = True
) -> Iterator[Record]:
    """Yield the documents of a file or folder one at a time, so that a corpus need not fit into memory.

    What takes all documents to see is not checked: ids that stand twice, and labels that a hierarchy does not have.

    Parameters
    ----------
    path : str or Path
        As for `read_corpus`.
    options : CorpusOptions
        As for `read_corpus`.
    numbered : bool
        Whether documents without an id get their number as one; otherwise it is None.

    Yields
    ------
    Record
        With `id`, `document`, `labels`, `split`, and the `line` it stands on.

    Raises
    ------
    FileNotFoundError, ValueError
        As `read_corpus` does, at the document that is wrong.
    """
    records = _format_of(Path(path), options).read(Path(path), options)
    if options.tree_separator is not None:
        records = _tidied(records, options.tree_separator)
    return _with_ids(records) if numbered else records


def iter_stream(
    stream: BinaryIO, name: str, kind: str, *, options: CorpusOptions = DEFAULT_OPTIONS
) -> Iterator[Record]:
    r"""Yield the documents of an open stream, such as standard input, as `iter_documents` does those of a file.

    Parameters
    ----------
    stream : binary stream
        Where the bytes come from.
    name : str
        What messages call it.
    kind : str
        The format, one that is read line by line.
    options : CorpusOptions
        As for `read_corpus`.

    Examples
    --------
    >>> from io import BytesIO
    >>> stream = BytesIO(b"text,labels\nhoots at night,bird\nswims,fish\n")
    >>> for record in iter_stream(stream, "standard input", "csv"):
    ...     print(record.id, record.document, record.labels)
    1 hoots at night ['bird']
    2 swims ['fish']
    """
    read = reader_of_streams(kind, name)
    _check_options(name, kind, options)
    return _with_ids(read(Stream(name, stream), options))


def _read(path: Path, form: Format, options: CorpusOptions, stored: bool) -> tuple[Outline, Documents]:
    """Read everything once; documents are kept as the format and the caller want them: features, marks or texts."""
    rows = _read_rows(path, form, options)
    if rows is not None:
        return rows
    # A pipe can be read only once.
    again = path.is_file() or path.is_dir()
    read = _left_there if stored and again else _kept
    return read(path, form, options)


def _read_rows(path: Path, form: Format, options: CorpusOptions) -> tuple[Outline, Documents] | None:
    """Read a file into arrays, where it can be."""
    if form.read_rows is None or not path.is_file():
        return None
    return form.read_rows(path, options)


def _kept(path: Path, form: Format, options: CorpusOptions) -> tuple[Outline, Documents]:
    """Keep the documents in memory."""
    records, documents = Outline(), list[Document]()
    for record in track(form.read(path, options), "reading"):
        records.append(record)
        documents.append(record.document)
    return records, documents


def _left_there(path: Path, form: Format, options: CorpusOptions) -> tuple[Outline, Documents]:
    """Leave the documents in the file, and keep a mark of each."""
    records, marks, files = Outline(), array("q"), form.files(path)
    for record in track(form.read(path, options), "reading"):
        records.append(record)
        marks.append(mark_of(record.document))
    read = partial(_documents, path, form, options, files)
    # Of a file a document each, which nobody asks for, there may be millions.
    known = [] if files == [path] else records.files()
    return records, StoredDocuments(str(path), read, marks, files=known)


def _documents(path: Path, form: Format, options: CorpusOptions, files: Sequence[Path]) -> Iterator[Document]:
    for file in files:
        if not file.exists():
            raise gone(file)
    for record in form.read(path, options):
        yield record.document


def _tidied(records: Iterator[Record], separator: str) -> Iterator[Record]:
    for record in records:
        labels = record.labels and [tidied(label, separator) for label in record.labels]
        yield record if labels == record.labels else msgspec.structs.replace(record, labels=labels)


def _with_ids(records: Iterator[Record]) -> Iterator[Record]:
    for row, record in enumerate(records, 1):
        yield record if record.id is not None else msgspec.structs.replace(record, id=str(row))


def find_format(path: Path, options: CorpusOptions) -> tuple[str, Format]:
    """Give the format of a file or folder with its name; options that say nothing about it are refused."""
    kind = kind_of(path, options.kind)
    # Who names a column of labels speaks of an ordinary table; a pipe can be read only once.
    if options.kind is None and path.is_file() and not (options.label_column or options.path_columns):
        kind = kind_by_content(kind, path, options)
    _check_options(path, kind, options)
    return kind, FORMATS[kind]


def _format_of(path: Path, options: CorpusOptions) -> Format:
    return find_format(path, options)[1]


def _check_options(path: Path | str, kind: str, options: CorpusOptions) -> None:
    """Refuse options that say nothing about a format."""
    check_path_columns(path, kind, options)
    if options.delimiter is not None and not FORMATS[kind].is_delimited:
        raise InputError(
            f"{path}: a delimiter stands between the cells of CSV and TSV, and this is {kind}; leave it out"
        )
    if not FORMATS[kind].has_columns:
        check_unasked(path, kind, options)


def columns_without_labels(path: Path) -> list[str]:
    """Give the columns of a file in which labels are looked for and not found; none where they are, or cannot be."""
    try:
        for _ in iter_documents(path, options=CorpusOptions(label_column="labels")):
            pass
    except MissingColumnError as error:
        return error.there if "label" not in error.there else []
    except (OSError, ValueError):
        pass
    return []


def check_unasked(path: Path | str, kind: str, options: CorpusOptions) -> None:
    """Refuse columns that were asked for of what has none."""
    text = [("text", options.text_column)] if options.text_column != DEFAULT_OPTIONS.text_column else []
    for role, name in text + options.asked:
        raise InputError(f"{path}: no {role} column {name!r}, for {kind} has no columns; leave it out")
