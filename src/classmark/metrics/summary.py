"""All figures of one evaluation in a plain dict, which `classmark evaluate --json` prints as it is."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.metrics.evaluation import Evaluation
from classmark.metrics.table import figures_of


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
