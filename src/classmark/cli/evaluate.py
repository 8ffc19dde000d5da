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
    json: options.Json = False,
    *,
    reading: "CorpusOptions",
) -> None:
    """Compare a model's answers with the labels of documents."""
    from classmark import service
    from classmark.pipeline import TextClassifier

    loaded = TextClassifier.load(model)
    with console.progress():
        corpus = service.read_for(loaded, data, reading, options.split_names(split))
        if against is not None:
            other = TextClassifier.load(against)
            result = service.evaluate_against(loaded, other, corpus, everything=everything)
        else:
            result = (service.evaluate_all if everything else service.evaluate)(loaded, corpus)
    console.print_json(result) if json else console.print_evaluation(result)
