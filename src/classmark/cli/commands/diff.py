"""`classmark diff`."""

from typing import Annotated

import typer

from classmark.cli import console, options
from classmark.cli.differences import print_difference
from classmark.cli.groups import takes
from classmark.cli.reading import Reading, corpus_options


@takes(reading=corpus_options)
def diff(
    first: Annotated[str, typer.Argument(metavar="A", help="A model file.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another one, of the same hierarchy.")],
    data: options.Data,
    split: options.Split = None,
    top: Annotated[int, typer.Option(min=0, help="So many categories and documents that change most.")] = 10,
    json: options.Json = False,
    *,
    reading: Reading,
) -> None:
    """Say what changes from one model to another: figures, documents, categories and kinds of error."""
    from classmark.service.diffing import diff as diff_models

    with console.progress():
        result = diff_models(first, second, data, splits=options.split_names(split), options=reading, top=top)
    console.show(result, json, print_difference)
