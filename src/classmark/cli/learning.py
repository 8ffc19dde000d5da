"""The options of learning, which the commands that make models share."""

from typing import Annotated, Any, TypeAlias

import typer

from classmark import names
from classmark.cli import completion, options
from classmark.wording import one_of

MinSimilarity: TypeAlias = Annotated[
    float | None, typer.Option(help="Leave documents less similar than this without a weak label.")
]
LabelRate: TypeAlias = Annotated[
    float | None,
    typer.Option(help="Keep the labels of this share of the documents, drawn by the seed; for experiments."),
]
Descriptions: TypeAlias = Annotated[
    str | None,
    options.written(
        "FILE", "Learn without labels, from documents like these descriptions of categories: node<TAB>words."
    ),
]
Encoder: TypeAlias = Annotated[
    str | None,
    options.written(
        "NAME[:FOLDER]",
        f"What compares documents with categories: {one_of(names.ENCODERS)}; without --weak, by the categories' names.",
        completed=completion.among(names.ENCODERS),
    ),
]
Similarities: TypeAlias = Annotated[
    str | None,
    options.written(
        "FILE", "Learn without labels, from similarities found elsewhere: document<TAB>node<TAB>similarity."
    ),
]


Budget: TypeAlias = Annotated[
    str | None,
    options.written("TIME", "With -m auto: how long searching and learning may take, as in 90s, 10m, 2h or none."),
]
Measure: TypeAlias = Annotated[
    str | None, typer.Option(help=f"With -m auto: what to choose by, {one_of(names.MEASURES)}.", metavar="MEASURE")
]
Methods: TypeAlias = Annotated[
    str | None, options.written("METHOD,METHOD…", "With -m auto: the methods to choose among, in place of all.")
]
Without: TypeAlias = Annotated[str | None, options.written("METHOD,METHOD…", "With -m auto: methods to leave out.")]


def search_options(
    budget: Budget = None, measure: Measure = None, methods: Methods = None, without: Without = None
) -> dict[str, str]:
    """Give the settings of a search that were given."""
    return {name: value for name, value in locals().items() if value is not None}


def learning_options(
    select: options.Select = None,
    decision: options.Decision = None,
    calibration: options.Calibration = None,
    setting: options.Setting = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
) -> dict[str, Any]:
    """Give the parts of a recipe that every method has."""
    return {
        "selection": select,
        "decision": decision,
        "calibration": calibration,
        "settings": options.settings_of(setting),
        "seed": seed,
        "jobs": jobs,
    }


def label_options(
    label_rate: LabelRate = None,
    names: options.Names = False,
    weak: Descriptions = None,
    encoder: Encoder = None,
    min_similarity: MinSimilarity = None,
    similarities: Similarities = None,
) -> dict[str, Any]:
    """Give the parts of a recipe that say what is learned from beside labels, or in place of them."""
    return dict(locals())
