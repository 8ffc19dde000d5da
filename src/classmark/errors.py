"""Errors in the input of a user, which may be collected instead of raised, and the error of a missing package.

Readers raise an `InputError` for the first line that is wrong. `classmark check` collects all of them: inside a block
of `collecting`, what is read through `attempt` or `attempts` passes its errors to the collector and continues with the
next line.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeAlias, TypeVar


class InputError(ValueError):
    """Error in what a user passed: a parameter, a file, a document, or a request.

    The message is written for the user, so the server sends it to the client with a 4xx status, the command line
    prints it without a traceback, and a search over methods records it as the reason that a method cannot be fitted.
    Any other `ValueError` is a programming error.

    Examples
    --------
    >>> from classmark import TextClassifier
    >>> try:
    ...     TextClassifier("linear-svm", settings={"C": 0}).fit(["owl"], ["bird"])
    ... except ValueError as error:
    ...     print(type(error).__name__, error)
    InputError method 'linear-svm', setting C=0: must be a number > 0
    """


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


def attempts(make: Callable[..., T | None], calls: Iterable[tuple[Any, ...]]) -> Iterator[T]:
    """Yield the results of a function for tuples of arguments, without None; errors are treated as in `attempt`.

    >>> with collecting(print):
    ...     list(attempts(int, [("1",), ("2",)]))
    [1, 2]
    """
    for arguments in calls:
        made = attempt(make, *arguments)
        if made is not None:
            yield made


@contextmanager
def needing(what: str, extra: str) -> Iterator[None]:
    """Say how to get a package that is imported inside and is not here.

    >>> with needing("owls need mice", "owls"):
    ...     import mice
    Traceback (most recent call last):
    ImportError: owls need mice; pip install 'classmark[owls]'
    """
    try:
        yield
    except ImportError:
        raise ImportError(f"{what}; pip install 'classmark[{extra}]'") from None
