"""Hierarchical precision, recall and F: a label stands for all its ancestors too.

After Kiritchenko, Matwin, Nock and Famili, "Learning and Evaluation in the Presence of Class Hierarchies:
Application to Text Categorization" (2006), section 6. The paper's symbols and our names: Ĉᵢ, the true labels
of document i with all their ancestors but the root, is a row of the closed `true`; Ĉ'ᵢ, the predicted labels
with theirs, a row of the closed `predicted`; β is `beta`; hP, hR and hF are `hp`, `hr` and `hf`. Then

    hP = Σᵢ |Ĉᵢ ∩ Ĉ'ᵢ| / Σᵢ |Ĉ'ᵢ|     hR = Σᵢ |Ĉᵢ ∩ Ĉ'ᵢ| / Σᵢ |Ĉᵢ|     hF = (β² + 1) hP hR / (β² hP + hR)

which is the average `"micro"`; `AVERAGES` has the others, which differ only in what is counted together.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from scipy.sparse import csr_array

from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.labels import encode
from classmark.metrics.flat import Counts, check_zero_division

AVERAGES: dict[str, Callable[[csr_array, csr_array], Counts]] = {
    "micro": Counts.overall,
    "macro": Counts.per_node,
    "instance": Counts.per_document,
}
"""For each average the groups over which the mean of the ratios is taken; `"micro"` has a single one."""


@dataclass(frozen=True)
class HierarchicalScores:
    """Hierarchical precision `hp`, recall `hr` and their combination `hf`.

    Examples
    --------
    >>> import numpy as np
    >>> tp, predicted, true = np.array([[2], [4], [8]])
    >>> HierarchicalScores.from_counts(Counts(tp, predicted, true))
    HierarchicalScores(hp=0.5, hr=0.25, hf=0.333...)
    """

    hp: float
    hr: float
    hf: float

    @classmethod
    def from_counts(cls, counts: Counts, beta: float = 1.0, zero_division: float = 0.0) -> "HierarchicalScores":
        """Take the means over the groups of closed label sets already counted."""
        return cls(*counts.means(beta, zero_division))


def hierarchical_scores(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1.0,
    average: str = "micro",
    zero_division: float = 0.0,
) -> HierarchicalScores:
    """Compute hP, hR and hF (section 6 of the paper).

    Parameters
    ----------
    y_true, y_pred : labels in any form, or indicators over the nodes
        All ancestors but the root are added to both.
    hierarchy : Hierarchy
        The categories, a tree or a DAG.
    beta : float, 0 or more
        The weight of recall in hF: 0 makes hF precision, 1 weighs both the same.
    average : "micro", "macro" or "instance"
        Micro, the paper's, sums over all documents before it divides. Macro computes precision, recall and F
        of each node, on the sets with ancestors, and takes the mean of each over all nodes of the hierarchy,
        also over nodes that no document has; hF is thus the mean of the nodes' F and not the F of hP and hR.
        Instance does the same with a document in place of a node.
    zero_division : float, from 0 to 1
        The value of 0/0, in whatever is averaged: precision where nothing is predicted, recall where nothing
        is true, F where both hold. (With `beta=0` F is precision there too.)

    Examples
    --------
    The hierarchy of the paper's Figure 1, with the true category G and the predicted category F:

    >>> top = {"A": None, "B": None, "C": None}
    >>> figure = Hierarchy.from_parents(
    ...     top | {"D": "A", "E": ["B", "C"], "F": "C", "G": "E", "H": "F", "I": "E"}
    ... )
    >>> hierarchical_scores(["G"], ["F"], figure)
    HierarchicalScores(hp=0.5, hr=0.25, hf=0.333...)
    """
    if average not in AVERAGES:
        raise InputError(f"average={average!r}: must be one of {', '.join(map(repr, AVERAGES))}")
    if not beta >= 0:
        raise InputError(f"beta={beta!r}: must be a number >= 0")
    check_zero_division(zero_division)
    true, predicted = (hierarchy.close(label_sets(y, hierarchy)) for y in (y_true, y_pred))
    return HierarchicalScores.from_counts(AVERAGES[average](true, predicted), beta, zero_division)


def averaged_figures(true: csr_array, predicted: csr_array) -> dict[str, dict[str, float]]:
    """Give hP, hR and hF of closed label sets in the averages that are not micro.

    >>> averaged_figures(csr_array([[True, True]]), csr_array([[True, False]]))["macro"]
    {'hp': 0.5, 'hr': 0.5, 'hf': 0.5}
    """
    return {
        average: asdict(HierarchicalScores.from_counts(count(true, predicted)))
        for average, count in AVERAGES.items()
        if average != "micro"
    }


def hf_score(y_true: Any, y_pred: Any, hierarchy: Hierarchy) -> float:
    """Give hF with `beta=1`, micro-averaged, as one number.

    >>> round(hf_score(["a/x", "b"], ["a/y", "b"], Hierarchy.from_paths(["a/x", "a/y", "b"])), 3)
    0.667
    """
    return hierarchical_scores(y_true, y_pred, hierarchy).hf


def consistency_rate(y_pred: Any, hierarchy: Hierarchy) -> float:
    """Give the share of documents whose label set, as given, holds every ancestor of its labels.

    An empty set is consistent.

    >>> consistency_rate([["a", "a/x"], ["a/x"], [], ["a"]], Hierarchy.from_paths(["a/x"]))
    0.75
    """
    given = label_sets(y_pred, hierarchy)
    if not given.shape[0]:
        raise InputError("no document to evaluate: there are no predictions; give at least one document")
    return float(hierarchy.is_consistent(given).mean())


def label_sets(y: Any, hierarchy: Hierarchy) -> csr_array:
    """Turn labels of any form into an indicator, and refuse documents that are not labelled."""
    labels = encode(y, hierarchy)
    if not labels.labelled.all():
        raise InputError(
            f"document {labels.labelled.argmin()} is not labelled (None); leave such documents out, "
            "or write [] where a document belongs nowhere"
        )
    if not labels.indicator.shape[1]:
        raise InputError("no node to evaluate: the hierarchy is empty; give one with at least one category")
    return labels.indicator
