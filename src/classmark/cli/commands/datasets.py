"""`classmark datasets`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from classmark.cli import console, options
from classmark.cli.groups import command_group

if TYPE_CHECKING:
    from classmark.service.datasets import Dataset

app = command_group("List public corpora, get them, and say where they are.")
Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of a dataset; see classmark datasets list.")]


@app.command("list")
def list_datasets(json: options.Json = False) -> None:
    """List the corpora that can be got, and the datasets that are here."""
    from classmark.service import datasets

    console.show(datasets.list_datasets(), json, _print)


@app.command("path")
def path_of_dataset(name: Name) -> None:
    """Print the folder of a dataset that is here."""
    from classmark.service.datasets import dataset_folder

    typer.echo(dataset_folder(name))


@app.command("get")
def get_dataset(
    name: Name,
    to: Annotated[Path | None, typer.Option(help="The folder to make the dataset folder in.")] = None,
    given: Annotated[Path | None, options.folder("Use the files in this folder; download nothing.", "--from")] = None,
    groups: Annotated[
        Path | None, typer.Option(metavar="FILE", help="For reuters90: its groups, lines of parent<TAB>child.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Make it anew where it is here already.")] = False,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="A web folder with the same files: a mirror.")
    ] = None,
) -> None:
    """Download a corpus, make a dataset folder of it and print the folder; interrupted, it goes on the next time."""
    from classmark.service import datasets

    with console.going_on("the same command goes on from here"), console.progress():
        got = datasets.get_dataset(name, to=to, given=given, groups=groups, force=force, base_url=base_url)
    if not got.is_new:
        typer.echo(f"{name} is already here; --force gets it again", err=True)
    for file, sha256 in got.unverified.items():
        typer.echo(f"{file}: no published checksum: its SHA-256 is {sha256}", err=True)
    typer.echo(f"terms of use: {got.terms}", err=True)
    typer.echo(got.folder)


def _print(listed: Sequence["Dataset"]) -> None:
    """Print what there is and whether it is here, and the terms of use."""
    console.print_table(
        ["name", "documents", "download", "here"],
        [
            [
                one.name,
                "" if one.documents is None else f"{one.documents:,}",
                _size(one),
                "yes" if one.folder else "no",
            ]
            for one in listed
        ],
    )
    typer.echo("\nterms of use")
    console.print_fields({one.name: one.terms for one in listed if one.terms})


def _size(one: "Dataset") -> str:
    """Say how much there is to download, or that it is the user who does it."""
    if one.by_hand:
        return "by hand"
    return "" if one.bytes is None else f"{one.bytes / 1e6:,.0f} MB"
