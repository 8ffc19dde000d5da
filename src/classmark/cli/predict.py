"""`classmark predict`."""

from typing import TYPE_CHECKING, Annotated

import typer

from classmark.cli import console, options
from classmark.cli.reading import reads_documents

if TYPE_CHECKING:
    from classmark.data import CorpusOptions


@reads_documents(unknown_labels="drop")
def predict(
    model: options.Model,
    data: Annotated[
        str,
        typer.Argument(metavar="DATA", help="Documents; - reads the input: JSON or plain lines, or a --kind."),
    ],
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="A file in .jsonl, .csv, .tsv or .parquet.")
    ] = None,
    split: options.Split = None,
    leaves: Annotated[bool, typer.Option("--leaves", help="The most specific labels alone.")] = False,
    scores: Annotated[bool, typer.Option("--scores", help="The labels' scores too.")] = False,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="The labels' probabilities too, if the model has them.")
    ] = False,
    top: Annotated[int | None, typer.Option(min=1, help="The so many best categories, whatever the decision.")] = None,
    *,
    reading: "CorpusOptions",
) -> None:
    """Classify documents; one JSON object a line: id, labels (ancestors included), scores on request."""
    from classmark import service
    from classmark.pipeline import TextClassifier

    loaded = TextClassifier.load(model)
    with console.progress(printing=output is None):
        documents = service.documents_for(loaded, data, reading, options.split_names(split))
        answers = service.predict(loaded, documents, leaves=leaves, scores=scores, top=top, probabilities=probabilities)
        names, separator = loaded.hierarchy_.names, reading.label_separator
        service.write_predictions(answers, output, data, model, names=names, separator=separator)
