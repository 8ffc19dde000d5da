"""The measures by name, one line each.

A measure gives its figures of an `Evaluation`: one number, or several by name. `summarise`, `further_figures`, what
`classmark evaluate` prints and the names that `classmark tune --measure` knows are all made from `MEASURES`.

`classmark evaluate --json` prints the dict of `summarise`; `--all` adds that of `further_figures`.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from operator import itemgetter
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.metrics.calibration import Reliability
from classmark.metrics.distance import lca_figures, tree_distance_error
from classmark.metrics.evaluation import Evaluation, first_figures
from classmark.metrics.flat import averages, hamming_loss, subset_accuracy
from classmark.metrics.hierarchical import HierarchicalScores, averaged_figures, consistency_rate
from classmark.metrics.ranking import RANKS, Ranking, cosine_accuracy, ranking_figures
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


def summarise(true: csr_array, predicted: csr_array, first: npt.ArrayLike, hierarchy: Hierarchy) -> dict[str, Any]:
    """Evaluate predictions by all measures; every 0/0 counts as 0.

    Parameters
    ----------
    true, predicted : csr_array of bool, (n_documents, n_nodes)
        The label sets; ancestors are added here.
    first : array of int, (n_documents,)
        The position of each document's best-scored category, -1 where there is none, which counts as wrong.
    hierarchy : Hierarchy
        The categories.

    Returns
    -------
    dict of plain floats and ints
        `documents`, their number; `leaves` and `nodes`, flat averages over the leaves and over all nodes;
        `hierarchical`, micro-averaged; `first`, of the best-scored category alone and on the documents with
        at least one true label: `accuracy`, how often it is one of the document's own labels, and its `hf`;
        `hamming_loss` and `subset_accuracy`; `consistency`, the share of predicted sets that hold all
        ancestors as they came. Ancestors are added to both sides everywhere but in `accuracy` and
        `consistency`.

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a/x", "a/y"])
    >>> true, predicted = csr_array([[False, True, False]]), csr_array([[False, False, True]])
    >>> summary = summarise(true, predicted, [2], tree)
    >>> summary["hierarchical"]
    {'hp': 0.5, 'hr': 0.5, 'hf': 0.5}
    >>> summary["first"]
    {'accuracy': 0.0, 'hf': 0.5}
    """
    found = Evaluation(true, predicted, hierarchy, first=np.asarray(first))
    documents = found.own_true.shape[0]
    if not documents:
        raise InputError("no document to evaluate: the indicators have no rows; give at least one document")
    return {"documents": int(documents)} | figures_of(found, usual=True)


def further_figures(
    true: csr_array,
    predicted: csr_array,
    scores: npt.ArrayLike | Ranking | None,
    hierarchy: Hierarchy,
    *,
    ends: npt.ArrayLike | None = None,
    probabilities: npt.ArrayLike | Reliability | None = None,
) -> dict[str, Any]:
    """Evaluate predictions by the measures that `summarise` leaves out; every 0/0 counts as 0.

    Parameters
    ----------
    true, predicted : csr_array of bool, (n_documents, n_nodes)
        The label sets; ancestors are added or taken away here, as each measure asks.
    scores : array of float, (n_documents, n_nodes), or Ranking, or None
        A score for each node, or what was ranked by one; without any the rankings are left out.
    hierarchy : Hierarchy
        The categories.
    ends : array of int, optional
        The positions of the nodes that are ranked, those that a document can have as its own; the leaves by default.
    probabilities : array of float, (n_documents, n_nodes), or Reliability, optional
        For each node the probability that the document belongs to it; where given, they are evaluated too, unless
        they were a batch at a time.

    Returns
    -------
    dict of plain floats
        `tree_distance`, the mean distance of own labels; `lca`, precision `p`, recall `r` and `f` up to the lowest
        common ancestors; `cosine`, of own labels; `hierarchical`, hP, hR and hF as `macro` and `instance` averages;
        `ranking`, P, R and nDCG at 1, 3 and 5 of own labels among `ends`; `probabilities`, the Brier score, log loss
        and calibration error (ten bins of equal width) over all pairs of a document and a node, ancestors added.

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a/x", "a/y"])
    >>> true, predicted = csr_array([[True, True, False]]), csr_array([[True, False, True]])
    >>> figures = further_figures(true, predicted, [[0.9, 0.3, 0.6]], tree)
    >>> figures["tree_distance"], figures["lca"], figures["cosine"]
    (2.0, {'p': 0.5, 'r': 0.5, 'f': 0.5}, 0.0)
    >>> figures["ranking"]["recall_at_1"], figures["ranking"]["recall_at_3"]
    (0.0, 1.0)
    """
    found = Evaluation(true, predicted, hierarchy)
    if scores is not None and not isinstance(scores, Ranking):
        scores = Ranking.of(found.own_true, scores, max(RANKS), hierarchy.leaves if ends is None else ends)
    if probabilities is not None and not isinstance(probabilities, Reliability):
        probabilities = Reliability.of(found.closed_true, probabilities)
    return figures_of(replace(found, ranking=scores, reliability=probabilities), usual=False)
