"""Where work is done: the one protocol that algorithms are written against.

There are two kinds of work. *Tasks* are independent of each other: `in_order` does them side by side and gives their
answers in order. *Residents* are parts of a problem that stay where they are made: a question goes to all of them (a
broadcast), and their answers come in the order of the parts (a gather). What is done with answers is done by whoever
asked, in that order, so that no result depends on who worked on what, or on how many there were.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any, Protocol, TypeAlias, TypeVar

from classmark.parallel.jobs import n_processes

T = TypeVar("T")
Call: TypeAlias = tuple[str, tuple[Any, ...]]
Tasks: TypeAlias = Iterable[tuple[Any, ...]]


def nothing_yet(part: int) -> Iterable[Call]:
    """Give no call: parts that remember nothing are whole once they are made."""
    return ()


class Residents(Protocol):
    """Parts of a problem, each made and kept in one place."""

    def ask(self, method: str, *arguments: Any) -> list[Any]:
        """Call a method of every part with the same arguments; give the answers in the order of the parts."""
        ...

    def ask_each(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a method of every part with arguments of its own; give the answers in the order of the parts."""
        ...

    def ask_one(self, part: int, method: str, *arguments: Any) -> Any:
        """Call a method of one part; what changes it must be among what `since` gives from then on."""
        ...


class Place(Protocol):
    """Where work is done."""

    @property
    def n_workers(self) -> int:
        """How many work side by side."""
        ...

    @property
    def n_threads(self) -> int:
        """How many threads each of them has."""
        ...

    def in_order(
        self,
        function: Callable[..., T],
        tasks: Tasks,
        shared: tuple[Any, ...],
        *,
        n_jobs: int | None,
        threads: bool,
        costs: Sequence[float] | None,
    ) -> Iterator[T]:
        """Call a function with what all tasks share and with each task; see `in_order`."""
        ...

    def residents(
        self,
        make: Callable[..., Any],
        parts: Sequence[tuple[Any, ...]],
        shared: tuple[Any, ...] = (),
        since: Callable[[int], Iterable[Call]] = nothing_yet,
        needed: float = 0.0,
    ) -> AbstractContextManager[Residents]:
        """Make parts by `make(*shared, *part)` and keep them inside the block.

        Once it is made, a part is brought to where it should be by the calls that `since` gives for its number, one
        after the other, so that nobody holds a whole part to send it. A part that is lost is made anew, and `since` is
        asked again: all that has changed the part, without the call that is being asked. `needed` is the memory of a
        part in bytes.
        """
        ...

    def kept(self, owner: object, open_parts: Callable[[], AbstractContextManager[T]]) -> T:
        """Give the parts of an owner, opened when first asked for, and kept as long as the place is."""
        ...


class Here:
    """On this machine: tasks in processes or threads as `n_jobs` asks for, residents one after the other.

    >>> with Here(2).residents(list, [("ab",), ("c",)]) as parts:
    ...     parts.ask("count", "a"), parts.ask_one(1, "index", "c")
    ([1, 0], 0)
    """

    def __init__(self, n_workers: int = 1) -> None:
        self.n_workers, self.n_threads = n_workers, 1
        self._keeper = Keeper()

    def in_order(
        self,
        function: Callable[..., T],
        tasks: Tasks,
        shared: tuple[Any, ...] = (),
        *,
        n_jobs: int | None = None,
        threads: bool = False,
        costs: Sequence[float] | None = None,
    ) -> Iterator[T]:
        """Call a function with what all tasks share and with each task; see `in_order`."""
        from joblib import Parallel, delayed

        how = {"prefer": "threads"} if threads else {}
        calls = (delayed(function)(*shared, *task) for task in tasks)
        return iter(Parallel(n_jobs=n_processes(n_jobs), return_as="generator", **how)(calls))

    @contextmanager
    def residents(
        self,
        make: Callable[..., Any],
        parts: Sequence[tuple[Any, ...]],
        shared: tuple[Any, ...] = (),
        since: Callable[[int], Iterable[Call]] = nothing_yet,
        needed: float = 0.0,
    ) -> Iterator[Residents]:
        """Make parts, and keep them inside the block."""
        made = _LocalResidents([make(*shared, *part) for part in parts])
        for part in range(len(parts)):
            for method, arguments in since(part):
                made.ask_one(part, method, *arguments)
        yield made

    def kept(self, owner: object, open_parts: Callable[[], AbstractContextManager[T]]) -> T:
        """Give the parts of an owner, opened when first asked for."""
        return self._keeper.of(owner, open_parts)


class Keeper:
    """Parts that are kept for their owners, until all are closed.

    >>> keeper, owner = Keeper(), object()
    >>> first = keeper.of(owner, lambda: Here().residents(list, [("ab",)]))
    >>> keeper.of(owner, lambda: Here().residents(list, [])) is first
    True
    >>> keeper.close()
    """

    def __init__(self) -> None:
        self._opened = ExitStack()
        # The owner is kept, too: nobody else shall have its identity.
        self._kept: dict[int, tuple[object, Any]] = {}

    def of(self, owner: object, open_parts: Callable[[], AbstractContextManager[T]]) -> T:
        """Give the parts of an owner, opened when first asked for."""
        if id(owner) not in self._kept:
            self._kept[id(owner)] = owner, self._opened.enter_context(open_parts())
        parts: T = self._kept[id(owner)][1]
        return parts

    def close(self) -> None:
        """Let all parts go."""
        self._kept.clear()
        self._opened.close()


class _LocalResidents:
    """Parts in this process."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts

    def ask(self, method: str, *arguments: Any) -> list[Any]:
        return self.ask_each(method, [arguments] * len(self.parts))

    def ask_each(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        return [getattr(part, method)(*given) for part, given in zip(self.parts, arguments, strict=True)]

    def ask_one(self, part: int, method: str, *arguments: Any) -> Any:
        return getattr(self.parts[part], method)(*arguments)


_place: ContextVar[Place | None] = ContextVar("place", default=None)
_scratch: ContextVar[str | None] = ContextVar("scratch", default=None)


def scratch() -> str | None:
    """Give the folder that files of a part belong in, which is emptied with its worker; None for the system's own."""
    return _scratch.get()


@contextmanager
def working_in(folder: str | None) -> Iterator[None]:
    """Let files of parts that are made inside lie in a folder."""
    token = _scratch.set(folder)
    try:
        yield
    finally:
        _scratch.reset(token)


@contextmanager
def at(place: Place) -> Iterator[None]:
    """Let the work inside be done at a place."""
    token = _place.set(place)
    try:
        yield
    finally:
        _place.reset(token)


def elsewhere() -> Place | None:
    """Give the place that work was sent to, None where it is done here.

    >>> elsewhere()
    >>> with at(Here(3)):
    ...     elsewhere().n_workers
    3
    """
    return _place.get()


def in_order(
    function: Callable[..., T],
    tasks: Tasks,
    *,
    shared: tuple[Any, ...] = (),
    n_jobs: int | None = None,
    threads: bool = False,
    costs: Sequence[float] | None = None,
) -> Iterator[T]:
    """Call a function with each task side by side, and give the answers in the order of the tasks.

    Parameters
    ----------
    tasks : iterable of tuples
        The last arguments of each call; an iterator is asked for no more than are done at a time.
    shared : tuple
        The first arguments of all calls, sent to every worker once.
    n_jobs : int, optional
        How many processes there are on this machine; a cluster has as many as it has.
    threads : bool
        Whether threads do on this machine: compiled kernels let go of the interpreter's lock.
    costs : sequence of float, optional
        What each task costs, about: a cluster begins with the largest.

    Examples
    --------
    >>> list(in_order(pow, [(2,), (3,)], shared=(5,)))
    [25, 125]
    """
    place = elsewhere() or Here()
    return place.in_order(function, tasks, shared, n_jobs=n_jobs, threads=threads, costs=costs)
