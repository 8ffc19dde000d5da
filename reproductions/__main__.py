"""`python -m reproductions`: run the tables of the papers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from classmark.cli import console, main, options
from reproductions.cache import Cache, cache_folder
from reproductions.runner import Paper, listing, run_table
from reproductions.surroundings import Surroundings
from reproductions.tables import find_tables
from reproductions.verdicts import TableResult, worsened
from reproductions.writing import counted, grid, plain, read_result, remarks, write_results

app = typer.Typer(
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command()
def reproduce(
    paper: Annotated[str | None, typer.Argument(metavar="PAPER", help="A paper; without one, list them.")] = None,
    table: Annotated[str | None, typer.Argument(metavar="TABLE", help="One of its tables; all by default.")] = None,
    data: Annotated[Path | None, options.folder("A folder of dataset folders, searched first.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="The part of a table that takes little time.")] = False,
    write: Annotated[
        Path | None, options.folder("Write Markdown and JSON here; fail if a verdict is worse than the one written.")
    ] = None,
    cache: Annotated[Path | None, options.folder("Cache of measured values; the user's own by default.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ignore cached values and measure again.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail if a figure lies above or below.")] = False,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    json: options.Json = False,
) -> None:
    """Run the tables of the papers: reported, ours, the difference and a verdict."""
    surroundings = Surroundings(data, seed=seed, jobs=jobs)
    if paper is None:
        print_papers(listing(surroundings), json)
        return
    if write is not None and not write.is_dir():
        raise FileNotFoundError(f"{write}: no such folder; make it first")
    kept = Cache(cache or cache_folder(), fresh=fresh)
    with console.going_on("what is measured is kept, and the same command goes on from here"), console.progress():
        results = [
            run_table(one, surroundings, kept, quick=quick, name=(paper, name))
            for name, one in find_tables(paper, table).items()
        ]
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode([plain(result) for result in results]), indent=2).decode())
    else:
        for result in results:
            print_result(result)
    worse = [line for result in results for line in (write_and_compare(result, write) if write else ())]
    for line in worse:
        typer.echo(f"worse: {line}", err=True)
    if worse or (strict and any(result.missed for result in results)):
        raise typer.Exit(1)


def write_and_compare(result: TableResult, folder: Path) -> list[str]:
    """Write a result that was run into a folder, and describe the verdicts that are worse than those it replaces."""
    if not result.was_run:
        typer.echo(f"{result.table}: nothing was run, so nothing is written", err=True)
        return []
    before = read_result(folder, result.paper, result.table)
    for file in write_results(result, folder):
        typer.echo(f"wrote {file}", err=True)
    return [] if before is None else worsened(before, result)


def print_papers(papers: Sequence[Paper], json: bool) -> None:
    """Print the papers with their tables, and which of the corpora that these need are installed."""
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(papers), indent=2).decode())
        return
    for paper in papers:
        typer.echo(f"{paper.paper}: {paper.citation.replace('*', '')}")
        for table in paper.tables:
            needs = ", ".join(f"{name} ({'not here' if lacks else 'here'})" for name, lacks in table.corpora.items())
            typer.echo(f"  {table.table}: {table.title}; needs {needs or 'no corpus'}")


def print_result(result: TableResult) -> None:
    """Print a table with its verdicts."""
    typer.echo(f"{result.paper}, {result.table}: {result.title}")
    for part in result.parts:
        typer.echo(f"\n{part.title}")
        header, *rows = grid(result, part)
        console.print_table(header, rows)
        for remark in remarks(result, part):
            typer.echo(f"  {remark}")
    typer.echo("")
    for note in result.notes:
        typer.echo(f"note: {note}")
    typer.echo(f"{result.table}: {counted(result)}")


if __name__ == "__main__":
    main(app)
