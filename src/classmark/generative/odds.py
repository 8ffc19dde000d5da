"""From joint chances of components to scores of nodes: log-odds.

The score of a node is log P(node | x) / P(not node | x), where the posterior of a node is the sum over the components
of the paths through it. So a threshold of 0 is a posterior of one half, and 1 / (1 + exp(-score)) is the posterior. A
node on every path is certain; it scores as much as the surest other node of the document, and at least `CERTAIN`.
"""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.compilation import kernel

CERTAIN = float(53 * np.log(2.0))
"""The log-odds of a chance that differs from 1 by no more than rounding."""


@kernel
def log_sum(row: Floats, components: npt.NDArray[np.integer]) -> float:
    """Give log Σ exp of some entries of a row."""
    highest = -np.inf
    for component in components:
        highest = max(highest, row[component])
    if highest == -np.inf:
        return highest
    total = 0.0
    for component in components:
        total += np.exp(row[component] - highest)
    return float(highest + np.log(total))


@kernel
def fill_log_odds(
    joint: Floats, inside: npt.NDArray[np.integer], indptr: npt.NDArray[np.integer], scores: Floats
) -> None:
    """Write the log-odds of every node, plus infinity where it is on every path."""
    n_components = joint.shape[1]
    everywhere = np.arange(n_components)
    outside = np.empty(n_components, np.int64)
    marked = np.zeros(n_components, np.bool_)
    for document in range(len(joint)):
        row = joint[document]
        total = log_sum(row, everywhere)
        for node in range(indptr.size - 1):
            components = inside[indptr[node] : indptr[node + 1]]
            chance = log_sum(row, components) - total
            if components.size == n_components:
                scores[document, node] = np.inf
            elif chance < -0.6931471805599453:
                scores[document, node] = chance - np.log1p(-np.exp(chance))
            else:
                # One minus a chance near 1 has no digits left: the rest is summed by itself.
                n_outside = 0
                for component in components:
                    marked[component] = True
                for component in range(n_components):
                    if not marked[component]:
                        outside[n_outside] = component
                        n_outside += 1
                    marked[component] = False
                scores[document, node] = chance - (log_sum(row, outside[:n_outside]) - total)


def node_log_odds(joint: Floats, members: csr_array) -> Floats:
    """Score every node; minus infinity where no component belongs to it.

    Parameters
    ----------
    joint : array, (n_documents, n_components)
        Logarithms of joint chances.
    members : csr_array, (n_nodes, n_components)
        The components of the paths through each node.

    Examples
    --------
    >>> odds = node_log_odds(np.log([[0.6, 0.2, 0.2]]), csr_array([[1, 1, 0], [0, 0, 1], [0, 0, 0]]))
    >>> np.exp(odds).round(3)
    array([[4.  , 0.25, 0.  ]])
    """
    scores = np.empty((len(joint), members.shape[0]))
    fill_log_odds(joint, members.indices, members.indptr, scores)
    return settled(scores)


def settled(scores: Floats) -> Floats:
    """Put finite numbers in place of plus infinity: the highest score of the document, and at least `CERTAIN`.

    >>> settled(np.array([[np.inf, 50.0], [np.inf, 1.0]])).round(1)
    array([[50. , 50. ],
           [36.7,  1. ]])
    """
    certain = np.isposinf(scores)
    if not certain.any():
        return scores
    surest = np.where(certain, CERTAIN, scores).max(axis=1, keepdims=True)
    return np.where(certain, np.maximum(surest, CERTAIN), scores)
