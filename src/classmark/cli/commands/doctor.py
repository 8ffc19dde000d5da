"""`classmark doctor`."""

from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from classmark.cli import console, options

if TYPE_CHECKING:
    from classmark.service.checkup import Checkup

MARKS = {"ok": "ok", "absent": "–", "warning": "warning", "failed": "FAILED"}


def doctor(
    quick: Annotated[bool, typer.Option("--quick", help="Leave the self-test out.")] = False,
    json: options.Json = False,
) -> None:
    """Check this installation: versions, memory, caches, extras, and a test of five seconds."""
    from classmark.service.checkup import doctor as look

    result = look(test=not quick)
    console.show(result, json, _print)
    if result.failed:
        raise typer.Exit(1)


def _print(result: "Checkup") -> None:
    for part, found in groupby(result.findings, key=lambda finding: finding.part):
        console.echo(part)
        for one in found:
            console.echo(f"  {MARKS[one.state]:<7}  {one.name:<15}  {one.said}")
            if one.remedy is not None:
                console.echo(f"{'':<28}→ {one.remedy}")
        console.echo("")
    counts = {"failed": result.failed, "warning" if result.warnings == 1 else "warnings": result.warnings}
    said = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    console.echo(f"{said or 'all is well'} ({result.seconds:.1f} s)")
