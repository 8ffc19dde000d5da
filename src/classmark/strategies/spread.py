"""Scores of the learned nodes spread over the whole hierarchy."""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.hierarchy import Hierarchy


def spread_upward(
    scores: npt.NDArray[np.float64], ends: npt.NDArray[np.int32], hierarchy: Hierarchy
) -> npt.NDArray[np.float64]:
    """Give every node a score: a learned node its own, any other the maximum of its descendants.

    Parameters
    ----------
    scores : array, (n_documents, n_ends)
        The scores of the learned nodes.
    ends : array of int
        The learned nodes' positions.

    Returns
    -------
    array, (n_documents, n_nodes)
        Minus infinity where nothing at or below a node was learned.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> tree = Hierarchy.from_paths(["a/x", "a/y", "b"])
    >>> spread_upward(np.array([[1.0, 2.0]]), np.array([2, 3], dtype=np.int32), tree)
    array([[  2., -inf,   1.,   2.]])
    """
    found = np.full((len(scores), len(hierarchy)), -np.inf)
    found[:, ends] = scores
    inner = np.flatnonzero(np.diff(hierarchy.children.indptr))
    learned = np.isin(inner, ends)
    if learned.all():
        return found
    # A learned inner node keeps its score, but hides none of what lies below it from the nodes above.
    best = found.copy() if learned.any() else found
    raise_to_best_below(best, hierarchy)
    found[:, inner[~learned]] = best[:, inner[~learned]]
    return found


def raise_to_best_below(scores: npt.NDArray[np.float64], hierarchy: Hierarchy) -> None:
    """Raise the score of every node to the highest of its descendants, where that is higher, in place.

    >>> from classmark import Hierarchy
    >>> scores = np.array([[0.0, 1.0, 2.0, -np.inf]])
    >>> raise_to_best_below(scores, Hierarchy.from_paths(["a/x", "b/y"]))
    >>> scores
    array([[  2.,   1.,   2., -inf]])
    """
    for node in np.flatnonzero(np.diff(hierarchy.children.indptr))[::-1]:
        np.maximum(scores[:, node], scores[:, hierarchy.child_positions(node)].max(axis=1), out=scores[:, node])


def best_learned_below(
    scores: npt.NDArray[np.float64], ends: npt.NDArray[np.int32], hierarchy: Hierarchy, node: int
) -> npt.NDArray[np.int32]:
    """Give for each document the column of `scores` that `node` takes its score from, -1 where there is none."""
    at_node = np.flatnonzero(ends == node)
    below = at_node if at_node.size else np.flatnonzero(hierarchy.ancestors[ends][:, [node]].toarray())
    if not below.size:
        return np.full(len(scores), -1, dtype=np.int32)
    return np.asarray(below[np.argmax(scores[:, below], axis=1)], dtype=np.int32)


def mean_below(learned: npt.NDArray[np.int32], hierarchy: Hierarchy, nodes: npt.NDArray[np.integer]) -> csr_array:
    """Give how much each learned node counts for some nodes: for itself all, for another its part of those below.

    >>> from classmark import Hierarchy
    >>> tree = Hierarchy.from_paths(["a/x", "a/y", "b"])
    >>> mean_below(np.array([2, 3], dtype=np.int32), tree, np.array([0, 1, 3])).toarray()
    array([[0.5, 0.5],
           [0. , 0. ],
           [0. , 1. ]])
    """
    below = csr_array(csr_array(hierarchy.ancestors[learned].T)[nodes].astype(np.float64))
    rows = np.repeat(np.arange(nodes.size), np.diff(below.indptr))
    own = np.isin(nodes, learned)
    counts = np.where(own[rows], learned[below.indices] == nodes[rows], 1.0 / np.diff(below.indptr)[rows])
    return csr_array((counts, below.indices, below.indptr), shape=below.shape)


def as_own_labels(
    scores: npt.NDArray[np.float64], ends: npt.NDArray[np.int32], hierarchy: Hierarchy
) -> npt.NDArray[np.float64]:
    """Score an inner end by whether a document belongs there and to none of its children.

    Scores learned from closed labels say whether a document belongs to a node or below it, so a node's is mostly higher
    than those of its children, and compared as they are the most general node would always win. Both at once is as
    sure as the less sure of the two: min(score, −highest score of a child).

    >>> from classmark import Hierarchy
    >>> as_own_labels(np.array([[2.0, 1.0], [2.0, -3.0]]), np.array([0, 1]), Hierarchy.from_paths(["a/b"]))
    array([[-1.,  1.],
           [ 2., -3.]])
    """
    result = scores.copy()
    for node in np.intersect1d(ends, hierarchy.parents.indices):
        best = scores[:, hierarchy.child_positions(node)].max(axis=1)
        np.minimum(scores[:, node], -best, out=result[:, node])
    return result
