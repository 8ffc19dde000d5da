"""`classmark reproduce`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classmark.cli import console, options

if TYPE_CHECKING:
    from classmark.reproductions import TableResult

MISSES = ("above", "below")


def reproduce(
    paper: Annotated[str | None, typer.Argument(metavar="PAPER", help="A paper; without one, list them.")] = None,
    table: Annotated[str | None, typer.Argument(metavar="TABLE", help="One of its tables; all by default.")] = None,
    data: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="A folder of dataset folders, looked in first.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="The part of a table that takes little time.")] = False,
    write: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write Markdown and JSON into this folder.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where measured values are kept; the user's own by default.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what was kept.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail if a figure lies above or below.")] = False,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    json: options.Json = False,
) -> None:
    """Run the tables of the papers: reported, ours, the difference and a verdict."""
    from classmark import reproductions

    surroundings = reproductions.Surroundings(data, seed=seed, jobs=jobs)
    if paper is None:
        _list(reproductions.listing(surroundings), json)
        return
    if write is not None and not write.is_dir():
        raise FileNotFoundError(f"{write}: no such folder; make it first")
    tables = reproductions.find_tables(paper, table)
    kept = reproductions.Cache(cache or reproductions.cache_folder(), fresh=fresh)
    results = []
    try:
        with console.progress():
            for name, one in tables.items():
                results.append(reproductions.run_table(one, surroundings, kept, quick=quick, name=(paper, name)))
    except KeyboardInterrupt:
        raise OSError("interrupted; what is measured is kept, and the same command goes on from here") from None
    if json:
        console.print_json([reproductions.plain(result) for result in results])
    for result in results:
        if not json:
            _print(result)
        if write is not None:
            _write(result, write)
    if strict and any(result.counts[verdict] for result in results for verdict in MISSES):
        raise typer.Exit(1)


def _list(listed: list[dict[str, Any]], json: bool) -> None:
    if json:
        console.print_json(listed)
        return
    for paper in listed:
        typer.echo(f"{paper['paper']}: {paper['citation'].replace('*', '')}")
        for table in paper["tables"]:
            needs = ", ".join(f"{name} ({'not here' if lacks else 'here'})" for name, lacks in table["corpora"].items())
            typer.echo(f"  {table['table']}: {table['title']}; needs {needs or 'no corpus'}")


def _write(result: "TableResult", folder: Path) -> None:
    """Write results, unless there are none: those of an earlier run are worth more."""
    from classmark import reproductions

    if not result.was_run:
        typer.echo(f"{result.table}: nothing was run, so nothing is written", err=True)
        return
    for file in reproductions.write_results(result, folder):
        typer.echo(f"wrote {file}", err=True)


def _print(result: "TableResult") -> None:
    from classmark import reproductions

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
