"""Plain threads over ranges.

Kernels compiled by `classmark.compilation` let go of the interpreter's lock, so threads are enough. Whoever adds up the
results does so in the order of the ranges, so that they are the same for any number of threads.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
Runner: TypeAlias = Callable[[Callable[..., T], Sequence[tuple[Any, ...]]], list[T]]


def in_turn(function: Callable[..., T], arguments: Sequence[tuple[Any, ...]]) -> list[T]:
    """Call a function with each tuple of arguments; what `threads` gives for one.

    >>> in_turn(pow, [(2, 3), (3, 2)])
    [8, 9]
    """
    return [function(*each) for each in arguments]


@contextmanager
def threads(count: int) -> Iterator[Runner[Any]]:
    """Give a function that calls another with each tuple of arguments, on so many threads, answers in order.

    >>> with threads(2) as run:
    ...     run(pow, [(2, 3), (3, 2)])
    [8, 9]
    """
    if count == 1:
        yield in_turn
        return
    with ThreadPoolExecutor(count - 1) as pool:

        def run(function: Callable[..., T], arguments: Sequence[tuple[Any, ...]]) -> list[T]:
            # The first is called here: a thread that waits would have to be woken again.
            others = [pool.submit(function, *each) for each in arguments[1:]]
            return [*in_turn(function, arguments[:1]), *(other.result() for other in others)]

        yield run
