"""`classmark train`."""

from typing import TYPE_CHECKING, Annotated

import typer

from classmark.cli import console, options
from classmark.cli.reading import reads_documents

if TYPE_CHECKING:
    from classmark.data import CorpusOptions


@reads_documents()
def train(
    data: options.Data,
    output: Annotated[str, typer.Option("--output", "-o", help="The model file to write.")],
    method: Annotated[str, typer.Option("--method", "-m", help="A name from `classmark methods`.")] = "linear-svm",
    hierarchy: options.HierarchyFile = None,
    split: options.Split = None,
    holdout: options.Holdout = None,
    select: options.Select = None,
    decision: options.Decision = None,
    calibration: options.Calibration = None,
    setting: options.Setting = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    label_rate: Annotated[
        float | None,
        typer.Option(help="Keep the labels of this share of the documents, drawn by the seed; for experiments."),
    ] = None,
    names: Annotated[bool, typer.Option("--names", help="Learn from the categories' names too.")] = False,
    weak: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Learn without labels, from documents like these descriptions of categories: node<TAB>words.",
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME[:FOLDER]",
            help="What compares documents with categories: terms, static or sentence; "
            "without --weak, by the categories' names.",
        ),
    ] = None,
    min_similarity: Annotated[
        float | None, typer.Option(help="Leave documents less similar than this without a weak label.")
    ] = None,
    similarities: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Learn without labels, from similarities found elsewhere: document<TAB>node<TAB>similarity.",
        ),
    ] = None,
    json: options.Json = False,
    *,
    reading: "CorpusOptions",
) -> None:
    """Train a classifier and save it."""
    from classmark import service

    with console.progress():
        recipe = service.Recipe(
            method,
            options.settings_of(setting),
            select,
            decision,
            seed,
            jobs,
            calibration,
            label_rate,
            names,
            weak,
            encoder,
            min_similarity,
            similarities,
        )
        splits = options.split_names(split)
        result = service.train(
            data, output, recipe, hierarchy=hierarchy, splits=splits, holdout=holdout, options=reading
        )
    console.print_json(result) if json else console.print_training(result)
    if "interrupted" in result:
        raise typer.Exit(1)
