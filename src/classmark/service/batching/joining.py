"""A table as it came, byte for byte, with columns added: the lines of the file, and after each row its answer."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Any, TypeAlias

from classmark.service.batching.answers import AnswerFile, RowAnswer, ShownRow, merged
from classmark.service.batching.uploads import Upload

ADDED = ("labels", "own", "paths", "chance", "doubt", "by")
"""What is added of a row: all its categories, the most specific, their paths, their chances, how unsure the answer is,
and whose word it is: the model's, or a person's who has accepted, corrected or rejected it."""
PREFIX = "classmark_"
SEPARATOR, STEP = "|", " > "
"""What stands between categories in a cell, and between the steps of a path."""
LINES_AT_A_TIME = 1000
People: TypeAlias = Callable[[Sequence[ShownRow]], Mapping[int, tuple[str, RowAnswer | None]]]
"""Gives what people have said of some rows, by their numbers: `accepted`, `corrected` or `rejected`, and the labels."""


def joined(upload: Upload, answers: AnswerFile, columns: Iterable[str], people: People) -> Iterator[bytes]:
    """Yield a file whose rows are all answered, with the answers, some lines at a time."""
    names = added_names(set(columns))
    added = _added(upload, answers, names, people)
    line_of_next, cells = next(added, (0, b""))
    pending: list[bytes] = []
    with upload.path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if number == line_of_next:
                pending.append(INSERT[upload.kind](line, cells))
                line_of_next, cells = next(added, (0, b""))
            else:
                pending.append(line)
            if len(pending) >= LINES_AT_A_TIME:
                yield b"".join(pending)
                pending = []
    yield b"".join(pending)


def added_names(there: set[str]) -> list[str]:
    """Give the names of the columns that are added, which no other column has.

    >>> added_names({"text"})[:2], added_names({"text", "classmark_own"})[:2]
    (['classmark_labels', 'classmark_own'], ['classmark_2_labels', 'classmark_2_own'])
    """
    prefixes = (PREFIX if number == 1 else f"{PREFIX}{number}_" for number in range(1, len(there) + 2))
    free = next(prefix for prefix in prefixes if there.isdisjoint(prefix + name for name in ADDED))
    return [free + name for name in ADDED]


def _added(upload: Upload, answers: AnswerFile, names: list[str], people: People) -> Iterator[tuple[int, bytes]]:
    """Yield after which lines something is added, and what: names after the header, answers after rows."""
    if upload.header_line:
        yield upload.header_line, _cells(names, upload.delimiter)
    for some in answers.in_file_order():
        for row, by in merged(some, people(some)):
            values = _values(row, by)
            if upload.kind == "jsonl":
                members = json.dumps(dict(zip(names, values, strict=True)), ensure_ascii=False)
                yield row.line, members[1:-1].encode()
            else:
                yield row.line, _cells([_cell(value) for value in values], upload.delimiter)


def _values(row: ShownRow, by: str) -> list[Any]:
    """Give what is added of a row, in the order of `ADDED`."""
    answer = row.answer
    if answer is None:
        return [None, None, None, None, None, by or None]
    own = answer.own
    chances = [one.chance for one in own if one.chance is not None]
    return [
        list(answer.labels),
        [one.name for one in own],
        [list(one.path) for one in own],
        [round(chance, 4) for chance in chances],
        None if answer.doubt is None else round(answer.doubt, 4),
        by,
    ]


def _cell(value: Any) -> str:
    """Give a value as the cell of a table."""
    if isinstance(value, list):
        return SEPARATOR.join(STEP.join(one) if isinstance(one, list) else str(one) for one in value)
    return "" if value is None else str(value)


def _cells(cells: list[str], delimiter: str | None) -> bytes:
    """Give cells as they follow others in a row."""
    stream = StringIO()
    # What ends a line is quoted in cells, so it must be said, and is taken off again.
    csv.writer(stream, delimiter=delimiter or ",", lineterminator="\r\n").writerow(["", *cells])
    return stream.getvalue().removesuffix("\r\n").encode()


def _after_cells(line: bytes, cells: bytes) -> bytes:
    bare = line.rstrip(b"\r\n")
    return bare + cells + line[len(bare) :]


def _into_object(line: bytes, members: bytes) -> bytes:
    """Put members at the end of the object that a line is."""
    end = line.rindex(b"}")
    before = line[:end].rstrip()
    comma = b"" if before.endswith(b"{") else b", "
    return before + comma + members + line[end:]


INSERT: dict[str, Callable[[bytes, bytes], bytes]] = {
    "csv": _after_cells,
    "tsv": _after_cells,
    "jsonl": _into_object,
}
"""What puts an answer into the last line of a row, by the kind of the file."""
