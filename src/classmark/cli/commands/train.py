"""`classmark train`."""

from typing import Annotated, Any

import typer

from classmark.cli import console, options
from classmark.cli.console import working
from classmark.cli.figures import print_training
from classmark.cli.groups import takes


@takes(
    search=options.search_options,
    learning=options.learning_options,
    labels=options.label_options,
    reading=options.corpus_options,
)
def train(
    data: options.Data,
    output: options.ModelFile,
    method: options.Method = "linear-svm",
    hierarchy: options.HierarchyFile = None,
    split: options.Split = None,
    holdout: options.Holdout = None,
    resume: options.Resume = False,
    feedback: Annotated[
        str | None,
        options.written(
            "STORE[#PROJECT]", "Learn from what people have said in a store, too; it outweighs old labels."
        ),
    ] = None,
    cluster: options.Cluster = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what memory and time it would take, and write nothing.")
    ] = False,
    *,
    search: dict[str, str],
    learning: dict[str, Any],
    labels: dict[str, Any],
    json: options.Json = False,
    reading: options.Reading,
) -> None:
    """Train a classifier and save it."""
    if estimate:
        _estimate(data, {"method": method, **learning, **labels}, hierarchy, split, json, reading, feedback)
        return
    from classmark.service.recipes import Recipe
    from classmark.service.training import train as train_and_save

    with working(cluster):
        result = train_and_save(
            data,
            output,
            Recipe(method, **learning, **labels).searching(search),
            hierarchy=hierarchy,
            splits=options.split_names(split),
            holdout=holdout,
            resume=resume,
            options=reading,
            feedback=feedback,
        )
    console.show(result, json, print_training)
    if result.interrupted:
        raise typer.Exit(1)


def _estimate(
    data: str,
    recipe: dict[str, Any],
    hierarchy: str | None,
    split: str | None,
    json: bool,
    reading: options.Reading,
    feedback: str | None,
) -> None:
    """Print what training would take; the exit code is 1 where there is not memory enough."""
    from classmark.service.estimating import estimate
    from classmark.service.recipes import Recipe

    with console.progress():
        splits = options.split_names(split)
        found = estimate(data, Recipe(**recipe), hierarchy=hierarchy, splits=splits, options=reading, feedback=feedback)
    console.show(found, json)
    if not found.fits:
        raise typer.Exit(1)
