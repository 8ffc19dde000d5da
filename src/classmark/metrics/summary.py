"""All figures of one evaluation in a plain dict, which `classmark evaluate --json` prints as it is."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.hierarchy import Hierarchy
from classmark.metrics.flat import Counts, FlatScores, hamming_loss, subset_accuracy
from classmark.metrics.hierarchical import HierarchicalScores, consistency_rate, label_sets

AVERAGED = (
    "micro_f1",
    "macro_f1",
    "micro_precision",
    "micro_recall",
    "macro_precision",
    "macro_recall",
    "macro_f1_present",
)
"""The fields of `FlatScores` that a summary shows."""


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
    given = label_sets(predicted, hierarchy)
    own = hierarchy.own(label_sets(true, hierarchy))
    if not own.shape[0]:
        raise ValueError("no document to evaluate: the indicators have no rows; give at least one document")
    closed_true, closed_predicted = hierarchy.close(own), hierarchy.close(given)
    counts = Counts.per_node(closed_true, closed_predicted)
    hierarchical = HierarchicalScores.from_counts(counts.total())
    return {
        "documents": int(own.shape[0]),
        "leaves": _averages(counts.at(hierarchy.leaves)),
        "nodes": _averages(counts),
        "hierarchical": {"hp": hierarchical.hp, "hr": hierarchical.hr, "hf": hierarchical.hf},
        "first": _first(own, closed_true, np.asarray(first), hierarchy),
        "hamming_loss": hamming_loss(closed_true, closed_predicted),
        "subset_accuracy": subset_accuracy(closed_true, closed_predicted),
        "consistency": consistency_rate(given, hierarchy),
    }


def _averages(counts: Counts) -> dict[str, float]:
    scores = FlatScores.from_counts(counts)
    return {name: getattr(scores, name) for name in AVERAGED}


def _first(own: csr_array, closed_true: csr_array, first: npt.NDArray[Any], hierarchy: Hierarchy) -> dict[str, float]:
    """Evaluate the best-scored categories on the documents with a true label."""
    _check_first(first, own.shape)
    has_label = np.diff(own.indptr) > 0
    # Without a true label or without a category a document's row is empty: no hit, nothing predicted.
    documents = np.flatnonzero(has_label & (first >= 0))
    best = csr_array((np.ones(documents.size, dtype=bool), (documents, first[documents])), shape=own.shape)
    counts = Counts.per_document(closed_true, hierarchy.close(best)).total()
    return {
        "accuracy": own.multiply(best).nnz / max(1, int(has_label.sum())),
        "hf": HierarchicalScores.from_counts(counts).hf,
    }


def _check_first(first: npt.NDArray[Any], shape: tuple[int, int]) -> None:
    n_documents, n_nodes = shape
    if first.shape != (n_documents,) or first.dtype.kind not in "iu":
        raise ValueError(f"first has type {first.dtype} and shape {first.shape}; give {n_documents} integers")
    if first.min() < -1 or first.max() >= n_nodes:
        raise ValueError(f"first goes from {first.min()} to {first.max()}; give positions from -1 to {n_nodes - 1}")
