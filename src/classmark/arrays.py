"""What arrays are called in signatures, once for all."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int32]
"""Positions of nodes, documents or terms."""
Positions: TypeAlias = npt.NDArray[np.int64]
"""Positions where 32 bits may be too few: of entries, bytes or documents."""
Bytes: TypeAlias = npt.NDArray[np.uint8]
