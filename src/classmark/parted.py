"""A matrix whose rows are in parts on workers, and are never together in one memory.

Each worker has some of the rows in files of its own (`StoredRows`), and reads as many at a time as it works on. Whoever
asks has a `PartedMatrix`, which can do what does not need all rows at once: take some rows, do something with each row
(`mapped`), do something with blocks of rows where they are (`each`, `reduced`), and have some rows sent (`pieces`).
What is done with answers is done in the order of the rows, so that it does not depend on who has which.
"""

import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack

from classmark.arrays import Integers, Positions
from classmark.errors import InputError
from classmark.parallel import Place, Residents, scratch
from classmark.parallel.places import Call

T = TypeVar("T")
Step: TypeAlias = tuple[Callable[..., csr_array], tuple[Any, ...]]

ENTRIES_AT_A_TIME = 1 << 18
"""How many entries of stored rows are read, worked on or sent at a time: three megabytes."""


class StoredRows:
    """Rows of a sparse matrix in two files that nobody else sees, and that go with it.

    >>> rows = StoredRows()
    >>> rows.append(csr_array([[1.0, 0.0], [2.0, 3.0]]))
    >>> rows.append(csr_array([[0.0, 5.0]]))
    >>> len(rows), rows.read(1, 3, 2).toarray().tolist()
    (3, [[2.0, 3.0], [0.0, 5.0]])
    """

    def __init__(self) -> None:
        # Read and written, not mapped: pages of a mapped file count as memory of the process.
        # They have no names, so that nothing is left of them, however the process ends.
        self._data, self._indices = files = [tempfile.TemporaryFile(dir=scratch()) for _ in range(2)]  # noqa: SIM115
        for file in files:
            weakref.finalize(self, file.close)
        self._sizes: list[npt.NDArray[np.int64]] = []
        self._starts: Positions | None = None

    def append(self, rows: csr_array) -> None:
        """Write rows below those that are there."""
        for file, values, kind in ((self._data, rows.data, np.float64), (self._indices, rows.indices, np.int32)):
            file.seek(0, 2)
            file.write(np.ascontiguousarray(values, dtype=kind).data)
        self._sizes.append(np.diff(rows.indptr).astype(np.int64))
        self._starts = None

    @property
    def starts(self) -> Positions:
        """Where the entries of each row begin, and where the last ones end."""
        if self._starts is None:
            self._sizes = [np.concatenate([np.zeros(0, np.int64), *self._sizes])]
            self._starts = np.concatenate([[0], np.cumsum(self._sizes[0])])
        return self._starts

    def __len__(self) -> int:
        return len(self.starts) - 1

    def read(self, start: int, stop: int, n_columns: int) -> csr_array:
        """Read a range of rows."""
        first, last = (int(self.starts[row]) for row in (start, stop))
        data, indices = (
            _read(file, kind, first, last - first)
            for file, kind in ((self._data, np.float64), (self._indices, np.int32))
        )
        indptr = (self.starts[start : stop + 1] - first).astype(np.int32)
        return csr_array((data, indices, indptr), shape=(stop - start, n_columns))


def _read(file: Any, kind: Any, first: int, count: int) -> npt.NDArray[Any]:
    found = np.empty(count, dtype=kind)
    file.seek(first * found.itemsize)
    file.readinto(found.data)
    return found


def ranges_of(starts: Positions, entries: int = ENTRIES_AT_A_TIME) -> Iterator[tuple[int, int]]:
    """Cut rows into ranges of so many entries at most, or of one row.

    >>> list(ranges_of(np.array([0, 2, 3, 9, 10]), 4))
    [(0, 2), (2, 3), (3, 4)]
    """
    start = 0
    while start < len(starts) - 1:
        stop = max(start + 1, int(np.searchsorted(starts, starts[start] + entries, "right")) - 1)
        yield start, stop
        start = stop


def with_columns(X: csr_array, columns: Integers, n_columns: int) -> csr_array:
    """Give columns other numbers, of which those below 0 go; rows are sorted again.

    >>> with_columns(csr_array([[1.0, 2.0, 3.0]]), np.array([1, -1, 0], dtype=np.int32), 2).toarray().tolist()
    [[3.0, 1.0]]
    """
    indices = columns[X.indices]
    kept = indices >= 0
    before = np.concatenate([[0], np.cumsum(kept)])
    parts = X.data[kept], indices[kept], before[X.indptr].astype(X.indptr.dtype)
    matrix = csr_array(parts, shape=(X.shape[0], n_columns))
    matrix.sort_indices()
    return matrix


def columns_of(X: csr_array, columns: npt.NDArray[np.integer[Any]]) -> csr_array:
    """Give some columns, in their order.

    >>> columns_of(csr_array([[1.0, 2.0, 3.0]]), np.array([0, 2])).toarray().tolist()
    [[1.0, 3.0]]
    """
    return csr_array(X[:, columns])


class View(NamedTuple):
    """Some of the stored rows of a part, and what is done with them when they are read."""

    rows: npt.NDArray[np.int64]
    steps: tuple[Step, ...]


class RowsPart:
    """Some rows of a matrix on a worker; a subclass brings them."""

    def __init__(self) -> None:
        self.store = StoredRows()
        self.n_columns = 0
        self._views: dict[int, View] = {}

    def sizes(self) -> npt.NDArray[np.int64]:
        """Give how many entries each stored row has."""
        return np.diff(self.store.starts)

    def see(self, view: int, before: int | None, rows: npt.NDArray[Any] | None, step: Step | None) -> None:
        """Remember some rows of those that another view has, with one more step."""
        seen = View(np.arange(len(self.store)), ()) if before is None else self._views[before]
        chosen = seen.rows if rows is None else seen.rows[rows]
        self._views[view] = View(chosen, seen.steps if step is None else (*seen.steps, step))

    def piece(self, view: int, start: int, stop: int) -> csr_array:
        """Give a range of the rows of a view."""
        seen = self._views[view]
        found = self._stored(seen.rows[start:stop])
        for function, arguments in seen.steps:
            found = function(found, *arguments)
        return found

    def _stored(self, rows: npt.NDArray[np.int64]) -> csr_array:
        """Read rows, which rise."""
        if not len(rows):
            return csr_array((0, self.n_columns))
        first, stop = int(rows[0]), int(rows[-1]) + 1
        if stop - first == len(rows):
            return self.store.read(first, stop, self.n_columns)
        found = []
        for start, end in ranges_of(self.store.starts[first : stop + 1]):
            inside = rows[np.searchsorted(rows, first + start) : np.searchsorted(rows, first + end)]
            if len(inside):
                found.append(self.store.read(first + start, first + end, self.n_columns)[inside - first - start])
        return csr_array(vstack(found, format="csr"))

    def _blocks(self, view: int) -> Iterator[tuple[int, int]]:
        sizes = np.diff(self.store.starts)[self._views[view].rows]
        return ranges_of(np.concatenate([[0], np.cumsum(sizes)]))

    def each(
        self, view: int, function: Callable[..., Any], arguments: tuple[Any, ...], aligned: tuple[Any, ...]
    ) -> list[Any]:
        """Call a function with each block of the rows of a view, and with the rows of others that belong to them."""
        return [
            function(self.piece(view, start, stop), *arguments, *(other[start:stop] for other in aligned))
            for start, stop in self._blocks(view)
        ]

    def reduced(
        self,
        view: int,
        function: Callable[..., Any],
        combine: Callable[[Any, Any], Any],
        arguments: tuple[Any, ...],
        aligned: tuple[Any, ...],
    ) -> list[Any]:
        """Do that and combine the answers; none where there is no row."""
        found = None
        for start, stop in self._blocks(view):
            answer = function(self.piece(view, start, stop), *arguments, *(other[start:stop] for other in aligned))
            found = answer if found is None else combine(found, answer)
        return [] if found is None else [found]


class MatrixParts:
    """The parts of a matrix on their workers, and all that they were told: a part that is lost is told it again."""

    def __init__(
        self,
        place: Place,
        make: Callable[..., RowsPart],
        parts: Sequence[tuple[Any, ...]],
        shared: tuple[Any, ...],
        needed: float = 0.0,
    ) -> None:
        self.place = place
        self._told: list[list[Call]] = [[] for _ in parts]
        self._n_views = 0
        self._opened = ExitStack()
        kept = place.residents(make, parts, shared, self._since, needed)
        self.residents: Residents = self._opened.enter_context(kept)

    def _since(self, part: int) -> list[Call]:
        return list(self._told[part])

    def tell(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a method of every part, which it changes, with arguments of its own."""
        answers = self.residents.ask_each(method, arguments)
        for calls, given in zip(self._told, arguments, strict=True):
            calls.append((method, given))
        return answers

    def new_view(self) -> int:
        """Give a number that no view has."""
        self._n_views += 1
        return self._n_views

    def close(self) -> None:
        """Leave nothing on the workers."""
        self._opened.close()


class PartedMatrix:
    """A matrix in parts on workers; as far as that goes, it behaves as one that is here.

    Parameters
    ----------
    parts : MatrixParts
        Who has the rows.
    held : array of int, (n_parts,)
        How many rows of this matrix each part has.
    entries : array of int, (n_documents,)
        About how many entries each row has, to cut rows into pieces by.
    n_columns : int
        How many columns there are.
    view : int
        The number that the parts know it by.
    """

    def __init__(
        self, parts: MatrixParts, held: npt.NDArray[np.int64], entries: npt.NDArray[Any], n_columns: int, view: int
    ) -> None:
        self._parts, self._held, self._entries, self._view = parts, held, entries, view
        self.shape = int(held.sum()), n_columns
        self._sizes: npt.NDArray[np.int64] | None = None

    @classmethod
    def all_of(cls, parts: MatrixParts, sizes: Sequence[npt.NDArray[np.int64]], n_columns: int) -> "PartedMatrix":
        """Give all rows that the parts have, with the sizes of those of each."""
        view = parts.new_view()
        parts.tell("see", [(view, None, None, None)] * len(sizes))
        held = np.array([len(one) for one in sizes], dtype=np.int64)
        return cls(parts, held, np.concatenate([np.zeros(0, np.int64), *sizes]), n_columns, view)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many entries each row has."""
        if self._sizes is None:
            self._sizes = np.concatenate([np.zeros(0, np.int64), *self.each(_sizes_of)])
        return self._sizes

    @property
    def nnz(self) -> int:
        """How many entries there are."""
        return int(self.sizes.sum())

    @property
    def place(self) -> Place:
        """Where the parts are."""
        return self._parts.place

    def __getitem__(self, rows: npt.NDArray[Any]) -> "PartedMatrix":
        """Give some rows, by truth or by rising positions."""
        rows = np.flatnonzero(rows) if np.asarray(rows).dtype == bool else np.asarray(rows, dtype=np.int64)
        if (np.diff(rows) <= 0).any():
            raise InputError("the rows of a matrix in parts are taken in their order; give positions that rise")
        cuts = np.searchsorted(rows, self._ends())
        inside = [rows[a:b] - first for (a, b), first in zip(pairwise(cuts), self._ends(), strict=False)]
        return self._seen([(self._view, some, None) for some in inside], np.diff(cuts), self._entries[rows])

    def mapped(
        self, function: Callable[..., csr_array], *arguments: Any, n_columns: int | None = None
    ) -> "PartedMatrix":
        """Give what a function makes of rows, each by itself: `function(rows, *arguments)`."""
        step = function, arguments
        told = [(self._view, None, step)] * len(self._held)
        return self._seen(told, self._held, self._entries, self.shape[1] if n_columns is None else n_columns)

    def _seen(
        self,
        told: Sequence[tuple[Any, ...]],
        held: npt.NDArray[np.int64],
        entries: npt.NDArray[Any],
        n_columns: int | None = None,
    ) -> "PartedMatrix":
        view = self._parts.new_view()
        self._parts.tell("see", [(view, *given) for given in told])
        return PartedMatrix(self._parts, held, entries, self.shape[1] if n_columns is None else n_columns, view)

    def _ends(self) -> npt.NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self._held)])

    def _asked(self, method: str, *arguments: Any, aligned: Sequence[Any]) -> Iterator[Any]:
        """Ask every part, with the rows of others that belong to its own; give all answers in order."""
        spans = list(pairwise(self._ends().tolist()))
        given = [(self._view, *arguments, tuple(one[start:stop] for one in aligned)) for start, stop in spans]
        for answers in self._parts.residents.ask_each(method, given):
            yield from answers

    def each(self, function: Callable[..., T], *arguments: Any, aligned: Sequence[Any] = ()) -> list[T]:
        """Call a function with blocks of rows where they are, and with rows of arrays as long; answers in order."""
        return list(self._asked("each", function, arguments, aligned=aligned))

    def reduced(
        self,
        function: Callable[..., T],
        combine: Callable[[T, T], T],
        *arguments: Any,
        aligned: Sequence[Any] = (),
    ) -> T | None:
        """Combine what a function gives for blocks of rows; the order must not matter. None where there is no row."""
        found = list(self._asked("reduced", function, combine, arguments, aligned=aligned))
        return reduce(combine, found) if found else None

    def pieces(self, start: int = 0, stop: int | None = None) -> Iterator[csr_array]:
        """Have a range of rows sent, a piece at a time."""
        stop = self.shape[0] if stop is None else stop
        for part, (first, last) in enumerate(pairwise(self._ends().tolist())):
            low, high = max(start, first), min(stop, last)
            if low >= high:
                continue
            cuts = np.concatenate([[0], np.cumsum(self._entries[low:high])])
            for a, b in ranges_of(cuts):
                yield self._parts.residents.ask_one(part, "piece", self._view, low - first + a, low - first + b)

    def gathered(self) -> csr_array:
        """Have all rows sent, for what needs them together."""
        pieces = list(self.pieces())
        return csr_array(vstack(pieces, format="csr")) if pieces else csr_array(self.shape)

    def close(self) -> None:
        """Leave nothing of the matrix on the workers."""
        self._parts.close()


Rows: TypeAlias = csr_array | PartedMatrix
"""A matrix that is here, or in parts elsewhere."""


def here(X: Any) -> csr_array:
    """Give a matrix whose rows are all here."""
    return X.gathered() if isinstance(X, PartedMatrix) else X


def by_rows(X: Any, function: Callable[..., npt.NDArray[Any]], *arguments: Any) -> npt.NDArray[Any]:
    """Give what a function says of each row, wherever the rows are.

    >>> by_rows(csr_array([[1.0, 0.0], [1.0, 2.0]]), _sizes_of)
    array([1, 2])
    """
    if not isinstance(X, PartedMatrix):
        return function(X, *arguments)
    found = X.each(function, *arguments)
    return np.concatenate(found) if found else function(csr_array(X.shape), *arguments)


def mapped(X: Any, function: Callable[..., csr_array], *arguments: Any, n_columns: int | None = None) -> Any:
    """Give what a function makes of rows, each by itself, wherever they are."""
    if isinstance(X, PartedMatrix):
        return X.mapped(function, *arguments, n_columns=n_columns)
    return function(X, *arguments)


def added(X: Any, function: Callable[..., Any], *arguments: Any, aligned: Sequence[Any] = ()) -> Any:
    """Add up what a function says of blocks of rows, wherever they are; the sums must be exact.

    >>> int(added(csr_array([[1.0, 0.0], [1.0, 2.0]]), lambda rows: rows.nnz))
    3
    """
    found = X.reduced(function, add, *arguments, aligned=aligned) if isinstance(X, PartedMatrix) else None
    if found is not None:
        return found
    rows = csr_array(X.shape) if isinstance(X, PartedMatrix) else X
    return function(rows, *arguments, *aligned)


def sizes_of(X: Any) -> npt.NDArray[np.int64]:
    """Give how many entries each row has."""
    return X.sizes if isinstance(X, PartedMatrix) else _sizes_of(X)


def _sizes_of(rows: csr_array) -> npt.NDArray[np.int64]:
    return np.diff(rows.indptr).astype(np.int64)
