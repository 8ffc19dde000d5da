"""The ways to make accepted labels consistent (consistent_global_2006, Definition 3).

Upward closure believes the specific label and adds its ancestors; the top-down filter believes the general one and
drops every label with an ancestor that was not accepted; the average confidence lets them vote, the product of chances
asks for all of them together, and the likelihood weighs whole sets.

The minimum, a label by the lowest of its own and its ancestors' margins, is the filter under another name: the lowest
is above 0 where all are.
"""

from collections.abc import Callable
from typing import Annotated, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.checks import choice
from classmark.decision.average_confidence import average_confidence, product_of_chances
from classmark.decision.likelihood import most_likely
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.indicator import canonical


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
