"""`classmark compare`."""

from typing import TYPE_CHECKING, Annotated

import typer

from classmark.cli import console, options
from classmark.cli.reading import reads_documents

if TYPE_CHECKING:
    from classmark.data import CorpusOptions


@reads_documents()
def compare(
    data: options.Data,
    methods: Annotated[
        str,
        typer.Option("--methods", "-m", help="Methods, separated by commas; method+decision for another decision."),
    ],
    hierarchy: options.HierarchyFile = None,
    train_split: Annotated[str, typer.Option(help="The splits to train on, separated by commas.")] = "train",
    test_split: Annotated[str, typer.Option(help="The splits to evaluate on.")] = "test",
    holdout: options.Holdout = None,
    setting: options.Setting = None,
    select: options.Select = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    format: Annotated[str, typer.Option(help="markdown, csv or json.")] = "markdown",
    *,
    reading: "CorpusOptions",
) -> None:
    """Train and evaluate several methods on the same documents, differences tested against the first."""
    from classmark import service

    if format not in console.COMPARISONS:
        raise ValueError(f"format {format!r} does not exist; choose one of {', '.join(console.COMPARISONS)}")
    recipes = service.named_recipes(methods.split(","), select, seed, jobs, options.settings_of(setting))
    with console.progress():
        rows = service.compare(
            data,
            recipes,
            hierarchy=hierarchy,
            train=options.split_names(train_split) or [],
            test=options.split_names(test_split) or [],
            holdout=holdout,
            seed=seed,
            options=reading,
        )
    console.COMPARISONS[format](rows)
