"""Probabilities in order: along the hierarchy, or within a row that sums to 1."""

import numpy as np
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.hierarchy import Hierarchy
from classmark.probability.pairs import Ends


def monotone(chances: Floats, hierarchy: Hierarchy) -> Floats:
    """Give the mean of lowering every node to its parents and of raising every node to its children.

    >>> monotone(np.array([[0.5, 0.7, 0.2]]), Hierarchy.from_paths(["a/x", "a/y"]))
    array([[0.6, 0.6, 0.2]])
    """
    # A row a node, so that each step goes over one stretch of memory.
    lowered, raised = (np.array(chances.T, order="C") for _ in range(2))
    for node in range(len(hierarchy)):
        for parent in hierarchy.parent_positions(node):
            np.minimum(lowered[node], lowered[parent], out=lowered[node])
    for node in reversed(range(len(hierarchy))):
        for parent in hierarchy.parent_positions(node):
            np.maximum(raised[parent], raised[node], out=raised[parent])
    return np.ascontiguousarray(((lowered + raised) / 2).T)


def own_chances(chances: Floats, ends: Ends, hierarchy: Hierarchy) -> Floats:
    """Give the chances of ends as own labels, 0 for all other nodes.

    The chance of a node says that a document belongs to it or below it: what the ends below it have is taken off.

    >>> tree = Hierarchy.from_paths(["a/x", "a/y", "b"])
    >>> own_chances(np.array([[0.7, 0.3, 0.4, 0.2]]), np.arange(4, dtype=np.int32), tree).round(2)
    array([[0.1, 0.3, 0.4, 0.2]])
    """
    result = np.zeros_like(chances)
    below = csr_array(hierarchy.ancestors[ends].T.tocsr())
    for end in ends[::-1]:
        # Parents come before children, so that what lies below is known already.
        inside = ends[below.indices[below.indptr[end] : below.indptr[end + 1]]]
        result[:, end] = np.maximum(chances[:, end] - result[:, inside].sum(axis=1), 0.0)
    return result


def as_rows(chances: Floats, scores: Floats) -> Floats:
    """Let the probabilities of each document sum to 1, the highest of them where the score is highest.

    Probabilities that are equal, as a step curve gives them, are told apart by a billionth in the order of the scores,
    the first of equal scores above the others.

    >>> as_rows(np.array([[0.3, 0.3, 0.2]]), np.array([[1.0, 2.0, 0.0]])).round(3)
    array([[0.375, 0.375, 0.25 ]])
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    ranks = np.empty_like(chances)
    np.put_along_axis(ranks, order, np.arange(scores.shape[1], 0, -1.0)[None, :], axis=1)
    told_apart = chances + 1e-9 * ranks / scores.shape[1]
    return np.asarray(told_apart / told_apart.sum(axis=1, keepdims=True))
