"""Documents that are not held as a list: stored ones, which are read again from their file, and rows of features.

A pass over stored documents reads their file again and holds one document at a time. Ready-made features are rows of a
matrix; a document becomes a dictionary when it is asked for.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, SupportsIndex, TypeAlias, overload

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.errors import InputError
from classmark.persistence import bytes_of

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


WIDEST = np.iinfo(np.int32).max
"""The width of a matrix whose number of columns is not known yet."""


class GrowingMatrix:
    """A matrix that blocks are put below of; arrays that grow in place never hold it twice, as stacking would.

    >>> growing = GrowingMatrix()
    >>> growing.extend(np.array([1.0, 2.0]), np.array([3, 1]), np.array([1, 1]))
    >>> growing.finished().indptr
    array([0, 1, 2], dtype=int32)
    """

    def __init__(self) -> None:
        self._data, self._columns, self._ends = array("d"), array("i"), array("q", [0])

    def extend(
        self, data: npt.NDArray[np.float64], columns: npt.NDArray[np.integer], sizes: npt.NDArray[np.integer]
    ) -> None:
        """Put rows below; `sizes` has the number of entries of each."""
        self._ends.frombytes(bytes_of(len(self._data) + np.cumsum(sizes, dtype=np.int64)))
        self._data.frombytes(bytes_of(data))
        self._columns.frombytes(bytes_of(columns.astype(np.int32, copy=False)))

    def finished(self) -> csr_array:
        """Give the matrix, on the memory that it grew in, `WIDEST` wide."""
        ends = np.asarray(self._ends)
        narrow = ends.astype(np.int32) if len(self._data) < WIDEST else ends
        return csr_array((np.asarray(self._data), np.asarray(self._columns), narrow), shape=(len(ends) - 1, WIDEST))


def _narrowed(weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Give weights in the first type that holds them all exactly."""
    for kind in (np.uint8, np.float32):
        # Counts that are too large for the type come out as others, which is no error here.
        with np.errstate(invalid="ignore", over="ignore"):
            narrow = weights.astype(kind)
        if np.array_equal(narrow, weights):
            return narrow
    return weights


class FeatureRows(Sequence[dict[str, float]]):
    """Documents whose features have numbers for names: a list of dictionaries to whoever asks, and a matrix below.

    Parameters
    ----------
    matrix : csr_array, (n_documents, any)
        One row per document, a feature's number its column; columns rise, and there are no zeros. The weights are kept
        in the least memory that holds them exactly: counts take a byte.

    Examples
    --------
    >>> rows = FeatureRows(csr_array([[0, 0.5, 2.0], [0, 1.0, 0]]))
    >>> rows
    <FeatureRows: 2 documents, 3 features>
    >>> list(rows)
    [{'1': 0.5, '2': 2.0}, {'1': 1.0}]
    >>> rows.take([1]) == [{"1": 1.0}]
    True
    """

    def __init__(self, matrix: csr_array) -> None:
        self.matrix = csr_array((_narrowed(matrix.data), matrix.indices, matrix.indptr), shape=matrix.shape)

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def __repr__(self) -> str:
        return f"<FeatureRows: {len(self):,} documents, {self.matrix.nnz:,} features>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, row: SupportsIndex) -> dict[str, float]: ...
    @overload
    def __getitem__(self, row: slice) -> "FeatureRows": ...
    def __getitem__(self, row: SupportsIndex | slice) -> "dict[str, float] | FeatureRows":
        if isinstance(row, slice):
            return self.take(range(*row.indices(len(self))))
        starts = self.matrix.indptr
        position = range(len(self))[row]
        entries = slice(starts[position], starts[position + 1])
        columns = map(str, self.matrix.indices[entries].tolist())
        return dict(zip(columns, self.matrix.data[entries].astype(np.float64).tolist(), strict=True))

    def __iter__(self) -> Iterator[dict[str, float]]:
        return (self[row] for row in range(len(self)))

    def take(self, rows: Sequence[int]) -> "FeatureRows":
        """Give the documents at some positions, in that order."""
        return FeatureRows(csr_array(self.matrix[np.asarray(rows, dtype=np.intp)]))
