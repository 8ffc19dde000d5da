"""The formats that answers are written in, each into a file that appears whole or not at all.

A table has the columns `id` and `labels`, then `scores` and `probabilities` where they were asked for, the numbers of a
document in the order of its labels, and `no_known_terms`, which is `true` or `false`.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from classmark.data.formats.output import write_lines, writing
from classmark.data.formats.parquet import ROWS_AT_A_TIME, arrow_for
from classmark.errors import InputError
from classmark.persistence import replacing
from classmark.wording import meant

Answers: TypeAlias = Iterable[dict[str, Any]]


class Layout(NamedTuple):
    """How a table is laid out: what its columns are, and what stands between the labels in a cell."""

    columns: Sequence[str] = ("id", "labels")
    separator: str = ","


def _write_jsonl(answers: Answers, path: Path, layout: Layout) -> int:
    with writing(path) as file:
        return write_lines(answers, file)


def _write_table(answers: Answers, path: Path, layout: Layout, delimiter: str = ",") -> int:
    join = layout.separator.join
    with writing(path) as file, TextIOWrapper(file, encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\r\n")
        writer.writerow(layout.columns)
        rows = _rows(answers, layout)
        cells = ([_cell(value, join) for value in row] for row in rows)
        return sum(1 for _ in map(writer.writerow, cells))


def _cell(value: Any, join: Callable[[Iterable[str]], str]) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else join(map(str, value))


def _write_parquet(answers: Answers, path: Path, layout: Layout) -> int:
    arrow = arrow_for(path)
    columns, rows = layout.columns, _rows(answers, layout)
    kinds = {"id": arrow.string(), "labels": arrow.list_(arrow.string()), "no_known_terms": arrow.bool_()}
    schema = arrow.schema([(name, kinds.get(name, arrow.list_(arrow.float64()))) for name in columns])
    written = 0
    with replacing(path) as temporary, arrow.parquet.ParquetWriter(temporary, schema) as writer:
        while some := [dict(zip(columns, row, strict=True)) for row in islice(rows, ROWS_AT_A_TIME)]:
            writer.write_table(arrow.Table.from_pylist(some, schema))
            written += len(some)
    return written


Write: TypeAlias = Callable[[Answers, Path, Layout], int]
WRITERS: dict[str, tuple[Write, bool]] = {
    ".jsonl": (_write_jsonl, False),
    ".ndjson": (_write_jsonl, False),
    ".json-lines": (_write_jsonl, False),
    ".csv": (_write_table, True),
    ".tsv": (partial(_write_table, delimiter="\t"), True),
    ".parquet": (_write_parquet, False),
    ".pq": (_write_parquet, False),
}
"""By suffix: what writes the file and counts the answers, and whether several labels then stand in one cell."""


def writer_for(path: Path) -> tuple[Write, bool]:
    """Find by a file's suffix what writes it, and whether several labels stand in one cell."""
    suffix = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()
    if suffix and suffix not in WRITERS:
        raise InputError(
            f"{path}: answers are not written as {suffix}{meant(suffix, WRITERS)}; end the name in one of"
            f" {', '.join(WRITERS)} [.gz]"
        )
    return WRITERS[suffix or ".jsonl"]


def check_names(path: Path, names: Sequence[object], separator: str) -> None:
    """Refuse categories that a cell of several cannot hold."""
    for name in map(str, names):
        if separator in name or name != name.strip():
            raise InputError(
                f"{path}: the category {name!r} has {separator!r} in it or space at an end; choose another label"
                " separator (--label-separator), or write .jsonl or .parquet"
            )


def _rows(answers: Answers, layout: Layout) -> Iterator[list[Any]]:
    """Yield the rows: an id, lists of the same length, and whether the document has no known term."""
    for answer in answers:
        values = {
            "id": str(answer["id"]),
            "labels": [str(label) for label in answer["labels"]],
            "no_known_terms": bool(answer.get("no_known_terms")),
        }
        yield [values[name] if name in values else list(answer[name].values()) for name in layout.columns]
