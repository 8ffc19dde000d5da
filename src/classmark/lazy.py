"""Names imported when first used: the one place that imports by name, so that nobody waits for what is not needed."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any


def names_of(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Give a package's `__getattr__`, which imports names from their modules when they are first asked for."""

    def imported(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"classmark.{homes[name]}"), name)

    return imported


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
