"""All further figures of one evaluation in a plain dict: what `classmark evaluate --all` adds to the summary."""

from dataclasses import replace
from typing import Any

import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.hierarchy import Hierarchy
from classmark.metrics.evaluation import Evaluation
from classmark.metrics.ranking import RANKS, Ranking
from classmark.metrics.reliability import Reliability
from classmark.metrics.table import figures_of


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
