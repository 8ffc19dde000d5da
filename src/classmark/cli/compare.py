"""`classmark compare`."""

from typing import Annotated

import typer

from classmark.cli import console, options


def compare(
    data: options.Data,
    methods: Annotated[
        str,
        typer.Option("--methods", "-m", help="Methods, separated by commas; method+decision for another decision."),
    ],
    hierarchy: options.HierarchyFile = None,
    train_split: Annotated[str, typer.Option(help="The splits to train on, separated by commas.")] = "train",
    test_split: Annotated[str, typer.Option(help="The splits to evaluate on.")] = "test",
    select: options.Select = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
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
    format: Annotated[str, typer.Option(help="markdown, csv or json.")] = "markdown",
) -> None:
    """Train and evaluate several methods on the same documents, differences tested against the first."""
    corpus_options = options.corpus_options(locals())
    from classmark import service

    if format not in console.COMPARISONS:
        raise ValueError(f"format {format!r} does not exist; choose one of {', '.join(console.COMPARISONS)}")
    with console.progress():
        rows = service.compare(
            data,
            [service.named_recipe(name, select, seed, jobs) for name in methods.split(",")],
            hierarchy=hierarchy,
            train=options.split_names(train_split) or [],
            test=options.split_names(test_split) or [],
            options=corpus_options,
        )
    console.COMPARISONS[format](rows)
