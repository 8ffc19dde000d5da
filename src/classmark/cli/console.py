"""Progress on standard error where it is a terminal, and results on standard output: JSON, fields or plain tables."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import typer

from classmark.service.results import plain
from classmark.wording import visible


@contextmanager
def progress(printing: bool = False) -> Iterator[None]:
    """Show a bar for every tracked loop inside, if standard error is a terminal.

    Where results are printed inside, and to a terminal too, there is no bar: drawing it anew would wipe them out.
    """
    wiped_out = printing and sys.stdout.isatty()
    with _bars() if sys.stderr.isatty() and not wiped_out else nullcontext():
        yield


@contextmanager
def _bars() -> Iterator[None]:
    """Show a bar for every tracked loop inside."""
    from rich.console import Console
    from rich.progress import Progress, TaskID

    from classmark.progress import listening

    with Progress(console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def listen(what: str, done: int, total: int | None) -> None:
            if done == 0 or what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done)

        with listening(listen):
            yield


@contextmanager
def going_on(words: str) -> Iterator[None]:
    """Say of work that is interrupted inside how it goes on."""
    try:
        yield
    except KeyboardInterrupt:
        raise OSError(f"interrupted; {words}") from None


def echo(text: str) -> None:
    """Print lines, codes that a terminal would obey written out: names of categories may hold anything."""
    typer.echo("\n".join(map(visible, text.split("\n"))))


def show(result: Any, json: bool, in_words: Callable[[Any], None] | None = None) -> None:
    """Print a result as JSON or as people read it, by default as names and values."""
    if json:
        print_json(result)
    elif in_words is None:
        print_fields(plain(result))
    else:
        in_words(result)


def print_json(result: Any) -> None:
    """Print a result as JSON."""
    import msgspec

    typer.echo(msgspec.json.format(msgspec.json.encode(plain(result), enc_hook=str), indent=2).decode())


def print_lines(results: Iterable[Any]) -> None:
    """Print results as they come, one JSON object per line."""
    from classmark.data.formats.output import write_lines

    write_lines(map(plain, results), sys.stdout.buffer)


def print_fields(fields: Mapping[str, Any]) -> None:
    """Print names and values, a line each."""
    width = max(map(len, fields))
    for name, value in fields.items():
        echo(f"{name:<{width}}  {in_words(value)}")


def in_words(value: Any) -> str:
    """Give a value as people write it."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {in_words(inner)}" for key, inner in value.items()) or "none"
    return next((words(value) for kind, words in WORDED.items() if isinstance(value, kind)), str(value))


def _float_in_words(value: float) -> str:
    return f"{value:.1f}" if value.is_integer() else f"{value:.4g}"


WORDED: dict[type, Callable[[Any], str]] = {
    type(None): lambda _: "none",
    float: _float_in_words,
    bool: lambda value: "yes" if value else "no",
    int: "{:,}".format,
}
"""How values are written, by their type; a truth value is an integer too, so it comes first."""


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns, the first to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for first, *others in [header, *rows]:
        echo("  ".join([first.ljust(widths[0]), *map(str.rjust, others, widths[1:])]).rstrip())
