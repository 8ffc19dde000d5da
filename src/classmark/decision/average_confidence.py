"""Relabelling by what a class and all its ancestors say together (consistent_global_2006, section 5).

The paper's votes are averaged. As chances, σ(margin) = 1 / (1 + exp(−margin)), they can be multiplied instead.
"""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import log_expit

from classmark.arrays import Floats
from classmark.hierarchy import Hierarchy

Positions: TypeAlias = npt.NDArray[np.int64]


def average_confidence(margins: Floats, hierarchy: Hierarchy) -> csr_array:
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
    documents, nodes, votes, starts = _votes(margins, hierarchy)
    if not starts.size:
        return csr_array(np.zeros(margins.shape, dtype=bool))
    consistent = np.minimum.reduceat(votes, starts) > 0
    n_votes = np.diff(starts, append=votes.size)
    with np.errstate(invalid="ignore"):
        kept = consistent | (np.add.reduceat(votes, starts) / n_votes > 0)
    return _closed(documents[kept], nodes[kept], margins.shape, hierarchy)


def product_of_chances(margins: Floats, hierarchy: Hierarchy) -> csr_array:
    """Keep a class where the product of its chance and those of all its ancestors is above one half.

    A margin is taken as the log-odds of a class given its parents, so that the product is the chance of all of them
    together. Unlike a vote it asks the classes whose ancestors are all accepted too: three times 0.6 is 0.216.

    Parameters
    ----------
    margins : array, (n_documents, n_nodes)
        The scores less the thresholds.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> chain = Hierarchy.from_paths(["a/b"])
    >>> margins = np.log([[0.6 / 0.4, 0.6 / 0.4], [0.9 / 0.1, 0.6 / 0.4]])  # 0.6 · 0.6 < 0.5 < 0.9 · 0.6
    >>> product_of_chances(margins, chain).toarray()
    array([[ True, False],
           [ True,  True]])
    """
    documents, nodes, votes, starts = _votes(margins, hierarchy)
    if not starts.size:
        return csr_array(np.zeros(margins.shape, dtype=bool))
    kept = np.add.reduceat(log_expit(votes), starts) > np.log(0.5)
    return _closed(documents[kept], nodes[kept], margins.shape, hierarchy)


def _votes(margins: Floats, hierarchy: Hierarchy) -> tuple[Positions, Positions, Floats, Positions]:
    """Give every pair of a document and a class above 0, and the margins of its ancestors, itself among them.

    The fourth array says where in the third the margins of each pair start.
    """
    documents, nodes = np.nonzero(margins > 0)
    above = hierarchy.ancestors[nodes]
    votes = margins[np.repeat(documents, np.diff(above.indptr)), above.indices]
    return documents, nodes, votes, above.indptr[:-1].astype(np.int64)


def _closed(documents: Positions, nodes: Positions, shape: Any, hierarchy: Hierarchy) -> csr_array:
    return hierarchy.close(csr_array((np.ones(nodes.size, bool), (documents, nodes)), shape=shape))
