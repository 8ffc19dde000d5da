"""Progress on standard error where it is a terminal, and results on standard output: JSON, fields or plain tables."""

import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any

import typer

from classmark.cli.bars import bars, lines
from classmark.service.results import plain
from classmark.wording import listed, visible


@contextmanager
def progress(printing: bool = False) -> Iterator[None]:
    """Show how far every tracked loop inside is: bars if standard error is a terminal, otherwise a line a minute.

    Where results are printed inside, and to a terminal too, there is neither: drawing bars anew would wipe them out.
    """
    if printing and sys.stdout.isatty():
        yield
        return
    with bars() if sys.stderr.isatty() else lines():
        yield


@contextmanager
def working(cluster_address: str | None, *, printing: bool = False) -> Iterator[None]:
    """Show the progress of the work inside, and run it on a Dask cluster if `cluster_address` is given."""
    with ExitStack() as opened:
        opened.enter_context(progress(printing=printing))
        if cluster_address is not None:
            from classmark.parallel.cluster.connecting import cluster

            opened.enter_context(cluster(cluster_address))
        yield


@contextmanager
def going_on(words: str) -> Iterator[None]:
    """Raise an error that says how interrupted work continues."""
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
    """Print names, with spaces for underscores, and values, a line each."""
    width = max(map(len, fields))
    for name, value in fields.items():
        echo(f"{name.replace('_', ' '):<{width}}  {in_words(value)}")


def in_words(value: Any) -> str:
    """Format a value for people."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {in_words(inner)}" for key, inner in value.items()) or "none"
    return next((words(value) for kind, words in WORDED.items() if isinstance(value, kind)), str(value))


WORDED: dict[type, Callable[[Any], str]] = {
    type(None): lambda _: "none",
    list: lambda value: listed(value) or "none",
    float: lambda value: f"{value:.1f}" if value.is_integer() else f"{value:.4g}",
    bool: lambda value: "yes" if value else "no",
    int: "{:,}".format,
}
"""Formats of values by their type; bool comes before int, of which it is a subclass."""


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: Container[int] = (0,)) -> None:
    """Print columns, the first to the left, or those that are named, and the others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for row in [header, *rows]:
        cells = enumerate(zip(row, widths, strict=True))
        echo(
            "  ".join(
                cell.ljust(width) if place in left else cell.rjust(width) for place, (cell, width) in cells
            ).rstrip()
        )


def print_aligned(rows: Sequence[tuple[str, str]]) -> None:
    """Print what there is and what it is, the latter all below each other, and in a terminal within its width."""
    columns = get_terminal_size().columns if sys.stdout.isatty() else None
    for line in aligned(rows, columns):
        echo(line)


def aligned(rows: Sequence[tuple[str, str]], columns: int | None = None) -> Iterator[str]:
    r"""Give the lines of two columns; with a width, the second goes on below itself, and below a first that is long.

    >>> print(*aligned([("owl", "A bird that hoots."), ("kingfisher", "A bird.")], 20), sep="\n")
    owl         A bird
                that
                hoots.
    kingfisher  A bird.
    """
    width = max(len(left) for left, _ in rows)
    if columns is None:
        yield from (f"{left:<{width}}  {right}" for left, right in rows)
        return
    width = max((len(left) for left, _ in rows if len(left) <= columns // 2), default=columns // 2)
    for left, right in rows:
        lines = wrap(right, columns - width - 2, break_long_words=False, break_on_hyphens=False) or [""]
        if len(left) > width:
            yield left
            left = ""
        for line in lines:
            yield f"{left:<{width}}  {line}".rstrip()
            left = ""
