"""Indicators: boolean CSR matrices that say which nodes belong to which row."""

from typing import Any

from scipy.sparse import csr_array


def canonical(matrix: Any) -> csr_array:
    """Copy a matrix as a boolean indicator with sorted, distinct indices and no stored zeros.

    A stored zero or a place that stands twice would be counted as a label. To bool before CSR, which adds up what
    stands twice in one place: 1 and 1 is still a label.

    >>> canonical(csr_array([[2, 0]])).toarray()
    array([[ True, False]])
    """
    result = csr_array(matrix.astype(bool, copy=True))
    result.sum_duplicates()
    result.eliminate_zeros()
    return result
