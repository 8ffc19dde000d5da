"""The commands, one file each, which parse and print.

To add a command, write two things: its file here, called as the command is, and the function of `classmark.service`
that it calls. The file has a function of the same name, whose docstring is the help and whose parameters are the
options, or, where there are commands below it, a `typer.Typer` called `app`. The help, and the tests of commands and of
their documentation, find it by its file; what is in `ORDER` comes first in the help.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import iter_modules

import typer

ORDER = (
    *(
        "demo",
        "check",
        "train",
        "retrain",
        "predict",
        "evaluate",
        "compare",
        "diff",
        "report",
        "tune",
        "explain",
        "info",
        "convert",
    ),
    *("methods", "doctor", "serve", "datasets", "index", "store"),
)


def names() -> list[str]:
    """Give the names of the commands, in the order of the help."""
    found = [one.name for one in iter_modules(__path__)]
    return [*(name for name in ORDER if name in found), *(name for name in found if name not in ORDER)]


def commands() -> Iterator[tuple[str, Callable[..., None] | typer.Typer]]:
    """Give the commands by name."""
    for name in names():
        found = import_module(f"{__name__}.{name}")
        yield name, found.app if hasattr(found, "app") else getattr(found, name)
