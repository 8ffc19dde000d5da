"""`classmark evaluate`."""

from typing import Annotated

import typer

from classmark.cli import console, options
from classmark.cli.console import working
from classmark.cli.figures import print_evaluation
from classmark.cli.groups import takes


@takes(reading=options.corpus_options)
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
    coverage: Annotated[
        bool, typer.Option("--coverage", help="The figures against the share of documents answered, the surest first.")
    ] = False,
    cluster: options.Cluster = None,
    json: options.Json = False,
    *,
    reading: options.Reading,
) -> None:
    """Compare a model's answers with the labels of documents."""
    from classmark.service.judging import evaluate as evaluate_model

    with working(cluster):
        result = evaluate_model(
            model,
            data,
            splits=options.split_names(split),
            options=reading,
            everything=everything,
            against=against,
            categories=by_category,
            errors=errors,
            coverage=coverage,
        )
    console.show(result, json, print_evaluation)
