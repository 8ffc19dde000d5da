"""Relabelling by the average confidence of a class and its ancestors (consistent_global_2006, section 5)."""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.hierarchy import Hierarchy


def average_confidence(margins: npt.NDArray[np.float64], hierarchy: Hierarchy) -> csr_array:
    """Make accepted labels consistent by letting a class and all its ancestors vote with their confidence.

    A class above its threshold whose ancestors all are too is kept. Where some ancestor is not, the class is kept,
    and brings all its ancestors, if the mean margin of the class and its ancestors is above 0; otherwise it goes.

    Parameters
    ----------
    margins : array, (n_documents, n_nodes)
        The scores less the thresholds.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> chain = Hierarchy.from_paths(["a/b"])
    >>> average_confidence(np.array([[-1.0, 3.0], [-3.0, 1.0]]), chain).toarray()
    array([[ True,  True],
           [False, False]])
    """
    documents, nodes = np.nonzero(margins > 0)
    above = hierarchy.ancestors[nodes]
    n_above = np.diff(above.indptr)
    votes = margins[np.repeat(documents, n_above), above.indices]
    starts = above.indptr[:-1]
    if not starts.size:
        return csr_array(np.zeros(margins.shape, dtype=bool))
    consistent = np.minimum.reduceat(votes, starts) > 0
    with np.errstate(invalid="ignore"):
        kept = consistent | (np.add.reduceat(votes, starts) / n_above > 0)
    own = csr_array((np.ones(kept.sum(), bool), (documents[kept], nodes[kept])), shape=margins.shape)
    return hierarchy.close(own)
