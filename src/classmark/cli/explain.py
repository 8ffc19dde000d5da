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
    from classmark.decision import format_decision
    from classmark.explain import explain as explain_document
    from classmark.explain import to_html, to_json, to_text
    from classmark.pipeline import TextClassifier
    from classmark.service.answering import read_text

    document = read_text() if text == "-" else text
    loaded = TextClassifier.load(model)
    explanations = explain_document(loaded, document, category or None, top)  # type: ignore[arg-type]
    if json:
        console.print_json(to_json(explanations))
    elif html:
        typer.echo(to_html(explanations))
    else:
        console.echo(to_text(explanations, decision=format_decision(loaded.classifier_.decision_)))
