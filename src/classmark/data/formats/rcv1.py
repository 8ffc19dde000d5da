"""RCV1-v2 as it is distributed: token files, a qrels file with the topics, and the hierarchy of topics.

A token file has for each document a line `.I 2286`, a line `.W`, lines of tokens, and a blank line; a qrels file has
lines `CCAT 2286 1`. The files are known by their names: `…tokens_train.dat` is the split `train`,
`…tokens_test_pt0.dat` and its like are the split `test`, the qrels file ends in `topics.qrels`, and the hierarchy in
`topics.hier.orig`; the documents and the qrels may be compressed (`.gz`).
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from classmark.data.formats.records import Record, Room, check_id, read_lines
from classmark.data.options import CorpusOptions
from classmark.hierarchy.formats import Categories, read_categories

SPLITS = {"train": "*tokens_train*.dat", "test": "*tokens_test*.dat"}
QRELS = "*topics.qrels"
HIERARCHY = "*topics.hier.orig"


class Topics(NamedTuple):
    """The topics of a document, and the first line that names it."""

    where: str
    labels: list[str]


def has_tokens(folder: Path) -> bool:
    """Say whether a folder holds token files."""
    return any(_files(folder, pattern) for pattern in SPLITS.values())


def _files(folder: Path, pattern: str) -> list[Path]:
    return sorted([*folder.glob(pattern), *folder.glob(f"{pattern}.gz")])


def categories_of_topics(path: Path) -> Categories | None:
    """Give the hierarchy of topics, if the folder has one."""
    files = _files(path, HIERARCHY)
    return read_categories(files[0]) if files else None


def read_rcv1(path: Path, options: CorpusOptions) -> Iterator[Record]:
    """Yield the documents of a folder; without a qrels file they are not labelled."""
    topics = _read_qrels(_files(path, QRELS), options)
    for split, pattern in SPLITS.items():
        for file in _files(path, pattern):
            for line, name, text in _read_tokens(file, options):
                found = topics.pop(name, None)
                yield Record(line, name, text, found and found.labels, split, file)
    if topics and options.on_unknown == "error":
        name, (where, _) = next(iter(topics.items()))
        raise ValueError(
            f"{where}: no token file has the document {name!r}; add the file that has it,"
            " or drop what is unknown (on_unknown='drop')"
        )


def _read_qrels(files: Iterable[Path], options: CorpusOptions) -> dict[str, Topics]:
    topics: dict[str, Topics] = {}
    for file in files:
        for number, line in read_lines(file, options):
            cells = line.split()
            if not cells:
                continue
            if len(cells) != 3 or cells[2] != "1":
                raise ValueError(f"{file}:{number}: not a line such as 'CCAT 2286 1': {line.strip()!r}")
            label, name, _ = cells
            topics.setdefault(name, Topics(f"{file}:{number}", [])).labels.append(label)
    return topics


def _read_tokens(file: Path, options: CorpusOptions) -> Iterator[tuple[int, str, str]]:
    """Yield the first line, the id and the text of each document."""
    start, name, room = 0, "", Room("document", options)
    lines: list[str] | None = None
    for number, raw in read_lines(file, options):
        line = raw.strip()
        if line.startswith(".I"):
            if start:
                yield start, name, _joined(lines, file, start)
            start, name, lines = number, check_id(line.removeprefix(".I").strip(), f"{file}:{number}"), None
            room.empty()
        elif line == ".W" and start and lines is None:
            lines = []
        elif lines is not None:
            room.take(raw, f"{file}:{number}")
            lines.append(line)
        elif line:
            raise ValueError(f"{file}:{number}: {line[:40]!r} stands before '.I' and '.W'; get the file again")
    if start:
        yield start, name, _joined(lines, file, start)


def _joined(lines: list[str] | None, file: Path, start: int) -> str:
    if lines is None:
        raise ValueError(f"{file}:{start}: the document that begins here has no '.W' and no text; get the file again")
    return "\n".join(lines).strip()
