"""`classmark explain`."""

from typing import TYPE_CHECKING, Annotated

import typer

from classmark.cli import console, options
from classmark.cli.groups import takes
from classmark.errors import InputError

if TYPE_CHECKING:
    from classmark.explain import NodeExplanation
    from classmark.service.explaining import Explained


@takes(reading=options.corpus_options)
def explain(
    model: options.Model,
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="The text; - reads it from the input.")] = None,
    category: Annotated[list[str] | None, typer.Option(help="A category to explain, instead of the answer's.")] = None,
    top: Annotated[int, typer.Option(min=1, help="How many terms to show.")] = 10,
    why_not: Annotated[
        bool, typer.Option("--why-not", help="Set each category against the best one that is not in the answer.")
    ] = False,
    against: Annotated[str | None, typer.Option(metavar="CATEGORY", help="Set each category against this one.")] = None,
    documents: Annotated[
        str | None, typer.Option(metavar="DATA", help="Look up the texts of neighbours there, by their ids.")
    ] = None,
    node: Annotated[
        str | None, typer.Option(metavar="CATEGORY", help="Say what is known of a category, instead of a text.")
    ] = None,
    data: Annotated[str | None, typer.Option(metavar="DATA", help="With --node, show its documents there.")] = None,
    split: options.Split = None,
    html: Annotated[bool, typer.Option("--html", help="Give a whole page, which opens in a browser.")] = False,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write the page to.")
    ] = None,
    json: options.Json = False,
    *,
    reading: options.Reading,
) -> None:
    """Show the terms behind each category of a text; a linear model's shares sum to the score.

    With --node, show what the model knows of one category: its words, its nearest, its documents.
    """
    from classmark.service import explaining

    _check(text, node, data or split, category or why_not or against or documents)
    if output is not None and (json or not html):
        raise InputError(f"{output}: -o writes a page; ask for it with --html, and not for --json")
    if node is not None:
        with console.progress():
            splits = options.split_names(split)
            known = explaining.explain_node(model, node, data, top, splits=splits, options=reading)
        console.show(known, json, lambda one: _show_node(one, html, output, model, data))
        return
    whole = html or json
    asked = explaining.Asked(why_not=against or why_not or whole, along=whole, marked=whole, documents=documents)
    with console.progress():
        explained = explaining.explain(model, text or "", category or None, top, asked, options=reading)
    found = explained.explanations
    console.show(found, json, lambda _: _show(explained, html, output, model, documents))


def _check(text: str | None, node: str | None, of_nodes: object, of_texts: object) -> None:
    """Refuse what does not go together."""
    if text is None and node is None:
        raise InputError("there is nothing to explain: give a 'TEXT', or a category with --node")
    if text is not None and node is not None:
        raise InputError("TEXT and --node are both given; explain a text, or a category")
    if node is None and of_nodes:
        raise InputError("--data and --split go with --node; to look up neighbours use --documents")
    if node is not None and of_texts:
        raise InputError("--category, --why-not, --against and --documents are about a text; leave them out, or --node")


def _show(explained: "Explained", html: bool, output: str | None, *read: str | None) -> None:
    from classmark.explain import to_page, to_text

    if html:
        _give(to_page(explained.explanations, explained.decision), output, *read)
    else:
        console.echo(to_text(explained.explanations, decision=explained.decision))


def _show_node(known: "NodeExplanation", html: bool, output: str | None, *read: str | None) -> None:
    from classmark.explain import node_to_page, node_to_text

    if html:
        _give(node_to_page(known), output, *read)
    else:
        console.echo(node_to_text(known))


def _give(page: str, output: str | None, *read: str | None) -> None:
    """Print a page, or write it to a file that is none of those that were read."""
    from classmark.service import explaining

    if output is None:
        typer.echo(page)
        return
    saved = explaining.write_page(output, page, *read)
    console.echo(f"wrote {saved.page}: open it in a browser")
