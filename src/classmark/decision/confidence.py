"""Confidence in every node of a path, from any scores.

The chance of an end is the softmax of the ends' scores, sharpened or flattened by one temperature that held-out scores
teach; the chance of a node is the sum over the ends at or below it. So chances are monotone along the hierarchy, and
the top-level ones sum to 1: every document is taken to belong somewhere.
"""

from typing import Annotated, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_array
from scipy.special import log_softmax, softmax

from classmark.arrays import Floats
from classmark.checks import real
from classmark.hierarchy import Hierarchy

Temperature: TypeAlias = Annotated[float, real(gt=0), "What the scores of ends are divided by."]


def node_chances(scores: Floats, hierarchy: Hierarchy, ends: npt.NDArray[np.int32], temperature: float = 1.0) -> Floats:
    """Give each node's chance, for every document: `(n_documents, n_nodes)`.

    >>> from classmark import Hierarchy
    >>> tree = Hierarchy.from_paths(["a/b", "a/c", "d"])
    >>> node_chances(np.log([[9.0, 2.0, 1.0, 1.0]]), tree, np.array([1, 2, 3])).round(2)
    array([[0.5 , 0.5 , 0.25, 0.25]])
    """
    given = scores[:, ends]
    # Where nothing is known of any end, each is as likely as the others.
    given[~np.isfinite(given).any(axis=1)] = 0.0
    chances = softmax(given / temperature, axis=1)
    return np.asarray((hierarchy.ancestors[ends].T @ chances.T).T)


def fit_temperature(scores: Floats, labels: csr_array, ends: npt.NDArray[np.int32]) -> float:
    """Give the temperature under which the own labels of documents are most likely.

    A document with several labels counts each by its share; scores of minus infinity at a label say nothing.
    """
    rows, columns = labels[:, ends].nonzero()
    known = np.isfinite(scores[rows, ends[columns]])
    documents, places = np.unique(rows[known], return_inverse=True)
    if not documents.size:
        return 1.0
    given = scores[np.ix_(documents, ends)]
    weights = 1.0 / np.bincount(places)[places]

    def loss(log_temperature: float) -> float:
        chances = log_softmax(given / np.exp(log_temperature), axis=1)
        return float(-(weights * chances[places, columns[known]]).sum())

    return float(np.exp(minimize_scalar(loss, bounds=(-7.0, 7.0), method="bounded").x))
