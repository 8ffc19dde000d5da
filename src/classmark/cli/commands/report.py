"""`classmark report`."""

from typing import TYPE_CHECKING, Annotated

import typer

from classmark.cli import console, options
from classmark.cli.groups import takes
from classmark.errors import InputError

if TYPE_CHECKING:
    from classmark.service.reporting import Reported

MOST = 3
"""So many names are given at most: two models and the documents."""
SHOWN = 3
"""So many sentences of the summary are printed."""


@takes(reading=options.corpus_options)
def report(
    given: Annotated[
        list[str], typer.Argument(metavar="[MODEL [MODEL]] DATA", help="Documents, after one or two model files.")
    ],
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="The page to write, such as report.html.")
    ] = None,
    split: options.Split = None,
    examples: Annotated[int, typer.Option(min=0, help="How many errors to show.")] = 50,
    quick: Annotated[
        bool, typer.Option("--quick", help="Leave out what learns models: the learning curve, and doubts.")
    ] = False,
    json: options.Json = False,
    *,
    reading: options.Reading,
) -> None:
    """Make a page to look at: a model and its errors, two models, or documents alone."""
    from classmark.service.reporting import report as make_report

    if len(given) > MOST:
        raise InputError(f"{len(given)} names; a report is about DATA, MODEL DATA or MODEL MODEL DATA")
    if output is None and not json:
        raise InputError("there is no page to write; name one (-o report.html), or print the report as data (--json)")
    with console.progress():
        result = make_report(
            *given,
            output=output,
            splits=options.split_names(split),
            options=reading,
            examples=examples,
            quick=quick,
        )
    console.show(result, json, _print)


def _print(result: "Reported") -> None:
    console.echo(result.report.title)
    for sentence in result.report.summary[:SHOWN]:
        console.echo(f"- {sentence}")
    console.echo(f"\nwritten: {result.page} ({(result.bytes or 0) / 1e6:,.1f} MB); open it in a browser")
