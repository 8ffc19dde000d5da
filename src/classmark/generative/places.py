"""Labels as the scores of ends: where documents can be put, and how much each of a document's labels says about it.

An *end* is a node that some labelled document has as its own label and that has no other such node below it: the last
node of a path. A document labelled with a node above several ends belongs to one of them, and it is not known to which.
"""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from classmark.hierarchy import Hierarchy

Floats = npt.NDArray[np.float64]


def deepest(labels: csr_array, hierarchy: Hierarchy) -> npt.NDArray[np.int32]:
    """Give the nodes of any label set that have no other such node below them.

    >>> tree = Hierarchy.from_paths(["a/b", "a/c", "d"])
    >>> labels = csr_array(np.array([[True, False, False, False], [False, False, True, False]]))
    >>> [tree.names[end] for end in deepest(labels, tree)]
    ['a/b']
    """
    seen = np.zeros((1, len(hierarchy)), dtype=bool)
    seen[0, labels.indices[labels.data != 0]] = True
    return hierarchy.own(csr_array(seen)).indices.astype(np.int32)


def shares(own: csr_array) -> csr_array:
    """Divide a document equally among its own labels.

    >>> shares(csr_array([[True, True, False], [False, False, True]])).toarray()
    array([[0.5, 0.5, 0. ],
           [0. , 0. , 1. ]])
    """
    sizes = np.maximum(np.diff(own.indptr), 1)
    return csr_array(diags_array(1.0 / sizes) @ own.astype(np.float64))


def below(ends: npt.NDArray[np.int32], hierarchy: Hierarchy) -> csr_array:
    """Give the ends at or below every node: a boolean `(n_nodes, n_ends)`."""
    return csr_array(hierarchy.ancestors[ends].T.tocsr())


def end_shares(labels: csr_array, ends: npt.NDArray[np.int32], hierarchy: Hierarchy) -> csr_array:
    """Pass the shares of nodes down to the ends below them, equally.

    >>> tree = Hierarchy.from_paths(["a/b", "a/c", "d"])
    >>> end_shares(csr_array([[1.0, 0.0, 0.0, 0.0]]), np.array([2, 3], dtype=np.int32), tree).toarray()
    array([[0.5, 0.5]])
    """
    reached = below(ends, hierarchy).astype(np.float64)
    return csr_array(labels @ (diags_array(1.0 / np.maximum(reached.sum(axis=1), 1.0)) @ reached))


def chains(ends: npt.NDArray[np.int32], hierarchy: Hierarchy) -> npt.NDArray[np.int32]:
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
