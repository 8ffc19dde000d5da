"""Two ways to make accepted labels consistent (consistent_global_2006, Definition 3).

Upward closure believes the specific label and adds its ancestors; the top-down filter believes the general one and
drops every label with an ancestor that was not accepted.
"""

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array

from classmark.hierarchy import Hierarchy


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
    accepted = accepted.astype(bool)
    accepted.sum_duplicates()
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


CONSISTENCY: dict[str, Callable[[csr_array, Hierarchy], csr_array]] = {
    "close": close_upward,
    "filter": filter_topdown,
}
