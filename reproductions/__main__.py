"""`classmark reproduce`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from classmark.cli import console, options

if TYPE_CHECKING:
    from reproductions import Paper, TableResult
    from classmark.service.reproducing import Reproduced


def reproduce(
    paper: Annotated[str | None, typer.Argument(metavar="PAPER", help="A paper; without one, list them.")] = None,
    table: Annotated[str | None, typer.Argument(metavar="TABLE", help="One of its tables; all by default.")] = None,
    data: Annotated[Path | None, options.folder("A folder of dataset folders, looked in first.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="The part of a table that takes little time.")] = False,
    write: Annotated[Path | None, options.folder("Write Markdown and JSON into this folder.")] = None,
    cache: Annotated[Path | None, options.folder("Where measured values are kept; the user's own by default.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what was kept.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail if a figure lies above or below.")] = False,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    json: options.Json = False,
) -> None:
    """Run the tables of the papers: reported, ours, the difference and a verdict."""
    from classmark.service import reproducing

    if paper is None:
        console.show(reproducing.list_papers(data, jobs=jobs), json, _list)
        return
    with console.going_on("what is measured is kept, and the same command goes on from here"), console.progress():
        tables = reproducing.reproduce(
            paper, table, data=data, quick=quick, write=write, cache=cache, fresh=fresh, seed=seed, jobs=jobs
        )
    results = [one.result for one in tables]
    console.show(results, json, _print_all)
    for one in tables:
        _tell_written(one)
    if strict and any(result.missed for result in results):
        raise typer.Exit(1)


def _list(listed: Sequence["Paper"]) -> None:
    for paper in listed:
        typer.echo(f"{paper.paper}: {paper.citation.replace('*', '')}")
        for table in paper.tables:
            needs = ", ".join(f"{name} ({'not here' if lacks else 'here'})" for name, lacks in table.corpora.items())
            typer.echo(f"  {table.table}: {table.title}; needs {needs or 'no corpus'}")


def _tell_written(table: "Reproduced") -> None:
    if table.written is not None and not table.written:
        typer.echo(f"{table.result.table}: nothing was run, so nothing is written", err=True)
    for file in table.written or ():
        typer.echo(f"wrote {file}", err=True)


def _print_all(results: Sequence["TableResult"]) -> None:
    for result in results:
        _print(result)


def _print(result: "TableResult") -> None:
    import reproductions

    typer.echo(f"{result.paper}, {result.table}: {result.title}")
    for part in result.parts:
        typer.echo(f"\n{part.title}")
        header, *rows = reproductions.grid(result, part)
        console.print_table(header, rows)
        for remark in reproductions.remarks(result, part):
            typer.echo(f"  {remark}")
    typer.echo("")
    for note in result.notes:
        typer.echo(f"note: {note}")
    typer.echo(f"{result.table}: {reproductions.counted(result)}")
