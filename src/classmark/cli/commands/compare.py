"""`classmark compare`."""

from typing import Annotated

import typer

from classmark.cli import completion, figures, options
from classmark.cli.console import working
from classmark.cli.groups import takes
from classmark.wording import one_of, unknown_name


@takes(reading=options.corpus_options)
def compare(
    data: options.Data,
    methods: Annotated[
        str,
        typer.Option(
            "--methods",
            "-m",
            help="Methods, separated by commas; method+decision for another decision.",
            autocompletion=completion.several_methods,
        ),
    ],
    hierarchy: options.HierarchyFile = None,
    train_split: Annotated[str, typer.Option(help="The splits to train on, separated by commas.")] = "train",
    test_split: Annotated[str, typer.Option(help="The splits to evaluate on.")] = "test",
    holdout: options.Holdout = None,
    setting: options.Setting = None,
    select: options.Select = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    cluster: options.Cluster = None,
    format: Annotated[
        str, typer.Option(help=f"{one_of(figures.COMPARISONS)}.", autocompletion=completion.among(figures.COMPARISONS))
    ] = "markdown",
    *,
    reading: options.Reading,
) -> None:
    """Train and evaluate several methods on the same documents, differences tested against the first."""
    from classmark.service.comparing import compare as compare_methods
    from classmark.service.recipes import Recipe

    if format not in figures.COMPARISONS:
        raise unknown_name("format", format, figures.COMPARISONS)
    shared = Recipe(settings=options.settings_of(setting), selection=select, seed=seed, jobs=jobs)
    with working(cluster):
        rows = compare_methods(
            data,
            methods.split(","),
            shared,
            hierarchy=hierarchy,
            train=options.split_names(train_split) or [],
            test=options.split_names(test_split) or [],
            holdout=holdout,
            options=reading,
        )
    figures.COMPARISONS[format](rows)
