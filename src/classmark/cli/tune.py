"""`classmark tune`."""

from typing import TYPE_CHECKING, Annotated

import typer

from classmark.cli import console, options
from classmark.cli.reading import reads_documents

if TYPE_CHECKING:
    from classmark.data import CorpusOptions


@reads_documents()
def tune(
    data: options.Data,
    output: Annotated[str, typer.Option("--output", "-o", help="The model file to write.")],
    method: Annotated[str, typer.Option("--method", "-m", help="A name from `classmark methods`.")],
    values: Annotated[
        list[str] | None,
        typer.Option("--try", metavar="NAME=VALUE,VALUE…", help="The values of a setting to try; others stay."),
    ] = None,
    search: Annotated[str, typer.Option(help="coordinates or halving.")] = "coordinates",
    measure: Annotated[
        str, typer.Option(help="What to choose by: first, first-hf, first-mean, hf, micro-f1, macro-f1 or cosine.")
    ] = "hf",
    validation: Annotated[
        int | None, typer.Option(min=1, help="How many documents to validate on; by default a tenth, at most 3,000.")
    ] = None,
    trials: Annotated[
        str | None, typer.Option(help="The file of all trials, taken up if it is there; by default beside the model.")
    ] = None,
    plot: Annotated[str | None, typer.Option(help="Draw the trials into this image file.")] = None,
    hierarchy: options.HierarchyFile = None,
    split: options.Split = None,
    select: options.Select = None,
    decision: options.Decision = None,
    calibration: options.Calibration = None,
    setting: options.Setting = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    names: Annotated[bool, typer.Option("--names", help="Learn from the categories' names too.")] = False,
    json: options.Json = False,
    *,
    reading: "CorpusOptions",
) -> None:
    """Find settings on a part of the training documents, then train with the best."""
    from classmark import service

    with console.progress():
        result = service.tune_and_train(
            data,
            output,
            service.Recipe(
                method, options.settings_of(setting), select, decision, seed, jobs, calibration=calibration, names=names
            ),
            values=values_of(values),
            search=search,
            measure=measure,
            validation=validation,
            trials=trials,
            plot=plot,
            hierarchy=hierarchy,
            splits=options.split_names(split),
            options=reading,
        )
    table = result.pop("table")
    if json:
        console.print_json(result)
        return
    console.print_fields(result)
    typer.echo(f"\n{table}")


def values_of(given: list[str] | None) -> dict[str, list[str]]:
    """Read the values to try, `name=value,value`.

    >>> values_of(["k=5,10"])
    {'k': ['5', '10']}
    """
    found = {}
    for text in given or []:
        name, equals, values = text.partition("=")
        if not equals or not name:
            raise ValueError(f"--try {text}: write it as name=value,value")
        found[name] = values.split(",")
    return found
