"""Answers on their way into a file, of the format that its name ends in.

A table has the columns `id` and `labels`, and `scores` and `probabilities` where they were asked for, the numbers of a
document in the order of its labels.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias

from classmark.data import CorpusOptions
from classmark.data.formats.output import write_lines, writing
from classmark.data.formats.parquet import ROWS_AT_A_TIME, arrow_for
from classmark.persistence import check_writable, replacing
from classmark.pipeline import TextClassifier
from classmark.service.answering import Question, classify, documents_for
from classmark.service.corpora import check_spared
from classmark.service.results import plain
from classmark.wording import meant

Answers: TypeAlias = Iterable[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Written:
    """Answers that were written."""

    output: str
    """The file."""
    documents: int
    """How many answers it holds."""


def write_predictions(
    model: str,
    data: str,
    output: str,
    question: Question | None = None,
    *,
    splits: Sequence[str] | None = None,
    options: CorpusOptions | None = None,
) -> Written:
    """Classify documents by a model file, as `predict` does, and write the answers into a file, whole or not at all.

    The suffix of `output` tells its format, and without one it is JSON Lines; several labels in a cell of a table have
    the label separator of the options between them.
    """
    loaded, options = TextClassifier.load(model), options or CorpusOptions()
    answers = classify(loaded, documents_for(loaded, data, options, splits), question or Question())
    names, separator = loaded.hierarchy_.names, options.label_separator
    return write_answers(map(plain, answers), output, data, model, names=names, separator=separator)


def write_answers(
    answers: Answers, output: str, *inputs: str, names: Sequence[object] = (), separator: str = ","
) -> Written:
    """Write answers as plain data into a file, whole or not at all.

    Parameters
    ----------
    answers : iterable of dict
        Nothing is asked of it before the file is known to be one that can be written.
    output : str
        The file; its suffix tells the format, and without one it is JSON Lines.
    *inputs : str
        What the answers are made from, which must not be the file that is written.
    names : sequence
        The categories that there are, so that one that a cell cannot hold is refused before the work.
    separator : str
        What stands between the labels in a cell of a table.
    """
    path = Path(output)
    check_writable(path)
    check_spared(output, *inputs)
    write, in_cells = _writer(path)
    if in_cells:
        _check_names(path, names, separator)
    return Written(output=output, documents=write(answers, path, separator))


def _write_jsonl(answers: Answers, path: Path, separator: str) -> int:
    with writing(path) as file:
        return write_lines(answers, file)


def _write_table(answers: Answers, path: Path, separator: str, delimiter: str = ",") -> int:
    with writing(path) as file, TextIOWrapper(file, encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\r\n")
        columns, rows = _rows(answers)
        writer.writerow(columns)
        cells = ([name, *(separator.join(map(str, values)) for values in lists)] for name, *lists in rows)
        return sum(1 for _ in map(writer.writerow, cells))


def _write_tsv(answers: Answers, path: Path, separator: str) -> int:
    return _write_table(answers, path, separator, "\t")


def _write_parquet(answers: Answers, path: Path, separator: str) -> int:
    arrow = arrow_for(path)
    columns, rows = _rows(answers)
    kinds = [arrow.string(), arrow.list_(arrow.string()), *[arrow.list_(arrow.float64())] * (len(columns) - 2)]
    schema = arrow.schema(list(zip(columns, kinds, strict=True)))
    written = 0
    with replacing(path) as temporary, arrow.parquet.ParquetWriter(temporary, schema) as writer:
        while some := [dict(zip(columns, row, strict=True)) for row in islice(rows, ROWS_AT_A_TIME)]:
            writer.write_table(arrow.Table.from_pylist(some, schema))
            written += len(some)
    return written


Write: TypeAlias = Callable[[Answers, Path, str], int]
WRITERS: dict[str, tuple[Write, bool]] = {
    ".jsonl": (_write_jsonl, False),
    ".ndjson": (_write_jsonl, False),
    ".json-lines": (_write_jsonl, False),
    ".csv": (_write_table, True),
    ".tsv": (_write_tsv, True),
    ".parquet": (_write_parquet, False),
    ".pq": (_write_parquet, False),
}
"""By suffix: what writes the file and counts the answers, and whether several labels then stand in one cell."""


def _writer(path: Path) -> tuple[Write, bool]:
    suffix = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()
    if suffix and suffix not in WRITERS:
        raise ValueError(
            f"{path}: answers are not written as {suffix}{meant(suffix, WRITERS)}; end the name in one of"
            f" {', '.join(WRITERS)} [.gz]"
        )
    return WRITERS[suffix or ".jsonl"]


def _check_names(path: Path, names: Sequence[object], separator: str) -> None:
    for name in map(str, names):
        if separator in name or name != name.strip():
            raise ValueError(
                f"{path}: the category {name!r} has {separator!r} in it or space at an end; choose another label"
                " separator (--label-separator), or write .jsonl or .parquet"
            )


def _rows(answers: Answers) -> tuple[list[str], Iterator[list[Any]]]:
    """Give the columns, as the first answer has them, and the rows: an id and lists of the same length."""
    pending = iter(answers)
    first = list(islice(pending, 1))
    columns = list(first[0]) if first else ["id", "labels"]

    def row(answer: dict[str, Any]) -> list[Any]:
        numbers = [list(answer[column].values()) for column in columns[2:]]
        return [str(answer["id"]), [str(label) for label in answer["labels"]], *numbers]

    return columns, map(row, chain(first, pending))
