"""`classmark retrain`."""

from typing import TYPE_CHECKING, Annotated

import typer

from classmark.cli import console, options
from classmark.cli.groups import takes

if TYPE_CHECKING:
    from classmark.service.retraining import Retrained


@takes(reading=options.corpus_options)
def retrain(
    model: options.Model,
    data: options.Data,
    output: options.ModelFile,
    feedback: Annotated[
        str,
        typer.Option(metavar="STORE[#PROJECT]", help="Where people's corrections are kept, as for `serve --store`."),
    ],
    holdout: Annotated[
        str, typer.Option(metavar="SHARE", help="Hold out this share of the documents to measure the gain on.")
    ] = "20%",
    split: options.Split = None,
    json: options.Json = False,
    *,
    reading: options.Reading,
) -> None:
    """Train a model again, as it was made, with people's corrections, and say what that gains."""
    from classmark.service.retraining import retrain as train_again

    with console.progress():
        result = train_again(
            model,
            data,
            output,
            feedback,
            holdout=holdout,
            splits=options.split_names(split),
            options=reading,
            tell=_say,
        )
    console.show(result, json, _print)


def _say(step: str) -> None:
    """Say what begins; what is read says by itself what is wrong with it, in one line."""
    if step != "reading":
        typer.echo(f"step {step}", err=True)


def _print(result: "Retrained") -> None:
    """Print what was gained, as people read it."""
    told = {"model": "the model that there was", "without": "one trained without the corrections"}
    console.print_fields(
        {
            "model": result.model,
            "documents": result.documents,
            "corrections": result.corrections,
            "instead of old labels": result.replaced,
            "compared with": f"{told[result.against]}, on {result.held_out:,} documents held out",
            "seconds": result.seconds,
        }
    )
    rows = [
        [one.name, f"{one.first:.3f}", f"{one.second:.3f}", f"{one.difference:+.3f}", f"{one.p_value:.3f}"]
        for one in result.figures
    ]
    console.print_table(["", "before", "after", "gain", "p"], rows)
