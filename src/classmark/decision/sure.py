"""What of a label set is sure enough: every own label gives way to its deepest ancestors that are.

The chances are those of the labels of closed sets, one for each, in the order of `labels.indices`.
"""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.hierarchy import Hierarchy


def sure_labels(labels: csr_array, chances: Floats, least: float, hierarchy: Hierarchy) -> csr_array:
    """Keep the labels whose chance is not below the least, and all their ancestors.

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a/b/c"])
    >>> sure_labels(csr_array([[True, True, True]]), np.array([0.9, 0.8, 0.3]), 0.5, tree).toarray()
    array([[ True,  True, False]])
    """
    kept = csr_array((chances >= least, labels.indices.copy(), labels.indptr.copy()), shape=labels.shape)
    kept.eliminate_zeros()
    return hierarchy.close(kept)


def sure_ranges(labels: csr_array, chances: Floats, hierarchy: Hierarchy) -> tuple[Floats, Floats]:
    """Give for each label the least chances at which it is an own label of what is kept.

    That is at any above the first number, which is the highest chance below it, and up to the second.

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a/b/c"])
    >>> sure_ranges(csr_array([[True, True, True]]), np.array([0.9, 0.8, 0.3]), tree)
    (array([ 0.8,  0.3, -inf]), array([0.9, 0.8, 0.3]))
    """
    above = hierarchy.ancestors[labels.indices]
    below = np.repeat(np.arange(labels.nnz), np.diff(above.indptr))
    strict = above.indices != labels.indices[below]
    pairs = numbered(labels)
    # The pairs rise, and every ancestor is among them.
    places = np.searchsorted(pairs, pairs[below[strict]] - labels.indices[below[strict]] + above.indices[strict])
    highest_below = np.full(labels.nnz, -np.inf)
    np.maximum.at(highest_below, places, chances[below[strict]])
    return highest_below, np.maximum(chances, highest_below)


def numbered(labels: csr_array) -> npt.NDArray[np.int64]:
    """Give every pair of a document and a label as one number; they rise.

    >>> numbered(csr_array([[True, False], [True, True]]))
    array([0, 2, 3])
    """
    documents = np.repeat(np.arange(labels.shape[0], dtype=np.int64), np.diff(labels.indptr))
    return documents * labels.shape[1] + labels.indices
