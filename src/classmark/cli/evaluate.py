"""`classmark evaluate`."""

from typing import TYPE_CHECKING, Annotated

import typer

from classmark.cli import console, options
from classmark.cli.reading import reads_documents

if TYPE_CHECKING:
    from classmark.data import CorpusOptions


@reads_documents()
def evaluate(
    model: options.Model,
    data: options.Data,
    split: options.Split = None,
    everything: Annotated[bool, typer.Option("--all", help="Every measure there is.")] = False,
    against: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Test the difference from another model.")
    ] = None,
    by_category: Annotated[
        bool, typer.Option("--by-category", help="The figures of each category, and which came instead.")
    ] = False,
    errors: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the documents with a wrong label here, as JSON Lines.")
    ] = None,
    json: options.Json = False,
    *,
    reading: "CorpusOptions",
) -> None:
    """Compare a model's answers with the labels of documents."""
    from classmark import service
    from classmark.pipeline import TextClassifier

    if errors is not None:
        service.check_spared(errors, data, model, against)
    loaded = TextClassifier.load(model)
    other = TextClassifier.load(against) if against is not None else None
    with console.progress():
        corpus = service.read_for(loaded, data, reading, options.split_names(split))
        result = service.evaluate(
            loaded, corpus, everything=everything, against=other, categories=by_category, errors=errors
        )
    console.print_json(result) if json else console.print_evaluation(result)
