"""Who wants to hear how far a long loop is.

The library says nothing by itself. Whoever shows progress, such as the command line, listens for the length of a
`with` block, and every loop that passes through `track` inside it is reported, and whatever else `tell` is told. What
takes time and is no loop is said by `notice`, in a line of its own.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Listener: TypeAlias = Callable[[str, int, int | None], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_hearers: list[Callable[[str], None]] = []


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send `(what, done, total)` to the listener for every step of a tracked loop.

    >>> heard = []
    >>> with listening(lambda what, done, total: heard.append((what, done, total))):
    ...     letters = list(track("ab", "spelling", 2))
    >>> heard
    [('spelling', 0, 2), ('spelling', 1, 2), ('spelling', 2, 2)]
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def is_heard() -> bool:
    """Say whether somebody listens."""
    return _listener.get() is not None


def tell(what: str, done: int, total: int | None) -> None:
    """Tell the listener, if there is one, how much is done, where that is not a number of items.

    >>> with listening(print):
    ...     tell("owls.zip", 65536, 100000)
    owls.zip 65536 100000
    """
    listener = _listener.get()
    if listener is not None:
        listener(what, done, total)


def track(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """Pass items through, telling the listener, if there is one, how many are done."""
    listener = _listener.get()
    if listener is None:
        yield from items
        return
    listener(what, 0, total)
    for done, item in enumerate(items, 1):
        yield item
        listener(what, done, total)


def track_several(items: Sequence[T], what: str) -> Iterator[T]:
    """Pass items through as `track` does, unless there is one alone: a bar that is empty or full says nothing.

    >>> with listening(print):
    ...     one, two = list(track_several("a", "letters")), list(track_several("ab", "letters"))
    letters 0 2
    letters 1 2
    letters 2 2
    """
    return track(items, what, len(items)) if len(items) > 1 else iter(items)


@contextmanager
def hearing(hearer: Callable[[str], None]) -> Iterator[None]:
    """Send every line that is noticed to the hearer, once, whichever thread it comes from.

    >>> with hearing(print):
    ...     notice("compiling")
    ...     notice("compiling")
    compiling
    """
    heard: set[str] = set()

    def once(line: str) -> None:
        if line not in heard:
            heard.add(line)
            hearer(line)

    _hearers.append(once)
    try:
        yield
    finally:
        _hearers.remove(once)


def notice(line: str) -> None:
    """Say a line to whoever hears."""
    for hearer in _hearers:
        hearer(line)
