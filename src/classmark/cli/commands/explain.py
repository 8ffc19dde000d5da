"""`classmark explain`."""

from typing import Annotated

import typer

from classmark.cli import console, options


def explain(
    model: options.Model,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text; - reads it from the input.")],
    category: Annotated[list[str] | None, typer.Option(help="A category to explain, instead of the answer's.")] = None,
    top: Annotated[int, typer.Option(min=1, help="How many terms to show.")] = 10,
    html: Annotated[bool, typer.Option("--html", help="Print an HTML fragment.")] = False,
    json: options.Json = False,
) -> None:
    """Show the terms behind each category of a text; a linear model's shares sum to the score."""
    from classmark.explain import to_html, to_text
    from classmark.service.explaining import explain as explain_text

    explained = explain_text(model, text, category or None, top)
    if json:
        console.print_json(explained.explanations)
    elif html:
        typer.echo(to_html(explained.explanations))
    else:
        console.echo(to_text(explained.explanations, decision=explained.decision))
