"""Documents that stay in their file: a pass over them reads it again and holds one at a time."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from classmark.errors import InputError

Document: TypeAlias = str | dict[str, float]
"""Running text, or ready-made features: term → weight."""


def mark_of(document: Document) -> int:
    """Give a number that tells a document from what it was at another reading, in this process alone."""
    return hash(document if isinstance(document, str) else tuple(document.items()))


def gone(file: Path) -> FileNotFoundError:
    """Say that a file is not there for the second reading."""
    return FileNotFoundError(
        f"{file}: has gone since the first reading; put it back, or start again, and let nothing write there"
    )


class InFile(NamedTuple):
    """Documents of one file of several."""

    file: Path
    documents: int
    """How many documents stand in it."""
    rows: list[int]
    """The positions there, which rise, of those that are given."""


class StoredDocuments:
    """Stands in for the list of a corpus's documents: its length is known, its documents are read when asked for.

    Every pass compares each document with what it was at the first reading, so that labels never meet other documents.

    Parameters
    ----------
    source : str
        Where the documents come from, for messages.
    read : function
        Begins a pass over all documents of the source, in the same order each time.
    marks : sequence of int
        The `mark_of` each document of the source.
    rows : sequence of int, optional
        The positions of the documents to give, which rise; by default all of them.
    files : sequence of (Path, int)
        The files of the source in their order, and how many documents stand in each, where that is known.

    Examples
    --------
    >>> texts = ["an owl", "a cod", "a gull"]
    >>> documents = StoredDocuments("three animals", lambda: texts, [mark_of(text) for text in texts])
    >>> documents
    <StoredDocuments: 3 from three animals>
    >>> birds = documents.take([0, 2])
    >>> list(birds)
    ['an owl', 'a gull']
    >>> texts[2] = "a lark"
    >>> list(birds)
    Traceback (most recent call last):
    classmark.errors.InputError: three animals: document 3 has changed since the first reading; start again, and ...
    """

    def __init__(
        self,
        source: str,
        read: Callable[[], Iterable[Document]],
        marks: Sequence[int],
        rows: Sequence[int] | None = None,
        *,
        files: Sequence[tuple[Path, int]] = (),
    ) -> None:
        self.source = source
        self._read = read
        self._marks = marks
        self._rows = range(len(marks)) if rows is None else rows
        self._files = files

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"<StoredDocuments: {len(self)} from {self.source}>"

    def __iter__(self) -> Iterator[Document]:
        documents = iter(self._read())
        before = -1
        for row in self._rows:
            document = next(islice(documents, row - before - 1, None), None)
            if document is None or mark_of(document) != self._marks[row]:
                raise self._changed(row)
            yield document
            before = row
        if before == len(self._marks) - 1:
            for _ in documents:
                raise self._changed(before + 1)

    def __getitem__(self, row: object) -> NoReturn:
        raise TypeError(f"{self.source}: stored documents have no places; iterate over them, or leave stored=True out")

    def take(self, rows: Sequence[int]) -> "StoredDocuments":
        """Give the documents at some positions here, which must rise."""
        if any(after <= row for row, after in pairwise(rows)):
            raise InputError(f"{self.source}: stored documents are read in their order; give rows that rise")
        taken = array("q", [self._rows[row] for row in rows])
        return StoredDocuments(self.source, self._read, self._marks, taken, files=self._files)

    @property
    def marks(self) -> npt.NDArray[np.int64]:
        """The `mark_of` each document, without reading it again."""
        return np.fromiter((self._marks[row] for row in self._rows), np.int64, len(self))

    def in_files(self) -> Iterator[InFile]:
        """Give the documents file by file, where the files are known; one may have none of them."""
        start = 0
        for file, count in self._files:
            inside = self._rows[bisect_left(self._rows, start) : bisect_left(self._rows, start + count)]
            yield InFile(file, count, [row - start for row in inside])
            start += count

    def _changed(self, row: int) -> ValueError:
        return InputError(
            f"{self.source}: document {row + 1} has changed since the first reading;"
            " start again, and let nothing write there"
        )
