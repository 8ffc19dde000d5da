"""`classmark info`."""

from typing import Annotated

import typer

from classmark.cli import console, options


def info(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A model file or a corpus.")],
    tree: Annotated[bool, typer.Option("--tree", help="Draw the hierarchy too.")] = False,
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
    """Describe a model file or a corpus."""
    corpus_options = options.corpus_options(locals())
    from classmark import service

    result = service.info(path, corpus_options, tree=tree)
    if json:
        console.print_json(result)
        return
    drawing = result.pop("tree", None)
    console.print_fields(result)
    if drawing is not None:
        typer.echo(f"\n{drawing}")
