"""`classmark datasets`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classmark.cli import console, options

if TYPE_CHECKING:
    from classmark.data.sets import Source

app = typer.Typer(rich_markup_mode=None)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of a dataset; see classmark datasets list.")]


@app.callback(invoke_without_command=True)
def datasets(context: typer.Context) -> None:
    """List public corpora, get them, and say where they are."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("list")
def list_datasets(json: options.Json = False) -> None:
    """List the corpora that can be got, and the datasets that are here."""
    from classmark.data.sets import CATALOGUE, installed

    here = installed()
    rows = [_described(name, CATALOGUE.get(name), here.get(name)) for name in {**CATALOGUE, **here}]
    if json:
        console.print_json(rows)
        return
    console.print_table(
        ["name", "documents", "download", "here"],
        [[row["name"], _number(row["documents"]), _size(row), "yes" if row["folder"] else "no"] for row in rows],
    )
    typer.echo("\nterms of use")
    console.print_fields({row["name"]: row["terms"] for row in rows if row["terms"]})


@app.command("path")
def path_of_dataset(name: Name) -> None:
    """Print the folder of a dataset that is here."""
    from classmark.data.sets import find

    typer.echo(find(name))


@app.command("get")
def get_dataset(
    name: Name,
    to: Annotated[Path | None, typer.Option(help="The folder to make the dataset folder in.")] = None,
    given: Annotated[
        Path | None, typer.Option("--from", metavar="FOLDER", help="Use the files in this folder; download nothing.")
    ] = None,
    groups: Annotated[
        Path | None, typer.Option(metavar="FILE", help="For reuters90: its groups, lines of parent<TAB>child.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Make it anew where it is here already.")] = False,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="A web folder with the same files: a mirror.")
    ] = None,
) -> None:
    """Download a corpus, make a dataset folder of it and print the folder; interrupted, it goes on the next time."""
    from classmark.data.sets import CATALOGUE, get

    try:
        with console.progress():
            fetched = get(name, to=to, given=given, groups=groups, force=force, base_url=base_url)
    except KeyboardInterrupt:
        raise OSError("interrupted; the same command goes on from here") from None
    if not fetched.is_new:
        typer.echo(f"{name} is already here; --force gets it again", err=True)
    for file, sha256 in fetched.unverified.items():
        typer.echo(f"{file}: no published checksum: its SHA-256 is {sha256}", err=True)
    typer.echo(f"terms of use: {CATALOGUE[name].terms}", err=True)
    typer.echo(fetched.folder)


def _described(name: str, source: "Source | None", folder: Path | None) -> dict[str, Any]:
    """Give what is known of a dataset, as plain data."""
    return {
        "name": name,
        "title": source.title if source else None,
        "documents": source.documents if source else None,
        "bytes": source.size if source else None,
        "by_hand": source is not None and source.by_hand is not None,
        "terms": source.terms if source else None,
        "notes": source.notes if source else None,
        "folder": str(folder) if folder else None,
    }


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _size(row: dict[str, Any]) -> str:
    """Say how much there is to download, or that it is the user who does it."""
    if row["by_hand"]:
        return "by hand"
    return "" if row["bytes"] is None else f"{row['bytes'] / 1e6:,.0f} MB"


@app.command("make")
def make_dataset(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The dataset folder to make.")],
    kind: Annotated[
        str, typer.Option(metavar="KIND", help="synthetic (Kiritchenko et al.), or lshtc: files as in that challenge.")
    ] = "synthetic",
    levels: Annotated[
        int | None, typer.Option(min=1, help="How deep the tree is.  [default: 2; lshtc: 10]", show_default=False)
    ] = None,
    degree: Annotated[int, typer.Option(min=1, help="How many children a category has.")] = 2,
    inherit: Annotated[bool, typer.Option(help="Whether a category has its ancestors' attributes too.")] = True,
    second_parents: Annotated[float, typer.Option(min=0, max=1, help="The share of nodes with a second parent.")] = 0,
    documents: Annotated[int, typer.Option(min=1, help="lshtc: how many documents to learn from.")] = 24_000,
    test_documents: Annotated[int | None, typer.Option(min=1, help="lshtc: how many to test on.")] = None,
    categories: Annotated[int | None, typer.Option(min=1, help="lshtc: how many leaves the tree has.")] = None,
    terms: Annotated[int | None, typer.Option(min=1, help="lshtc: how many terms there are to draw from.")] = None,
    seed: options.Seed = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace the folder if it is there.")] = False,
) -> None:
    """Make synthetic data: by Kiritchenko et al. (2006), section 7.1, or files as those of the LSHTC challenge."""
    if kind == "lshtc":
        from classmark.data.synthetic_files import write_lshtc

        with console.progress():
            made = write_lshtc(
                target,
                documents,
                n_test=test_documents,
                n_categories=categories,
                n_terms=terms,
                levels=levels or 10,
                seed=seed,
                overwrite=force,
            )
        typer.echo(
            f"{target}: {made.documents:,} documents, {made.test_documents:,} more, {made.categories:,} categories"
        )
        return
    if kind != "synthetic":
        raise ValueError(f"there is no kind {kind!r} of data to make; choose synthetic or lshtc")
    from classmark.data.experiments import synthetic_corpus
    from classmark.data.synthetic import make_synthetic
    from classmark.data.writing import write_corpus

    data = make_synthetic(levels or 2, degree, inherit=inherit, second_parents=second_parents, seed=seed)
    corpus = synthetic_corpus(data)
    write_corpus(corpus, target, overwrite=force)
    typer.echo(f"{target}: {len(corpus):,} documents, {data.hierarchy!r}")
