"""The measures by name, one line each.

A measure gives its figures of an `Evaluation`: one number, or several by name. `summarise`, `further_figures`, what
`classmark evaluate` prints and the names that `classmark tune --measure` knows are all made from `MEASURES`.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from operator import itemgetter
from typing import Any, Literal

from classmark.metrics.distance import tree_distance_error
from classmark.metrics.evaluation import Evaluation
from classmark.metrics.first import first_figures
from classmark.metrics.flat import averages, hamming_loss, subset_accuracy
from classmark.metrics.hierarchical import HierarchicalScores, averaged_figures, consistency_rate
from classmark.metrics.lca import lca_figures
from classmark.metrics.ranking import cosine_accuracy, ranking_figures
from classmark.wording import unknown_name


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
    choices : mapping of str to callable
        The names that settings can be chosen by, and for each the number, more of which is better, from the figures.
    """

    name: str
    figures: Callable[[Any], Any]
    usual: bool = False
    needs: Literal["first", "ranking", "reliability"] | None = None
    choices: Mapping[str, Callable[[Any], float]] = field(default_factory=dict)


MEASURES: list[Measure] = [
    Measure(
        "leaves",
        lambda found: averages(found.node_counts.at(found.hierarchy.leaves)),
        usual=True,
        choices={"micro-f1": itemgetter("micro_f1"), "macro-f1": itemgetter("macro_f1")},
    ),
    Measure("nodes", lambda found: averages(found.node_counts), usual=True),
    Measure(
        "hierarchical",
        lambda found: asdict(HierarchicalScores.from_counts(found.node_counts.total())),
        usual=True,
        choices={"hf": itemgetter("hf")},
    ),
    Measure(
        "first",
        first_figures,
        usual=True,
        needs="first",
        choices={
            "first": itemgetter("accuracy"),
            "first-hf": itemgetter("hf"),
            "first-mean": lambda figures: (figures["accuracy"] + figures["hf"]) / 2,
        },
    ),
    Measure("hamming_loss", lambda found: hamming_loss(found.closed_true, found.closed_predicted), usual=True),
    Measure("subset_accuracy", lambda found: subset_accuracy(found.closed_true, found.closed_predicted), usual=True),
    Measure("consistency", lambda found: consistency_rate(found.given, found.hierarchy), usual=True),
    Measure("tree_distance", lambda found: tree_distance_error(found.own_true, found.own_predicted, found.hierarchy)),
    Measure("lca", lambda found: lca_figures(found.own_true, found.own_predicted, found.hierarchy)),
    Measure("cosine", lambda found: cosine_accuracy(found.own_true, found.own_predicted), choices={"cosine": float}),
    Measure("hierarchical", lambda found: averaged_figures(found.closed_true, found.closed_predicted)),
    Measure("ranking", lambda found: ranking_figures(found.ranking), needs="ranking"),
    Measure("probabilities", lambda found: found.reliability.figures(), needs="reliability"),
]


def figures_of(found: Evaluation, *, usual: bool) -> dict[str, Any]:
    """Give the figures of the measures that are in every summary, or of the others."""
    return {
        measure.name: measure.figures(found)
        for measure in MEASURES
        if measure.usual == usual and (measure.needs is None or getattr(found, measure.needs) is not None)
    }


def choices() -> dict[str, tuple[Measure, Callable[[Any], float]]]:
    """Give the names that settings can be chosen by, each with its measure and the number among the figures.

    >>> list(choices())
    ['micro-f1', 'macro-f1', 'hf', 'first', 'first-hf', 'first-mean', 'cosine']
    """
    return {name: (measure, number) for measure in MEASURES for name, number in measure.choices.items()}


def check_measure(name: str) -> None:
    """Refuse a name that settings cannot be chosen by."""
    if name not in choices():
        raise unknown_name("measure", name, choices())


def chosen_figure(name: str, found: Evaluation) -> float:
    """Give the number that settings are chosen by, more of which is better.

    >>> from classmark import Hierarchy
    >>> from scipy.sparse import csr_array
    >>> labels = csr_array([[False, True]])
    >>> chosen_figure("hf", Evaluation(labels, labels, Hierarchy.from_paths(["a/x"])))
    1.0
    """
    measure, number = choices()[name]
    return float(number(measure.figures(found)))
