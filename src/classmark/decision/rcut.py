"""R-cut: the best r categories for every document."""

from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.checks import integer
from classmark.decision.base import Decision
from classmark.hierarchy import Hierarchy


def ranked_ends(scores: npt.NDArray[np.float64], ends: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.int32]:
    """Give each document's best ends, best first, the first of equals first: `(n_documents, count)`."""
    order = np.argsort(-scores[:, ends], axis=1, kind="stable")[:, :count]
    return np.asarray(ends[order], dtype=np.int32)


def sets_of(nodes: npt.NDArray[np.int32], accepted: npt.NDArray[np.bool_], size: int) -> csr_array:
    """Make an indicator of the accepted ones among each document's nodes."""
    documents = np.repeat(np.arange(len(nodes)), accepted.sum(axis=1))
    return csr_array((np.ones(documents.size, bool), (documents, nodes[accepted])), shape=(len(nodes), size))


class RCut(Decision):
    """Take the r best categories, whatever they score, and their ancestors.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> flat = Hierarchy.flat("abc")
    >>> RCut(2).decide(np.array([[3.0, 1.0, 2.0]]), flat, flat.leaves).toarray()
    array([[ True, False,  True]])
    """

    ranks_ends: ClassVar[bool] = True

    r: Annotated[int, integer(ge=1), "How many categories are taken."] = 1

    @property
    def ranks(self) -> int:
        """As many as it takes."""
        return self.r

    def decide(self, scores: npt.NDArray[np.float64], hierarchy: Hierarchy, ends: npt.NDArray[np.int32]) -> csr_array:
        """Give the best ends of each document and their ancestors; an end that nothing was learned of never."""
        nodes = ranked_ends(scores, ends, self.r)
        known = np.isfinite(np.take_along_axis(scores, nodes, axis=1))
        return hierarchy.close(sets_of(nodes, known, len(hierarchy)))
