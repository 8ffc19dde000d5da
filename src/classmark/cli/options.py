"""Options that several commands share, declared once."""

from collections.abc import Callable, Iterator
from typing import Annotated, Any, TypeAlias

import typer

from classmark import names
from classmark.cli import completion
from classmark.errors import InputError
from classmark.wording import one_of


def written(metavar: str, help: str, *names: str, completed: Callable[..., Any] | None = None) -> Any:
    """Declare an option by what stands for its value in the help, and what completes it."""
    return typer.Option(*names, metavar=metavar, help=help, autocompletion=completed)


def folder(help: str, *names: str) -> Any:
    """Declare an option that names a folder."""
    return written("FOLDER", help, *names)


Data: TypeAlias = Annotated[
    str, typer.Argument(metavar="DATA", help="A file or folder of documents, or the name of a dataset.")
]
Model: TypeAlias = Annotated[str, typer.Argument(metavar="MODEL", help="A model file.")]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ModelFile: TypeAlias = Annotated[str, typer.Option("--output", "-o", help="The model file to write.")]
Method: TypeAlias = Annotated[
    str,
    typer.Option("--method", "-m", help="A name from `classmark methods`.", autocompletion=completion.methods),
]
Names: TypeAlias = Annotated[bool, typer.Option("--names", help="Learn from the categories' names too.")]
HierarchyFile: TypeAlias = Annotated[
    str | None, typer.Option("--hierarchy", help="A file with the categories, such as hierarchy.tsv.")
]
Split: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Splits to use, separated by commas; by default the usual one, or everything."),
]
Select: TypeAlias = Annotated[
    str | None,
    written(
        "CRITERION[,SETTING=VALUE…]",
        f"Keep the best terms: {one_of(names.CRITERIA)}, as in chi-square,share=0.1,globalise=max.",
        completed=completion.among(names.CRITERIA),
    ),
]
Decision: TypeAlias = Annotated[
    str | None,
    written(
        "DECISION[,SETTING=VALUE…]",
        f"{one_of(names.DECISIONS)}, as in threshold,value=0.2.",
        completed=completion.among(names.DECISIONS),
    ),
]
Calibration: TypeAlias = Annotated[
    str | None,
    written(
        "CALIBRATION",
        f"Learn probabilities from held-out documents: {one_of(names.CALIBRATIONS)}.",
        completed=completion.among(names.CALIBRATIONS),
    ),
]
Setting: TypeAlias = Annotated[
    list[str] | None,
    written("NAME=VALUE", "Change a setting of the method.", "--set"),
]
Holdout: TypeAlias = Annotated[
    str | None,
    written("SHARE", "Hold out this share of the training documents, as in 20%, to evaluate on."),
]
Resume: TypeAlias = Annotated[
    bool, typer.Option("--resume", help="Go on from MODEL.checkpoint, which training left that was stopped.")
]
Seed: TypeAlias = Annotated[
    int, typer.Option(min=0, max=2**32 - 1, help="The same seed and input give the same model.")
]


def within_cores(jobs: int | None) -> int | None:
    """Ask for no more processes than there are cores: the result is the same, and more would only get in the way."""
    if jobs is None:
        return None
    from classmark.parallel import n_cores

    return min(jobs, n_cores())


Jobs: TypeAlias = Annotated[
    int | None,
    typer.Option(help="How many processes learn at a time, at most one a core; -1: one a core.", callback=within_cores),
]


Cluster: TypeAlias = Annotated[
    str | None,
    written("ADDRESS", "Work on a Dask cluster: tcp://HOST:PORT, or local:4 for so many workers on this machine."),
]


def split_names(text: str | None) -> list[str] | None:
    """Read a list of splits."""
    return None if text is None else [name.strip() for name in text.split(",")]


def column_names(text: str | None) -> tuple[str, ...]:
    """Read a list of columns."""
    return tuple(split_names(text) or ())


def settings_of(pairs: list[str] | None) -> dict[str, str]:
    """Read the values of `--set`.

    >>> settings_of(["k=5"])
    {'k': '5'}
    """
    return dict(_pairs(pairs, "--set", "name=value"))


def values_of(pairs: list[str] | None) -> dict[str, list[str]]:
    """Read the values to try, `name=value,value`.

    >>> values_of(["k=5,10"])
    {'k': ['5', '10']}
    """
    return {name: values.split(",") for name, values in _pairs(pairs, "--try", "name=value,value")}


def _pairs(given: list[str] | None, option: str, form: str) -> Iterator[tuple[str, str]]:
    """Split names and values; raise ValueError if a name is given twice."""
    names = set[str]()
    for pair in given or []:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise InputError(f"{option} {pair}: write it as {form}")
        if name in names:
            raise InputError(f"{option} {pair}: {name} is given twice; give it once")
        names.add(name)
        yield name, value
