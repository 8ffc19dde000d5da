"""What arrays are called in signatures, once for all, and how their numbers are mixed."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int32]
"""Positions of nodes, documents or terms."""
Positions: TypeAlias = npt.NDArray[np.int64]
"""Positions where 32 bits may be too few: of entries, bytes or documents."""
Bytes: TypeAlias = npt.NDArray[np.uint8]


def finalised(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Give numbers that look random, always the same ones: the finaliser of splitmix64 (Steele et al., 2014)."""
    mixed = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


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
