"""What arrays are called in signatures, once for all."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int32]
"""Positions of nodes, documents or terms."""
