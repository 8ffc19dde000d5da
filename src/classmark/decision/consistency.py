"""The ways to make accepted labels consistent (consistent_global_2006, Definition 3).

Upward closure believes the specific label and adds its ancestors; the top-down filter believes the general one and
drops every label with an ancestor that was not accepted; the average confidence lets them vote, the product of chances
asks for all of them together, and the likelihood weighs whole sets.

The minimum, a label by the lowest of its own and its ancestors' margins, is the filter under another name: the lowest
is above 0 where all are.

Section 5 of the paper averages the margins of a class and all its ancestors. As probabilities,
σ(margin) = 1 / (1 + exp(−margin)), they can be multiplied instead.

For the most probable consistent set, a margin m is the log-odds of a class, log p − log(1 − p), independent of the
others. Then the log-likelihood of a set S is

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

from collections.abc import Callable
from typing import Annotated, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import log_expit

from classmark.arrays import Floats
from classmark.checks import choice
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.indicator import canonical


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
    return _relabelled(
        margins, hierarchy, lambda votes, starts: np.add.reduceat(log_expit(votes), starts) > np.log(0.5)
    )


def _mean_above_0(votes: Floats, starts: Positions) -> Accepted:
    """Keep a class that all votes are for, or their mean."""
    consistent = np.minimum.reduceat(votes, starts) > 0
    with np.errstate(invalid="ignore"):
        return np.asarray(consistent | (np.add.reduceat(votes, starts) / np.diff(starts, append=votes.size) > 0))


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


def close_upward(accepted: csr_array, hierarchy: Hierarchy) -> csr_array:
    """Add every ancestor of an accepted label.

    >>> from classmark import Hierarchy
    >>> close_upward(csr_array([[False, True]]), Hierarchy.from_paths(["a/b"])).toarray()
    array([[ True,  True]])
    """
    return hierarchy.close(accepted)


def filter_topdown(accepted: csr_array, hierarchy: Hierarchy) -> csr_array:
    """Keep a label only if all its ancestors are accepted too.

    >>> from classmark import Hierarchy
    >>> filter_topdown(csr_array([[False, True]]), Hierarchy.from_paths(["a/b"])).toarray()
    array([[False, False]])
    """
    accepted = canonical(accepted)
    size = len(hierarchy)
    rows = np.repeat(np.arange(accepted.shape[0]), np.diff(accepted.indptr))
    above = hierarchy.ancestors[accepted.indices]
    n_above = np.diff(above.indptr)
    # A pair (document, node) as one number: every ancestor pair must be among the accepted ones.
    needed = np.repeat(rows * size, n_above) + above.indices
    present = np.isin(needed, rows * size + accepted.indices)
    kept = np.bincount(np.repeat(np.arange(rows.size), n_above), weights=present, minlength=rows.size) == n_above
    result = csr_array((kept, accepted.indices.copy(), accepted.indptr.copy()), shape=accepted.shape)
    result.eliminate_zeros()
    return result


CONSISTENCY: dict[str, Callable[[npt.NDArray[np.float64], Hierarchy], csr_array]] = {
    "close": lambda margins, hierarchy: close_upward(csr_array(margins > 0), hierarchy),
    "filter": lambda margins, hierarchy: filter_topdown(csr_array(margins > 0), hierarchy),
    "average": average_confidence,
    "minimum": lambda margins, hierarchy: filter_topdown(csr_array(margins > 0), hierarchy),
    "product": product_of_chances,
    "likelihood": most_likely,
}
"""The rules by name; each takes the scores less the thresholds, and a node above 0 is accepted."""
BY_SIGN = frozenset({"close", "filter", "minimum", "product"})
"""The rules that ask of a margin that is not above 0 no more than that; the others weigh how far below it is."""

Consistency: TypeAlias = Annotated[
    str,
    choice(CONSISTENCY),
    "How accepted nodes are made consistent: an accepted node brings its ancestors (close), needs them all (filter, or "
    "minimum), stands by the average confidence of all of them, by the product of their chances, or in the most likely "
    "consistent set.",
]
"""The setting of all decisions that accept nodes one by one."""
