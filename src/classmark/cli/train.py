"""`classmark train`."""

from typing import Annotated

import typer

from classmark.cli import console, options


def train(
    data: options.Data,
    output: Annotated[str, typer.Option("--output", "-o", help="The model file to write.")],
    method: Annotated[str, typer.Option("--method", "-m", help="A name from `classmark methods`.")] = "linear-svm",
    hierarchy: Annotated[str | None, typer.Option(help="A file of parent<TAB>child lines.")] = None,
    split: options.Split = None,
    decision: Annotated[
        str | None, typer.Option(help="threshold, tuned or best-path, with settings as threshold,value=0.2.")
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a setting of the method.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="The same seed and input give the same model.")] = 0,
    jobs: Annotated[int | None, typer.Option(help="How many processes learn at a time; -1: one a core.")] = None,
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
    json: options.Json = False,
) -> None:
    """Train a classifier and save it."""
    corpus_options = options.corpus_options(locals())
    from classmark import service

    with console.progress():
        result = service.train(
            data,
            output,
            method=method,
            settings=options.settings_of(setting),
            hierarchy=hierarchy,
            splits=options.split_names(split),
            decision=decision,
            seed=seed,
            jobs=jobs,
            options=corpus_options,
        )
    console.print_json(result) if json else console.print_fields(result)
