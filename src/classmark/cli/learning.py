"""The options of learning, which the commands that make models share."""

from typing import Annotated, Any, TypeAlias

import typer

from classmark.cli import lists, options

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
        f"What compares documents with categories: {lists.ENCODERS}; without --weak, by the categories' names.",
    ),
]
Similarities: TypeAlias = Annotated[
    str | None,
    options.written(
        "FILE", "Learn without labels, from similarities found elsewhere: document<TAB>node<TAB>similarity."
    ),
]


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
