"""`classmark predict`."""

from typing import Annotated

import typer

from classmark.cli import console, options


def predict(
    model: options.Model,
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="Documents; - reads JSONL or plain lines from the input.")
    ],
    output: Annotated[str | None, typer.Option("--output", "-o", help="Write here instead of printing.")] = None,
    split: options.Split = None,
    leaves: Annotated[bool, typer.Option("--leaves", help="The most specific labels alone.")] = False,
    scores: Annotated[bool, typer.Option("--scores", help="The labels' scores too.")] = False,
    top: Annotated[int | None, typer.Option(min=1, help="The so many best categories, whatever the decision.")] = None,
    kind: options.Kind = None,
    text_column: options.TextColumn = "text",
    label_column: options.LabelColumn = None,
    path_columns: options.PathColumns = None,
    id_column: options.IdColumn = "id",
    split_column: options.SplitColumn = "split",
    label_separator: options.LabelSeparator = ",",
    path_separator: options.PathSeparator = None,
    unknown_labels: options.UnknownLabels = "drop",
) -> None:
    """Classify documents; one JSON object a line: id, labels (ancestors included), scores on request."""
    corpus_options = options.corpus_options(locals())
    from classmark import service
    from classmark.pipeline import TextClassifier

    loaded = TextClassifier.load(model)
    with console.progress(printing=output is None):
        documents = service.documents_for(loaded, data, corpus_options, options.split_names(split))
        answers = service.predict(loaded, documents, leaves=leaves, scores=scores, top=top)
        service.write_predictions(answers, output, data, model)
