"""`synthetic`: an approach on synthetic data, made anew for every repetition (consistent_global_2006, section 7.1)."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated

from msgspec import Meta

from classmark.labels import encode
from reproductions.experiments.approaches import Approach, Trial, repeat
from reproductions.experiments.base import Experiment
from reproductions.surroundings import Surroundings
from reproductions.synthetic import make_synthetic
from reproductions.verdicts import Measured


class Synthetic(Approach, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The shape of the hierarchy, and whether attributes are inherited."""

    levels: Annotated[int, Meta(ge=1)]
    out_degree: Annotated[int, Meta(ge=1)]
    inherit: bool


def run(conditions: Sequence[Synthetic], surroundings: Surroundings) -> list[Measured]:
    """Measure each condition over all its repetitions."""
    return [repeat(condition, partial(_trial, condition), surroundings) for condition in conditions]


def _trial(condition: Synthetic, seed: int) -> Trial:
    data = make_synthetic(condition.levels, condition.out_degree, inherit=condition.inherit, seed=seed)
    labels, truth = (encode(y, data.hierarchy).indicator for y in (data.y_train, data.y_test))
    return Trial(data.hierarchy, data.X_train, labels, data.X_test, truth)


SYNTHETIC = Experiment(Synthetic, run)
