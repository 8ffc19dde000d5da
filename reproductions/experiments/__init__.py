"""The kinds of experiments: how a condition becomes measured values.

An experiment says what its conditions hold (`parameters`, which also check them), which parameter may have several
values for the price of the greatest (`varying`), and how to `run`. A new kind is a file and an entry here.
"""

from reproductions.experiments.base import Experiment, Parameters
from reproductions.experiments.dataless import DATALESS
from reproductions.experiments.few_labels import FEW_LABELS
from reproductions.experiments.learning import METHOD
from reproductions.experiments.resplit import RESPLIT
from reproductions.experiments.rounds import ROUNDS
from reproductions.experiments.synthetic import SYNTHETIC
from reproductions.experiments.validation import VALIDATION

EXPERIMENTS: dict[str, Experiment] = {
    "method": METHOD,
    "rounds": ROUNDS,
    "few-labels": FEW_LABELS,
    "dataless": DATALESS,
    "synthetic": SYNTHETIC,
    "resplit": RESPLIT,
    "validation": VALIDATION,
}

__all__ = ["EXPERIMENTS", "Experiment", "Parameters"]
