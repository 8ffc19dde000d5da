"""The best path: every document gets exactly one place in the hierarchy."""

from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.decision.base import Decision
from classmark.hierarchy import Hierarchy


def best_end(scores: npt.NDArray[np.float64], ends: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Give for each document the end with the highest score, the first of equals.

    >>> best_end(np.array([[9.0, 1.0, 2.0]]), np.array([1, 2], dtype=np.int32))
    array([2], dtype=int32)
    """
    return np.asarray(ends[np.argmax(scores[:, ends], axis=1)], dtype=np.int32)


class BestPath(Decision):
    """Take the path that ends in the node with the highest score among the ends.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> tree = Hierarchy.from_paths(["a/b", "c"])
    >>> BestPath().decide(np.array([[0.0, -2.0, -1.0]]), tree, np.array([1, 2], dtype=np.int32)).toarray()
    array([[ True, False,  True]])
    """

    one_label: ClassVar[bool] = True
    takes_best_end: ClassVar[bool] = True
    ranks_ends: ClassVar[bool] = True

    @property
    def ranks(self) -> int:
        """The best one."""
        return 1

    def decide(self, scores: npt.NDArray[np.float64], hierarchy: Hierarchy, ends: npt.NDArray[np.int32]) -> csr_array:
        """Give the best end of each document and its ancestors."""
        documents = len(scores)
        chosen = best_end(scores, ends)
        own = csr_array((np.ones(documents, bool), chosen, np.arange(documents + 1)), shape=scores.shape)
        return hierarchy.close(own)
