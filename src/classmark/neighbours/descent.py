"""The way from the top of the hierarchy down to one category, led by what lies below each node.

At every node it goes to the child with the largest sum of scores in its subtree, each to the power of a *sharpness*,
and ends where the node's own score, to the same power, is at least that sum. A high sharpness goes where the best
category is; a low one where most of them are.
"""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import SparseRows
from classmark.compilation import kernel
from classmark.hierarchy import Hierarchy
from classmark.neighbours.pairs import find, sparse_rows, value_at


@kernel
def walk(sums: SparseRows, own: SparseRows, parents: SparseRows, ends: npt.NDArray[np.int32]) -> None:
    """Fill in the node at which each document's way ends, -1 where it has no candidate."""
    for row in range(len(ends)):
        here = -1
        best, most = best_child(row, here, sums, parents)
        while best >= 0 and (here < 0 or value_at(own, row, here) < most):
            here = best
            best, most = best_child(row, here, sums, parents)
        ends[row] = here


@kernel
def best_child(row: int, here: int, sums: SparseRows, parents: SparseRows) -> tuple[int, float]:
    """Give the child of a node, or the top node, with the largest sum above 0, and that sum; -1 where there is none."""
    best, most = -1, 0.0
    for entry in range(sums.starts[row], sums.starts[row + 1]):
        node = sums.columns[entry]
        start, stop = parents.starts[node], parents.starts[node + 1]
        is_child = start == stop if here < 0 else find(parents.columns, start, stop, here) >= 0
        if is_child and sums.values[entry] > most:
            best, most = node, sums.values[entry]
    return best, most


def ends_from_top(scores: csr_array, hierarchy: Hierarchy, sharpness: float) -> npt.NDArray[np.int32]:
    """Give the node at which the way from the top ends for each document, -1 where nothing has a score.

    Parameters
    ----------
    scores : csr_array, (n_documents, n_nodes)
        The scores of candidates, above 0, nodes sorted.

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a/x", "a/y", "b"])
    >>> scores = csr_array([[0.0, 5.0, 4.0, 3.0]])
    >>> ends_from_top(scores, tree, 1.0), ends_from_top(scores, tree, 4.0)  # a: 4 + 3 > 5; 256 + 81 < 625
    (array([2], dtype=int32), array([1], dtype=int32))
    """
    raised = csr_array((scores.data**sharpness, scores.indices, scores.indptr), shape=scores.shape)
    below = csr_array(raised @ hierarchy.ancestors.astype(np.float64))
    below.sort_indices()
    ends = np.empty(scores.shape[0], dtype=np.int32)
    walk(sparse_rows(below), sparse_rows(raised), sparse_rows(hierarchy.parents), ends)
    return ends


def put_first(scores: csr_array, chosen: npt.NDArray[np.int32]) -> csr_array:
    """Give each document's chosen candidate the least score above all others, if another one is as high.

    >>> put_first(csr_array([[2.0, 1.0]]), np.array([1])).toarray().round(9)
    array([[2., 2.]])
    """
    best = np.maximum.reduceat(np.append(scores.data, 0.0), scores.indptr[:-1]) if scores.shape[0] else np.empty(0)
    rows = np.repeat(np.arange(scores.shape[0]), np.diff(scores.indptr))
    values = np.where(scores.indices == chosen[rows], np.nextafter(best[rows], np.inf), scores.data)
    return csr_array((values, scores.indices, scores.indptr), shape=scores.shape)
