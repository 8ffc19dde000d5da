"""`classmark info`."""

from typing import Annotated

import typer

from classmark.cli import console, options


def info(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A model file or a corpus.")],
    tree: Annotated[bool, typer.Option("--tree", help="Draw the hierarchy too.")] = False,
    json: options.Json = False,
) -> None:
    """Describe a model file or a corpus."""
    from classmark import service

    result, hierarchy = service.info(path)
    drawing = str(hierarchy) if tree and hierarchy is not None else None
    if json:
        console.print_json(result | ({"tree": drawing} if drawing else {}))
        return
    console.print_fields(result)
    if drawing:
        typer.echo(f"\n{drawing}")
