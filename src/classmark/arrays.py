"""What arrays are called in signatures, once for all."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int32]
"""Positions of nodes, documents or terms."""
Positions: TypeAlias = npt.NDArray[np.int64]
"""Positions where 32 bits may be too few: of entries, bytes or documents."""
Bytes: TypeAlias = npt.NDArray[np.uint8]


class SparseRows(NamedTuple):
    """A sparse matrix as kernels take it.

    Attributes
    ----------
    starts : array of int, (n_rows + 1,)
        The entries of row i are those from `starts[i]` to `starts[i + 1]`.
    columns, values : array, (n_entries,)
        Where each entry is in its row, and what.
    """

    starts: npt.NDArray[np.integer[Any]]
    columns: npt.NDArray[np.integer[Any]]
    values: npt.NDArray[np.floating[Any]]
