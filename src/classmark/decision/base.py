"""What every decision can do."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.hierarchy import Hierarchy


@dataclass(frozen=True)
class Decision:
    """Turns scores into consistent label sets.

    Attributes
    ----------
    one_label : bool
        Whether every document gets exactly one own label, so that answers may be a 1-D array.
    learns : bool
        Whether `fit` needs training scores.
    """

    one_label: ClassVar[bool] = False
    learns: ClassVar[bool] = False

    def fit(self, scores: npt.NDArray[np.float64], labels: csr_array, hierarchy: Hierarchy) -> Self:
        """Give a decision that has learned from the scores and label sets of training documents."""
        return self

    def decide(self, scores: npt.NDArray[np.float64], hierarchy: Hierarchy, ends: npt.NDArray[np.int32]) -> csr_array:
        """Give the label sets, ancestors included, as a boolean indicator over the nodes."""
        raise NotImplementedError
