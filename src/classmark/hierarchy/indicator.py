"""Indicators: boolean CSR matrices that say which nodes belong to which row."""

from typing import Any

import numpy as np
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


def narrow(matrix: csr_array) -> csr_array:
    """Give a matrix 32-bit indices where they do, its data shared.

    scipy widens *both* sides of a product if one of them is wide, however large the other is.

    >>> wide = csr_array(([1.0], np.array([0], np.int64), np.array([0, 1], np.int64)), shape=(1, 1))
    >>> narrow(wide).indices.dtype
    dtype('int32')
    """
    largest = max(matrix.nnz, *matrix.shape)
    if matrix.indptr.dtype == np.int32 == matrix.indices.dtype or largest > np.iinfo(np.int32).max:
        return matrix
    parts = (matrix.data, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32))
    return csr_array(parts, shape=matrix.shape)
