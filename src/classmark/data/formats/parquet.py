"""Parquet, read with pyarrow: the columns of a CSV file, labels as a list or as a string with separators.

A null in the label column means *not labelled*, an empty list *belongs nowhere*; an empty string means what it means
in CSV. A row's number stands in messages where a line's would.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from classmark.data.corpus import Corpus
from classmark.data.formats.cells import (
    Columns,
    LabelCells,
    find_columns,
    header_of,
    labels_of_cell,
    labels_of_path,
)
from classmark.data.formats.output import records_of, text_of
from classmark.data.formats.records import (
    Record,
    check_not_packed,
    field_of,
    id_of,
    is_integer,
    label_of,
    split_of,
    type_word,
)
from classmark.data.options import CorpusOptions
from classmark.errors import InputError, attempts, needing
from classmark.persistence import replacing

ROWS_AT_A_TIME = 256


def read_parquet(path: Path, options: CorpusOptions) -> Iterator[Record]:
    """Yield the documents of a Parquet file, a few hundred rows in memory at a time."""
    arrow = arrow_for(path)
    with _readable(path, arrow), arrow.parquet.ParquetFile(path) as file:
        columns = find_columns(file.schema_arrow.names, options, f"{path}:1")
        rows = enumerate(_rows(file, columns), 1)
        yield from attempts(_record, ((row, number, path, columns, options) for number, row in rows))


def _rows(file: Any, columns: Columns) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a file, with None in the columns that nobody asks for."""
    names, used = file.schema_arrow.names, columns.used
    for batch in file.iter_batches(ROWS_AT_A_TIME, columns=[names[column] for column in used]):
        cells = [[None] * batch.num_rows for _ in names]
        for column in used:
            cells[column] = batch.column(names[column]).to_pylist()
        yield from zip(*cells, strict=True)


def arrow_for(path: Path) -> Any:
    """Import pyarrow, or say how to get it."""
    with needing(f"{path}: Parquet needs pyarrow", "parquet"):
        import pyarrow
        import pyarrow.parquet
    check_not_packed(path, "Parquet is", ".parquet")
    return pyarrow


@contextmanager
def _readable(path: Path, arrow: Any) -> Iterator[None]:
    try:
        yield
    except arrow.ArrowException as error:
        raise _damaged(path, error) from None
    except OSError as error:
        # pyarrow tells a page that is cut off by an OSError without a number.
        if error.errno is not None:
            raise
        raise _damaged(path, error) from None


def _damaged(path: Path, error: Exception) -> InputError:
    reason = " ".join(str(error).split())[:120]
    return InputError(f"{path}:1: not a Parquet file, or a damaged one ({reason}); make or get it again")


def _record(row: tuple[Any, ...], number: int, path: Path, columns: Columns, options: CorpusOptions) -> Record:
    where = f"{path}:{number}"
    text = row[columns.text]
    if not isinstance(text, str):
        raise InputError(f"{where}: {options.text_column!r} is {type_word(text)}; write the text as a string")
    return Record(
        line=number,
        id=None if columns.id is None else id_of(row[columns.id], where),
        document=text,
        labels=_labels(row, columns, options, where),
        split=None if columns.split is None else split_of(row[columns.split], where),
        field=None if columns.field is None else field_of(row[columns.field], options.field_column or "", where),
    )


def _labels(row: tuple[Any, ...], columns: Columns, options: CorpusOptions, where: str) -> list[str] | None:
    if columns.path:
        return labels_of_path([_level(row[position], where) for position in columns.path], options, where)
    return None if columns.labels is None else _labels_of_value(row[columns.labels], options, where)


def _labels_of_value(value: Any, options: CorpusOptions, where: str) -> list[str] | None:
    """Read a list of labels, a string of several, or a single number."""
    if value is None:
        return None
    if isinstance(value, str):
        return labels_of_cell(value, options, where)
    return [label_of(label, where) for label in (value if isinstance(value, list) else [value])]


def _level(value: Any, where: str) -> str:
    if value is None or isinstance(value, str) or is_integer(value):
        return "" if value is None else str(value)
    raise InputError(f"{where}: a level of the path is {type_word(value)}; write strings or integers")


def n_rows(path: Path) -> int:
    """Give the number of rows of a Parquet file, which its end tells."""
    arrow = arrow_for(path)
    with _readable(path, arrow), arrow.parquet.ParquetFile(path) as file:
        return int(file.metadata.num_rows)


def write_parquet(corpus: Corpus, path: Path, options: CorpusOptions) -> None:
    """Write one row per document: id, text, labels as a list (or path columns), split."""
    arrow_for(path)
    with replacing(path) as temporary:
        write_rows(records_of(corpus), temporary, options)


def write_rows(records: Iterator[Record], path: Path, options: CorpusOptions) -> None:
    """Write documents into a Parquet file that nobody reads yet."""
    arrow = arrow_for(path)
    schema = _schema(arrow, options)
    rows = (dict(zip(schema.names, cells, strict=True)) for cells in _cells(records, options))
    with arrow.parquet.ParquetWriter(path, schema) as writer:
        while some := list(islice(rows, ROWS_AT_A_TIME)):
            writer.write_table(arrow.Table.from_pylist(some, schema))


def _schema(arrow: Any, options: CorpusOptions) -> Any:
    """Say what the columns hold: strings, and a list of them where labels stand in one column."""
    schema = arrow.schema([(name, arrow.string()) for name in header_of(options)])
    if options.path_columns:
        return schema
    return schema.set(2, arrow.field(schema.names[2], arrow.list_(arrow.string())))


def _cells(records: Iterator[Record], options: CorpusOptions) -> Iterator[list[Any]]:
    """Yield the cells of each document."""
    cells = LabelCells(options)
    for record in records:
        labels = cells.of(record) if options.path_columns else [record.labels]
        yield [record.id, text_of(record), *labels, record.split]
