"""`classmark predict`."""

from typing import Annotated

import typer

from classmark.cli import console, options
from classmark.cli.console import working
from classmark.cli.groups import takes


@takes(reading=options.answer_options)
def predict(
    model: options.Model,
    data: Annotated[
        str,
        typer.Argument(metavar="DATA", help="Documents; - reads the input: JSON or plain lines, or a --kind."),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="A file in .jsonl, .csv, .tsv or .parquet; FOLDER/ for a file for each shard of DATA.",
        ),
    ] = None,
    split: options.Split = None,
    leaves: Annotated[bool, typer.Option("--leaves", help="The most specific labels alone.")] = False,
    scores: Annotated[bool, typer.Option("--scores", help="The labels' scores too.")] = False,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="The labels' probabilities too, if the model has them.")
    ] = False,
    top: Annotated[int | None, typer.Option(min=1, help="The so many best categories, whatever the decision.")] = None,
    min_precision: Annotated[
        float | None,
        typer.Option(
            "--min-confidence",
            metavar="P",
            help="Labels of which this share are right: back off to the deepest ancestors that are sure.",
        ),
    ] = None,
    cluster: options.Cluster = None,
    *,
    reading: options.Reading,
) -> None:
    """Classify documents; one JSON object a line: id, labels (ancestors included), scores on request."""
    from classmark.service import answering, predictions

    question = answering.Question(
        leaves=leaves, scores=scores, top=top, probabilities=probabilities, min_precision=min_precision
    )
    splits = options.split_names(split)
    with working(cluster, printing=output is None):
        if output is None:
            console.print_lines(answering.predict(model, data, question, splits=splits, options=reading))
        else:
            predictions.write_predictions(model, data, output, question, splits=splits, options=reading)
