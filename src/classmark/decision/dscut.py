"""DS-cut: thresholds by rank on scores relative to the best (lshtc_knn_2014, "DS-cut thresholding strategy")."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.checks import Allowed, number
from classmark.decision.base import Decision
from classmark.decision.rcut import ranked_ends, sets_of
from classmark.hierarchy import Hierarchy

is_share, _ = number(least=0, most=1)


def is_by_rank(value: Any) -> bool:
    """Say whether a value is a list of shares, one a rank."""
    return isinstance(value, tuple | list) and len(value) > 0 and all(map(is_share, value))


@dataclass(frozen=True)
class DSCut(Decision):
    """Take the best category, and the next ones while their share of the best score reaches a threshold by rank.

    The scores of a document are divided by its highest. The first category is always taken, the second if its share is
    at least the second threshold, and so on; where one falls short, those behind it do not come in either. A share
    means something for positive scores only: where the best score is not positive, it is taken alone.

    Parameters
    ----------
    thresholds : tuple of float
        One for each rank, so that there are at most so many labels; the paper's are 1, .6 and .4.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> flat = Hierarchy.flat("abc")
    >>> DSCut().decide(np.array([[5.0, 3.0, 1.9]]), flat, flat.leaves).toarray()
    array([[ True,  True, False]])
    """

    ranks_ends: ClassVar[bool] = True

    allowed: ClassVar[Allowed] = {"thresholds": (is_by_rank, "numbers from 0 to 1, such as (1, 0.6, 0.4)")}

    thresholds: tuple[float, ...] = (1.0, 0.6, 0.4)

    def decide(self, scores: npt.NDArray[np.float64], hierarchy: Hierarchy, ends: npt.NDArray[np.int32]) -> csr_array:
        """Give the categories that come near enough to the best, and their ancestors; an unknown one never."""
        nodes = ranked_ends(scores, ends, len(self.thresholds))
        ranked = np.take_along_axis(scores, nodes, axis=1)
        best = ranked[:, :1]
        reached = (best > 0) & (ranked >= np.array(self.thresholds[: nodes.shape[1]]) * np.maximum(best, 0.0))
        reached[:, 0] = np.isfinite(ranked[:, 0])
        return hierarchy.close(sets_of(nodes, np.logical_and.accumulate(reached, axis=1), len(hierarchy)))
