"""`classmark methods`."""

from typing import Annotated

import typer

from classmark.cli import console, options


def methods(
    name: Annotated[str | None, typer.Argument(metavar="METHOD", help="Show this method's settings.")] = None,
    json: options.Json = False,
) -> None:
    """List the methods, or the settings of one."""
    from classmark import service

    listed = service.methods(name)
    if json:
        console.print_json(listed)
        return
    for method in listed:
        typer.echo(f"{method['name']:<12} {method['summary']}")
    if name is not None:
        for setting in listed[0]["settings"]:
            default = "none" if setting["default"] is None else str(setting["default"])
            typer.echo(f"  --set {setting['name'] + '=' + default:<24} {setting['description']}")
