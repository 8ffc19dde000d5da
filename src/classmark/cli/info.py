"""`classmark info`."""

from typing import TYPE_CHECKING, Annotated

import typer

from classmark.cli import console, options
from classmark.cli.reading import reads_documents

if TYPE_CHECKING:
    from classmark.data import CorpusOptions


@reads_documents()
def info(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A model file or a corpus.")],
    tree: Annotated[bool, typer.Option("--tree", help="Draw the hierarchy too.")] = False,
    json: options.Json = False,
    *,
    reading: "CorpusOptions",
) -> None:
    """Describe a model file or a corpus."""
    from classmark import service

    result = service.info(path, reading, tree=tree)
    if json:
        console.print_json(result)
        return
    drawing = result.pop("tree", None)
    console.print_fields(result)
    if drawing is not None:
        console.echo(f"\n{drawing}")
