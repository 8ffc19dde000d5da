"""Labels as the scores of ends: where documents can be put, and how much each of a document's labels says about it.

An *end* is a node that some labelled document has as its own label and that has no other such node below it: the last
node of a path. A document labelled with a node above several ends belongs to one of them, and it is not known to which.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from classmark.arrays import Integers
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy


def deepest(labels: csr_array, hierarchy: Hierarchy) -> Integers:
    """Give the nodes of any label set that have no other such node below them.

    >>> tree = Hierarchy.from_paths(["a/b", "a/c", "d"])
    >>> labels = csr_array(np.array([[True, False, False, False], [False, False, True, False]]))
    >>> [tree.names[end] for end in deepest(labels, tree)]
    ['a/b']
    """
    seen = np.zeros((1, len(hierarchy)), dtype=bool)
    seen[0, labels.indices[labels.data != 0]] = True
    return hierarchy.own(csr_array(seen)).indices.astype(np.int32)


def with_unseen_leaves(ends: Integers, hierarchy: Hierarchy) -> Integers:
    """Add the leaves that are neither ends nor below one: M_d paths in all where every label is a leaf (Equation 3).

    >>> tree = Hierarchy.from_paths(["a/b", "a/c", "d/e"])
    >>> [tree.names[end] for end in with_unseen_leaves(np.array([tree.position("d")], dtype=np.int32), tree)]
    ['d', 'a/b', 'a/c']
    """
    leaves = hierarchy.leaves
    is_end = np.zeros(len(hierarchy))
    is_end[ends] = 1.0
    reached = hierarchy.ancestors[leaves].astype(np.float64) @ is_end > 0
    return np.union1d(ends, leaves[~reached]).astype(np.int32)


def label_weights(own: csr_array) -> csr_array:
    """Divide a document equally among its own labels.

    >>> label_weights(csr_array([[True, True, False], [False, False, True]])).toarray()
    array([[0.5, 0.5, 0. ],
           [0. , 0. , 1. ]])
    """
    sizes = np.maximum(np.diff(own.indptr), 1)
    return csr_array(diags_array(1.0 / sizes) @ own.astype(np.float64))


def below(ends: Integers, hierarchy: Hierarchy) -> csr_array:
    """Give the ends at or below every node: a boolean `(n_nodes, n_ends)`."""
    return csr_array(hierarchy.ancestors[ends].T.tocsr())


def end_weights(labels: csr_array, ends: Integers, hierarchy: Hierarchy) -> csr_array:
    """Pass the weights of nodes down to the ends below them, equally.

    >>> tree = Hierarchy.from_paths(["a/b", "a/c", "d"])
    >>> end_weights(csr_array([[1.0, 0.0, 0.0, 0.0]]), np.array([2, 3], dtype=np.int32), tree).toarray()
    array([[0.5, 0.5]])
    """
    reached = below(ends, hierarchy).astype(np.float64)
    return csr_array(labels @ (diags_array(1.0 / np.maximum(reached.sum(axis=1), 1.0)) @ reached))


def chains(ends: Integers, hierarchy: Hierarchy) -> Integers:
    """Give the path of each end, by first parents, its last node repeated down to the depth of the deepest.

    These repetitions are the dummy nodes of path_prediction_2019, section 3: `(n_ends, depth)`.

    >>> tree = Hierarchy.from_paths(["a/b", "d"])
    >>> chains(np.array([1, 2], dtype=np.int32), tree)
    array([[1, 1],
           [0, 2]], dtype=int32)
    """
    paths = []
    for end in ends:
        path = [int(end)]
        while (above := hierarchy.parent_positions(path[0])).size:
            path.insert(0, int(above[0]))
        paths.append(path)
    depth = max(map(len, paths))
    return np.array([path + path[-1:] * (depth - len(path)) for path in paths], dtype=np.int32)


def checked_levels(levels: Any, documents: int, hierarchy: Hierarchy) -> Integers:
    """Give a label for each document and depth; refuse what cannot be one."""
    found = np.asarray(levels)
    if found.shape != (documents, hierarchy.depth) or found.dtype.kind not in "iu":
        raise InputError(
            f"levels has shape {found.shape} and type {found.dtype}; give whole numbers for {documents} documents"
            f" × {hierarchy.depth} depths"
        )
    if not ((found >= -1) & (found < len(hierarchy))).all():
        raise InputError(f"levels has positions outside -1 to {len(hierarchy) - 1}; give those of nodes, or -1")
    is_leaf = np.diff(hierarchy.children.indptr) == 0
    for depth, nodes in enumerate(found.T, 1):
        there = nodes[nodes >= 0]
        level = hierarchy.levels[there]
        if wrong := there[(level > depth) | ((level < depth) & ~is_leaf[there])].tolist():
            name = hierarchy.names[wrong[0]]
            raise InputError(f"levels puts {name!r} into depth {depth}; give a node of that depth, or a leaf above it")
    if not (found >= 0).any():
        raise InputError("no document is labelled; give some a label")
    return found.astype(np.int32)


def last_labels(levels: Integers, hierarchy: Hierarchy) -> csr_array:
    """Give the label of the last depth that has one as an indicator.

    >>> tree = Hierarchy.from_paths(["a/b", "d"])
    >>> last_labels(np.array([[0, 1], [0, -1], [-1, -1]], dtype=np.int32), tree).toarray().astype(int)
    array([[0, 1, 0],
           [1, 0, 0],
           [0, 0, 0]])
    """
    depths = np.where(levels >= 0, np.arange(levels.shape[1]), -1).max(axis=1)
    rows = np.flatnonzero(depths >= 0)
    return indicator(rows, levels[rows, depths[rows]], (len(levels), len(hierarchy)))


def nodes_of(levels: Integers, hierarchy: Hierarchy) -> csr_array:
    """Give the labels of all depths as one indicator."""
    rows, depths = np.nonzero(levels >= 0)
    return csr_array(
        (np.ones(rows.size, dtype=bool), (rows, levels[rows, depths])), shape=(len(levels), len(hierarchy))
    )


def indicator(rows: npt.NDArray[np.intp], columns: npt.NDArray[Any], shape: tuple[int, int]) -> csr_array:
    """Give a matrix with True at some positions, at most one per row."""
    return csr_array((np.ones(rows.size, dtype=bool), (rows, columns)), shape=shape)
