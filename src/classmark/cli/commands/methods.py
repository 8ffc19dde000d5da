"""`classmark methods`."""

from typing import TYPE_CHECKING, Annotated

import typer

from classmark.cli import completion, console, options

if TYPE_CHECKING:
    from classmark.service.listing import SettingInfo


def methods(
    name: Annotated[
        str | None,
        typer.Argument(metavar="METHOD", help="Show this method's settings.", autocompletion=completion.methods),
    ] = None,
    json: options.Json = False,
) -> None:
    """List the methods, or the settings of one."""
    from classmark.service import listing

    listed = listing.methods(name, settings=json or name is not None)
    if json:
        console.print_json(listed)
        return
    console.print_aligned([(method.name, method.summary) for method in listed])
    if name is not None:
        console.print_aligned(
            [(f"  --set {_written(one)}", f"{one.description} ({one.allowed})") for one in listed[0].settings]
        )


def _written(setting: "SettingInfo") -> str:
    """Give a setting with its default as the command line takes it."""
    return f"{setting.name}={'none' if setting.default is None else setting.default}"
