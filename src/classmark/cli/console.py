"""Progress on standard error where it is a terminal, and plain tables on standard output."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import typer


@contextmanager
def progress(printing: bool = False) -> Iterator[None]:
    """Show a bar for every tracked loop inside, if standard error is a terminal.

    Where results are printed inside, and to a terminal too, there is no bar: drawing it anew would wipe them out.
    """
    if not sys.stderr.isatty() or (printing and sys.stdout.isatty()):
        yield
        return
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


def print_json(value: Any) -> None:
    """Print plain data as JSON."""
    import msgspec

    typer.echo(msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2).decode())


def print_fields(fields: Mapping[str, Any]) -> None:
    """Print names and values, a line each."""
    width = max(map(len, fields))
    for name, value in fields.items():
        typer.echo(f"{name:<{width}}  {in_words(value)}")


def in_words(value: Any) -> str:
    """Give a value as people write it."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {in_words(inner)}" for key, inner in value.items()) or "none"
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns, the first to the left and the others to the right."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        cells = [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        typer.echo("  ".join(cells).rstrip())


def print_evaluation(result: Mapping[str, Any]) -> None:
    """Print what `evaluate` gives, as people read it."""
    typer.echo(f"{result['documents']:,} documents")
    averages = ("micro_f1", "micro_precision", "micro_recall", "macro_f1", "macro_f1_present")
    header = ["", *(name.replace("_", " ") for name in averages)]
    rows = [[part, *(f"{result[part][name]:.3f}" for name in averages)] for part in ("leaves", "nodes")]
    print_table(header, rows)
    hierarchical, first = result["hierarchical"], result["first"]
    typer.echo(
        f"hF {hierarchical['hf']:.3f} (hP {hierarchical['hp']:.3f}, hR {hierarchical['hr']:.3f})\n"
        f"first category right {first['accuracy']:.3f}, its hF {first['hf']:.3f}\n"
        f"Hamming loss {result['hamming_loss']:.4f}, subset accuracy {result['subset_accuracy']:.3f}, "
        f"consistency {result['consistency']:.3f}"
    )
    if "left_out" in result:
        typer.echo(f"left out {result['left_out']:,} documents that are not labelled")
