"""Going on where something is wrong: who wants to see every fault of a file, not the first alone.

Readers refuse what is wrong by raising an `InputError`, and reading ends there. Whoever wants all of them, such as
`classmark check`, collects for the length of a `with` block: inside it, what is read through `attempt` tells the
collector what is wrong, and reading goes on with the next line.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import ParamSpec, TypeAlias, TypeVar

from classmark.errors import InputError

P = ParamSpec("P")
T = TypeVar("T")
Collector: TypeAlias = Callable[[InputError], None]


class _Collecting:
    """Counts what it passes on to a collector."""

    def __init__(self, take: Collector) -> None:
        self.count = 0
        self._take = take

    def take(self, error: InputError) -> None:
        self.count += 1
        self._take(error)


_collecting: ContextVar[_Collecting | None] = ContextVar("collecting", default=None)


@contextmanager
def collecting(take: Collector) -> Iterator[None]:
    """Send every fault inside to the collector, and go on.

    >>> from classmark.checks import read_truth
    >>> with collecting(print):
    ...     attempt(read_truth, "maybe"), attempt(read_truth, "yes")
    'maybe' is neither yes nor no
    (None, True)
    """
    token = _collecting.set(_Collecting(take))
    try:
        yield
    finally:
        _collecting.reset(token)


def attempt(make: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T | None:
    """Give what a function makes of a line or a part of it; a fault is raised, or collected, and None given.

    Where one of the parts was at fault, attempted inside the function, there is nothing whole to give either.
    """
    faults = _collecting.get()
    if faults is None:
        return make(*arguments, **named)
    before = faults.count
    try:
        made = make(*arguments, **named)
    except InputError as error:
        faults.take(error)
        return None
    return made if faults.count == before else None
