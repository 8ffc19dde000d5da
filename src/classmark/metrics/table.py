"""The measures by name, one line each.

A measure gives its figures of an `Evaluation`: one number, or several by name. `summarise`, `more` and what
`classmark evaluate` prints are made from `MEASURES`; the names of `classmark tune --measure` are those of `CHOSEN_BY`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from classmark.metrics.distance import tree_distance_error
from classmark.metrics.evaluation import Evaluation
from classmark.metrics.first import first_figures
from classmark.metrics.flat import averages, hamming_loss, subset_accuracy
from classmark.metrics.hierarchical import averaged_figures, consistency_rate, micro_figures
from classmark.metrics.lca import lca_figures
from classmark.metrics.ranking import cosine_accuracy, ranking_figures


@dataclass(frozen=True)
class Measure:
    """A measure of an evaluation.

    Parameters
    ----------
    name : str
        What it is called among the figures; figures of the same name are put together.
    figures : callable
        Gives one number, or several by name, of an `Evaluation`.
    usual : bool
        Whether it is in every summary; the others are there where everything is asked for.
    needs : str or None
        What of the evaluation must be there, beside the label sets; where it is missing the measure is left out.
    """

    name: str
    figures: Callable[[Any], Any]
    usual: bool = False
    needs: Literal["first", "ranking", "reliability"] | None = None


MEASURES: list[Measure] = [
    Measure("leaves", lambda found: averages(found.leaf_counts), usual=True),
    Measure("nodes", lambda found: averages(found.node_counts), usual=True),
    Measure("hierarchical", lambda found: micro_figures(found.node_counts), usual=True),
    Measure("first", first_figures, usual=True, needs="first"),
    Measure("hamming_loss", lambda found: hamming_loss(found.closed_true, found.closed_predicted), usual=True),
    Measure("subset_accuracy", lambda found: subset_accuracy(found.closed_true, found.closed_predicted), usual=True),
    Measure("consistency", lambda found: consistency_rate(found.given, found.hierarchy), usual=True),
    Measure("tree_distance", lambda found: tree_distance_error(found.own_true, found.own_predicted, found.hierarchy)),
    Measure("lca", lambda found: lca_figures(found.own_true, found.own_predicted, found.hierarchy)),
    Measure("cosine", lambda found: cosine_accuracy(found.own_true, found.own_predicted)),
    Measure("hierarchical", lambda found: averaged_figures(found.closed_true, found.closed_predicted)),
    Measure("ranking", lambda found: ranking_figures(found.ranking), needs="ranking"),
    Measure("probabilities", lambda found: found.reliability.figures(), needs="reliability"),
]

CHOSEN_BY: dict[str, Callable[[Evaluation], float]] = {
    "first": lambda found: first_figures(found)["accuracy"],
    "first-hf": lambda found: first_figures(found)["hf"],
    "first-mean": lambda found: sum(first_figures(found).values()) / 2,
    "hf": lambda found: micro_figures(found.node_counts)["hf"],
    "micro-f1": lambda found: averages(found.leaf_counts)["micro_f1"],
    "macro-f1": lambda found: averages(found.leaf_counts)["macro_f1"],
    "cosine": lambda found: cosine_accuracy(found.own_true, found.own_predicted),
}
"""What settings can be chosen by: the number, more of which is better, of the best category or of label sets."""


def figures_of(found: Evaluation, *, usual: bool) -> dict[str, Any]:
    """Give the figures of the measures that are in every summary, or of the others."""
    return {
        measure.name: measure.figures(found)
        for measure in MEASURES
        if measure.usual == usual and (measure.needs is None or getattr(found, measure.needs) is not None)
    }


def check_measure(name: str) -> None:
    """Refuse a name that settings cannot be chosen by."""
    if name not in CHOSEN_BY:
        raise ValueError(f"measure {name!r} does not exist; choose one of {', '.join(CHOSEN_BY)}")
