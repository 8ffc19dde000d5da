"""`classmark train`."""

from typing import Annotated

import typer

from classmark.cli import console, options


def train(
    data: options.Data,
    output: Annotated[str, typer.Option("--output", "-o", help="The model file to write.")],
    method: Annotated[str, typer.Option("--method", "-m", help="A name from `classmark methods`.")] = "linear-svm",
    hierarchy: options.HierarchyFile = None,
    split: options.Split = None,
    select: options.Select = None,
    decision: options.Decision = None,
    setting: options.Setting = None,
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
    json: options.Json = False,
) -> None:
    """Train a classifier and save it."""
    corpus_options = options.corpus_options(locals())
    from classmark import service

    with console.progress():
        recipe = service.Recipe(method, options.settings_of(setting), select, decision, seed, jobs)
        splits = options.split_names(split)
        result = service.train(data, output, recipe, hierarchy=hierarchy, splits=splits, options=corpus_options)
    console.print_json(result) if json else console.print_fields(result)
