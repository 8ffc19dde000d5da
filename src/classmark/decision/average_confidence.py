"""Relabelling by what a class and all its ancestors say together (consistent_global_2006, section 5).

The paper's votes are averaged. As chances, σ(margin) = 1 / (1 + exp(−margin)), they can be multiplied instead.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import log_expit

from classmark.arrays import Floats
from classmark.hierarchy import Hierarchy

Positions: TypeAlias = npt.NDArray[np.int64]
Accepted: TypeAlias = npt.NDArray[np.bool_]


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
    return _relabelled(margins, hierarchy, _mean_above_0)


def product_of_chances(margins: Floats, hierarchy: Hierarchy) -> csr_array:
    """Keep a class where the product of its chance and those of all its ancestors is above one half.

    A margin is taken as the log-odds of a class given its parents, so that the product is the chance of all of them
    together. Unlike a vote it asks the classes whose ancestors are all accepted too: three times 0.6 is 0.216.
    The margins are those of `average_confidence`.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> chain = Hierarchy.from_paths(["a/b"])
    >>> margins = np.log([[0.6 / 0.4, 0.6 / 0.4], [0.9 / 0.1, 0.6 / 0.4]])  # 0.6 · 0.6 < 0.5 < 0.9 · 0.6
    >>> product_of_chances(margins, chain).toarray()
    array([[ True, False],
           [ True,  True]])
    """
    return _relabelled(margins, hierarchy, _product_above_half)


def _mean_above_0(votes: Floats, starts: Positions) -> Accepted:
    """Keep a class that all votes are for, or their mean."""
    consistent = np.minimum.reduceat(votes, starts) > 0
    with np.errstate(invalid="ignore"):
        return np.asarray(consistent | (np.add.reduceat(votes, starts) / np.diff(starts, append=votes.size) > 0))


def _product_above_half(votes: Floats, starts: Positions) -> Accepted:
    """Keep a class where the product of all chances is above one half."""
    return np.asarray(np.add.reduceat(log_expit(votes), starts) > np.log(0.5))


def _relabelled(margins: Floats, hierarchy: Hierarchy, keep: Callable[[Floats, Positions], Accepted]) -> csr_array:
    """Ask for every class above 0 whether the margins of its ancestors, itself among them, keep it; close the rest.

    `keep` gets the margins of all these classes behind each other, and where those of each start.
    """
    documents, nodes = np.nonzero(margins > 0)
    if not nodes.size:
        return csr_array(np.zeros(margins.shape, dtype=bool))
    above = hierarchy.ancestors[nodes]
    votes = margins[np.repeat(documents, np.diff(above.indptr)), above.indices]
    kept = keep(votes, above.indptr[:-1].astype(np.int64))
    own = csr_array((np.ones(int(kept.sum()), bool), (documents[kept], nodes[kept])), shape=margins.shape)
    return hierarchy.close(own)
