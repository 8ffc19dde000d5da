"""`classmark train`."""

from typing import Any

import typer

from classmark.cli import console, options
from classmark.cli.figures import print_training
from classmark.cli.groups import takes
from classmark.cli.learning import label_options, learning_options
from classmark.cli.reading import Reading, corpus_options


@takes(learning=learning_options, labels=label_options, reading=corpus_options)
def train(
    data: options.Data,
    output: options.ModelFile,
    method: options.Method = "linear-svm",
    hierarchy: options.HierarchyFile = None,
    split: options.Split = None,
    holdout: options.Holdout = None,
    resume: options.Resume = False,
    *,
    learning: dict[str, Any],
    labels: dict[str, Any],
    json: options.Json = False,
    reading: Reading,
) -> None:
    """Train a classifier and save it."""
    from classmark.service.recipes import Recipe
    from classmark.service.training import train as train_and_save

    with console.progress():
        result = train_and_save(
            data,
            output,
            Recipe(method, **learning, **labels),
            hierarchy=hierarchy,
            splits=options.split_names(split),
            holdout=holdout,
            resume=resume,
            options=reading,
        )
    console.show(result, json, print_training)
    if result.interrupted:
        raise typer.Exit(1)
