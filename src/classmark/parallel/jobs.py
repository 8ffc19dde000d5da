"""Numbers of threads and processes, ranges of work, and threads over ranges.

Kernels compiled by `classmark.compilation` release the interpreter's lock, so threads are enough. The caller adds up
the results in the order of the ranges, so that they are the same for any number of threads.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from classmark.errors import InputError

MOST_A_CORE = 4
"""More than this would only wait for each other, and a hundred thousand would never be started."""


def n_threads(n_jobs: int | None) -> int:
    """Give the number of threads that `n_jobs` asks for, in joblib's manner: None is 1, -1 all cores, -2 all but one.

    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    if n_jobs == 0:
        raise InputError("n_jobs=0: must be a number of threads, -1 for all cores or -2 for all but one")
    if n_jobs is None:
        return 1
    return min(n_jobs, MOST_A_CORE * n_cores()) if n_jobs > 0 else max(1, n_cores() + 1 + n_jobs)


def n_processes(n_jobs: int | None) -> int | None:
    """Give joblib the number of processes that it is asked for, bounded as that of threads; None and -1 are its own.

    >>> n_processes(None), n_processes(-1), n_processes(2)
    (None, -1, 2)
    """
    return None if n_jobs is None else min(n_jobs, MOST_A_CORE * n_cores())


def n_cores() -> int:
    """Return the number of cores that this process may use: by its affinity, and by the quota of a container.

    >>> n_cores() >= 1
    True
    """
    from joblib import cpu_count

    return int(cpu_count())


Range: TypeAlias = tuple[int, int]


def balanced_ranges(indptr: npt.NDArray[np.integer[Any]], parts: int) -> list[Range]:
    """Cut the rows of a compressed matrix into at most `parts` ranges with about the same number of entries.

    >>> balanced_ranges(np.array([0, 6, 7, 8, 9, 12]), 2)
    [(0, 1), (1, 5)]
    """
    rows = len(indptr) - 1
    aims = indptr[0] + (indptr[-1] - indptr[0]) * np.arange(1, parts) / parts
    cuts = np.unique([0, *np.searchsorted(indptr, aims), rows])
    return [(int(start), int(stop)) for start, stop in pairwise(cuts)]


def even_ranges(items: int, parts: int) -> list[Range]:
    """Cut so many items into at most `parts` ranges of about the same length.

    >>> even_ranges(5, 2)
    [(0, 2), (2, 5)]
    """
    cuts = [items * part // parts for part in range(parts + 1)]
    return [each for each in pairwise(cuts) if each[0] < each[1]]


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
