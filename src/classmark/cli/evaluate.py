"""`classmark evaluate`."""

from typing import Annotated

import typer

from classmark.cli import console, options


def evaluate(
    model: options.Model,
    data: options.Data,
    split: options.Split = None,
    kind: options.Kind = None,
    text_column: options.TextColumn = "text",
    label_column: options.LabelColumn = None,
    path_columns: options.PathColumns = None,
    id_column: options.IdColumn = "id",
    split_column: options.SplitColumn = "split",
    label_separator: options.LabelSeparator = ",",
    path_separator: options.PathSeparator = None,
    empty_labels: options.EmptyLabels = "unlabelled",
    unknown_labels: options.UnknownLabels = "error",
    everything: Annotated[bool, typer.Option("--all", help="Every measure there is.")] = False,
    against: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Test the difference from another model.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Compare a model's answers with the labels of documents."""
    corpus_options = options.corpus_options(locals())
    from classmark import service
    from classmark.pipeline import TextClassifier

    loaded = TextClassifier.load(model)
    with console.progress():
        corpus = service.read_for(loaded, data, corpus_options, options.split_names(split))
        result = {} if against is None else service.evaluate_against(loaded, TextClassifier.load(against), corpus)
        if everything:
            result |= service.evaluate_all(loaded, corpus)
        result = result or service.evaluate(loaded, corpus)
    console.print_json(result) if json else console.print_evaluation(result)
