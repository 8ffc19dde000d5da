"""The most likely consistent set.

A margin m is taken as the log-odds of a class, log p − log(1 − p), each class by itself. Then the log-likelihood of a
set S is

    Σ over S of log p  +  Σ outside S of log(1 − p)  =  Σ over all classes of log(1 − p)  +  Σ over S of m,

and the most likely consistent set is the one with the largest sum of margins among the sets that hold all ancestors of
their classes. The chances themselves are never needed.

In a tree the best that lies at and below a class is best(c) = m(c) + Σ over its children of max(best, 0), and the
answer has every class with best > 0 whose parent it has. Sets of the same likelihood occur; the smallest is taken.

In a DAG the same question is a minimum cut for each document. An approximation is made instead, the same sweeps over
all documents at once: a class shares its best evenly among its parents, and is taken where *all* its parents are. What
is not taken is struck out and the sweeps are repeated until nothing changes. Then the set grows: as long as some class
is worth more than the ancestors that it is still lacking, the one that is worth most comes in with them. The answer is
always consistent, and neither dropping everything nor adding a class with its ancestors makes it more likely; but
several classes that only together pay for an ancestor may be missed.
"""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.hierarchy import Hierarchy


def most_likely(margins: npt.NDArray[np.float64], hierarchy: Hierarchy) -> csr_array:
    """Give the consistent set with the largest sum of margins: exactly in a tree, nearly in a DAG.

    The margins are the scores less the thresholds, `(n_documents, n_nodes)`.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> tree = Hierarchy.from_paths(["a/x", "a/y"])
    >>> most_likely(np.array([[-3.0, 2.0, 2.0], [-3.0, 2.0, -1.0]]), tree).toarray()
    array([[ True,  True,  True],
           [False, False, False]])
    """
    # A row a node, so that each step of the sweeps goes over one stretch of memory.
    gains = np.ascontiguousarray(margins.T)
    taken = _sweep(gains, hierarchy)
    while not hierarchy.is_tree:
        gains = np.where(taken, gains, -np.inf)
        again = _sweep(gains, hierarchy)
        if np.array_equal(again, taken):
            return csr_array(_grow(margins, again.T, hierarchy))
        taken = again
    return csr_array(taken.T)


def _sweep(gains: npt.NDArray[np.float64], hierarchy: Hierarchy) -> npt.NDArray[np.bool_]:
    """Gather from the leaves upward what is at and below every class, then take from the top downward."""
    best = gains.copy()
    for node in reversed(range(len(hierarchy))):
        parents = hierarchy.parent_positions(node)
        if parents.size:
            best[parents] += np.maximum(best[node], 0.0) / parents.size
    taken = best > 0
    for node in range(len(hierarchy)):
        parents = hierarchy.parent_positions(node)
        if parents.size:
            taken[node] &= taken[parents].all(axis=0)
    return taken


def _grow(
    margins: npt.NDArray[np.float64], taken: npt.NDArray[np.bool_], hierarchy: Hierarchy
) -> npt.NDArray[np.bool_]:
    """Add, as long as that helps, the class that is worth most together with all its ancestors."""
    taken = taken.copy()
    above = hierarchy.ancestors.astype(np.float64)
    documents = np.arange(len(margins))
    while documents.size:
        lacking = np.where(taken[documents], 0.0, margins[documents])
        worth = (above @ lacking.T).T
        best = worth.argmax(axis=1)
        documents, best = (each[worth[np.arange(best.size), best] > 0] for each in (documents, best))
        taken[documents] |= hierarchy.ancestors[best].toarray()
    return taken
