"""`classmark tune`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from classmark import names
from classmark.cli import completion, console, options
from classmark.cli.console import working
from classmark.cli.groups import takes
from classmark.wording import one_of

if TYPE_CHECKING:
    from classmark.service.tuning import Search


def search_options(
    values: Annotated[
        list[str] | None,
        options.written("NAME=VALUE,VALUE…", "The values of a setting to try; others stay.", "--try"),
    ] = None,
    search: Annotated[
        str, typer.Option(help=f"{one_of(names.SEARCHES)}.", autocompletion=completion.among(names.SEARCHES))
    ] = "coordinates",
    measure: Annotated[
        str,
        typer.Option(
            help=f"What to choose by: {one_of(names.MEASURES)}.", autocompletion=completion.among(names.MEASURES)
        ),
    ] = "hf",
    validation: Annotated[
        int | None, typer.Option(min=1, help="How many documents to validate on; by default a tenth, at most 3,000.")
    ] = None,
    trials: Annotated[
        str | None, typer.Option(help="The file of all trials, taken up if it is there; by default beside the model.")
    ] = None,
    plot: Annotated[str | None, typer.Option(help="Draw the trials into this image file.")] = None,
) -> "Search":
    """Say what to look for, and how."""
    from classmark.service.tuning import Search

    tried = options.values_of(values)
    return Search(values=tried, search=search, measure=measure, validation=validation, trials=trials, plot=plot)


@takes(searching=search_options, learning=options.learning_options, reading=options.corpus_options)
def tune(
    data: options.Data,
    output: options.ModelFile,
    method: options.Method,
    *,
    searching: "Search",
    hierarchy: options.HierarchyFile = None,
    split: options.Split = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Refuse to begin: trials that are there are taken up in any case.")
    ] = False,
    cluster: options.Cluster = None,
    learning: dict[str, Any],
    names: options.Names = False,
    json: options.Json = False,
    reading: options.Reading,
) -> None:
    """Find settings on a part of the training documents, then train with the best."""
    from classmark.service.recipes import Recipe
    from classmark.service.results import plain
    from classmark.service.tuning import tune_and_train

    with working(cluster):
        result = tune_and_train(
            data,
            output,
            Recipe(method, **learning, names=names),
            searching,
            hierarchy=hierarchy,
            splits=options.split_names(split),
            resume=resume,
            options=reading,
        )
    fields = plain(result)
    table = fields.pop("table")
    console.show(fields, json)
    if not json:
        typer.echo(f"\n{table}")
