"""The best-scored category alone, whatever the decision makes of the scores."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.errors import InputError
from classmark.metrics.evaluation import Evaluation
from classmark.metrics.flat import Counts
from classmark.metrics.hierarchical import HierarchicalScores


def first_figures(found: Evaluation) -> dict[str, float]:
    """Evaluate the best-scored categories on the documents with a true label.

    >>> from classmark import Hierarchy
    >>> labels, tree = csr_array([[False, True, False]]), Hierarchy.from_paths(["a/x", "a/y"])
    >>> first_figures(Evaluation(labels, labels, tree, first=np.array([2])))
    {'accuracy': 0.0, 'hf': 0.5}
    """
    first, own = np.asarray(found.first), found.own_true
    check_first(first, own.shape)
    # Without a true label or without a category a document's row is empty: no hit, nothing predicted.
    documents = np.flatnonzero(found.has_label & (first >= 0))
    best = csr_array((np.ones(documents.size, dtype=bool), (documents, first[documents])), shape=own.shape)
    counts = Counts.per_document(found.closed_true, found.hierarchy.close(best)).total()
    return {
        "accuracy": own.multiply(best).nnz / max(1, int(found.has_label.sum())),
        "hf": HierarchicalScores.from_counts(counts).hf,
    }


def check_first(first: npt.NDArray[Any], shape: tuple[int, int]) -> None:
    """Refuse what are no positions of categories, one a document."""
    n_documents, n_nodes = shape
    if first.shape != (n_documents,) or first.dtype.kind not in "iu":
        raise InputError(f"first has type {first.dtype} and shape {first.shape}; give {n_documents} integers")
    if first.min() < -1 or first.max() >= n_nodes:
        raise InputError(f"first goes from {first.min()} to {first.max()}; give positions from -1 to {n_nodes - 1}")
