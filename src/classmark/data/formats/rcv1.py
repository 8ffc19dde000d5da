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
from classmark.errors import InputError
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
    return bool(_token_files(folder))


def _token_files(folder: Path) -> list[tuple[str, Path]]:
    """List the token files, each with its split."""
    return [(split, file) for split, pattern in SPLITS.items() for file in _files(folder, pattern)]


def _files(folder: Path, pattern: str) -> list[Path]:
    return sorted([*folder.glob(pattern), *folder.glob(f"{pattern}.gz")])


def categories_of_topics(path: Path) -> Categories | None:
    """Give the hierarchy of topics, if the folder has one."""
    files = _files(path, HIERARCHY)
    return read_categories(files[0]) if files else None


def read_rcv1(path: Path, options: CorpusOptions) -> Iterator[Record]:
    """Yield the documents of a folder; without a qrels file they are not labelled."""
    topics = _read_qrels(_files(path, QRELS), options)
    for split, file in _token_files(path):
        for line, name, text in _read_tokens(file, options):
            found = topics.pop(name, None)
            yield Record(line, name, text, found and found.labels, split, file)
    if options.on_unknown == "error":
        _check_none_left(topics)


def _check_none_left(topics: dict[str, Topics]) -> None:
    """Refuse topics of a document that there is not."""
    for name, (where, _) in topics.items():
        raise InputError(
            f"{where}: no token file has the document {name!r}; add the file that has it,"
            " or drop what is unknown (on_unknown='drop')"
        )


def _read_qrels(files: Iterable[Path], options: CorpusOptions) -> dict[str, Topics]:
    topics: dict[str, Topics] = {}
    for file in files:
        for number, line in read_lines(file, options):
            cells = line.split()
            if len(cells) == 3 and cells[2] == "1":
                label, name, _ = cells
                topics.setdefault(name, Topics(f"{file}:{number}", [])).labels.append(label)
            elif cells:
                raise InputError(f"{file}:{number}: not a line such as 'CCAT 2286 1': {line.strip()!r}")
    return topics


class _Tokens:
    """A document that is being read: a line `.W` stands before its tokens."""

    def __init__(self, line: int, name: str, options: CorpusOptions) -> None:
        self.line = line
        self.name = name
        self.lines: list[str] | None = None
        self.room = Room("document", options)

    def take(self, line: str, where: str) -> None:
        """Take up a line of the document."""
        if self.lines is not None:
            self.room.take(line, where)
            self.lines.append(line.strip())
        elif line.strip() == ".W":
            self.lines = []
        else:
            _check_blank(line, where)

    def text(self, file: Path) -> str:
        """Give all tokens."""
        if self.lines is None:
            raise InputError(
                f"{file}:{self.line}: the document that begins here has no '.W' and no text; get the file again"
            )
        return "\n".join(self.lines).strip()


def _read_tokens(file: Path, options: CorpusOptions) -> Iterator[tuple[int, str, str]]:
    """Yield the first line, the id and the text of each document."""
    document: _Tokens | None = None
    for number, line in read_lines(file, options):
        where = f"{file}:{number}"
        if line.strip().startswith(".I"):
            yield from _finished(document, file)
            document = _Tokens(number, check_id(line.strip().removeprefix(".I").strip(), where), options)
        elif document is not None:
            document.take(line, where)
        else:
            _check_blank(line, where)
    yield from _finished(document, file)


def _finished(document: _Tokens | None, file: Path) -> Iterator[tuple[int, str, str]]:
    if document is not None:
        yield document.line, document.name, document.text(file)


def _check_blank(line: str, where: str) -> None:
    """Refuse what stands where no document has begun."""
    if line.strip():
        raise InputError(f"{where}: {line.strip()[:40]!r} stands before '.I' and '.W'; get the file again")
