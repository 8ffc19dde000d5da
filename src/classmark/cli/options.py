"""Options that several commands share, declared once."""

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

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


def search_options(
    budget: Annotated[
        str | None,
        written("TIME", "With -m auto: how long searching and learning may take, as in 90s, 10m, 2h or none."),
    ] = None,
    measure: Annotated[
        str | None, typer.Option(help=f"With -m auto: what to choose by, {one_of(names.MEASURES)}.", metavar="MEASURE")
    ] = None,
    methods: Annotated[
        str | None, written("METHOD,METHOD…", "With -m auto: the methods to choose among, in place of all.")
    ] = None,
    without: Annotated[str | None, written("METHOD,METHOD…", "With -m auto: methods to leave out.")] = None,
) -> dict[str, str]:
    """Give the settings of a search that were given."""
    return {name: value for name, value in locals().items() if value is not None}


def learning_options(
    select: Select = None,
    decision: Decision = None,
    calibration: Annotated[
        str | None,
        written(
            "CALIBRATION",
            f"Learn probabilities from held-out documents: {one_of(names.CALIBRATIONS)}.",
            completed=completion.among(names.CALIBRATIONS),
        ),
    ] = None,
    setting: Setting = None,
    seed: Seed = 0,
    jobs: Jobs = None,
) -> dict[str, Any]:
    """Give the parts of a recipe that every method has."""
    return {
        "selection": select,
        "decision": decision,
        "calibration": calibration,
        "settings": settings_of(setting),
        "seed": seed,
        "jobs": jobs,
    }


def label_options(
    label_rate: Annotated[
        float | None,
        typer.Option(help="Keep the labels of this share of the documents, drawn by the seed; for experiments."),
    ] = None,
    names: Names = False,
    weak: Annotated[
        str | None,
        written("FILE", "Learn without labels, from documents like these descriptions of categories: node<TAB>words."),
    ] = None,
    encoder: Annotated[
        str | None,
        written(
            "NAME[:FOLDER]",
            f"What compares documents with categories: {one_of(names.ENCODERS)};"
            " without --weak, by the categories' names.",
            completed=completion.among(names.ENCODERS),
        ),
    ] = None,
    min_similarity: Annotated[
        float | None, typer.Option(help="Leave documents less similar than this without a weak label.")
    ] = None,
    similarities: Annotated[
        str | None,
        written("FILE", "Learn without labels, from similarities found elsewhere: document<TAB>node<TAB>similarity."),
    ] = None,
) -> dict[str, Any]:
    """Give the parts of a recipe that say what is learned from beside labels, or in place of them."""
    return dict(locals())


if TYPE_CHECKING:
    from classmark.data import CorpusOptions

    Reading: TypeAlias = CorpusOptions
else:
    Reading = Any
    """What commands get of these options; its class is not imported before a command runs."""


TABS = {"tab": "\t", "\\t": "\t"}
"""How a tab is written where it cannot be typed."""


def corpus_options(
    kind: Annotated[
        str | None, typer.Option(metavar="KIND", help="The format, such as lshtc, where the suffix does not tell it.")
    ] = None,
    text_column: Annotated[str, typer.Option(help="The column or key that holds the text.")] = "text",
    label_column: Annotated[str | None, typer.Option(help="That of the labels.  [default: labels or label]")] = None,
    path_columns: Annotated[
        str | None, typer.Option(help="Columns of a table that hold a path, a level each, separated by commas.")
    ] = None,
    id_column: Annotated[str | None, typer.Option(help="That of the id.  [default: id]")] = None,
    split_column: Annotated[str | None, typer.Option(help="That of the split.  [default: split]")] = None,
    label_separator: Annotated[str, typer.Option(help="What stands between several labels in a CSV cell.")] = ",",
    path_separator: Annotated[str | None, typer.Option(help="What stands between the parts of a label path.")] = None,
    empty_labels: Annotated[
        str,
        typer.Option(
            help=f"What an empty CSV cell means: {one_of(names.EMPTY_LABELS)}.",
            autocompletion=completion.among(names.EMPTY_LABELS),
        ),
    ] = "unlabelled",
    unknown_labels: Annotated[
        str,
        typer.Option(
            help=f"What to do with a label the hierarchy lacks: {one_of(names.ON_UNKNOWN)}.",
            autocompletion=completion.among(names.ON_UNKNOWN),
        ),
    ] = "error",
    delimiter: Annotated[
        str | None, typer.Option(help="What stands between the cells of a CSV file, such as ';' or tab.")
    ] = None,
    max_line: Annotated[int, typer.Option(metavar="MIB", help="The longest line, in MiB.")] = 64,
    language: Annotated[
        str, typer.Option(help="Of the names of categories, where a thesaurus or vocabulary has several.")
    ] = "en",
) -> Reading:
    """Make the options of reading out of those of the command line; its parameters are their declaration."""
    from classmark.data import CorpusOptions

    given: dict[str, Any] = locals()
    values = {name: given[name] for name in inspect.signature(corpus_options).parameters}
    values |= {"on_unknown": values.pop("unknown_labels"), "path_columns": column_names(path_columns)}
    values["delimiter"] = TABS.get(delimiter or "", delimiter)
    try:
        return CorpusOptions(**values)
    except ValueError as error:
        # The one option that Python calls by another name.
        raise InputError(str(error).replace("on_unknown", "--unknown-labels")) from None


answer_options = partial(corpus_options, unknown_labels="drop")
"""The same where the labels of documents are not asked for."""
