"""One evaluation: true and predicted label sets in every form that a measure asks for, each made once."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.hierarchy import Hierarchy
from classmark.metrics.flat import Counts
from classmark.metrics.hierarchical import label_sets
from classmark.metrics.ranking import Ranking
from classmark.metrics.reliability import Reliability


# eq=False: numpy compares arrays element by element, so a generated == could only raise.
@dataclass(frozen=True, eq=False)
class Evaluation:
    """The answers to some documents, and the truth about them.

    Parameters
    ----------
    true, predicted : csr_array of bool, (n_documents, n_nodes)
        The label sets; ancestors are added or taken away here.
    hierarchy : Hierarchy
        The categories.
    first : array of int, (n_documents,), optional
        The position of each document's best-scored category, -1 where there is none.
    ranking : Ranking, optional
        Which of the best-scored categories are true.
    reliability : Reliability, optional
        The probabilities, as they were judged.

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a/x"])
    >>> found = Evaluation(csr_array([[False, True]]), csr_array([[True, False]]), tree)
    >>> found.closed_true.toarray(), found.own_predicted.toarray()
    (array([[ True,  True]]), array([[ True, False]]))
    """

    true: csr_array
    predicted: csr_array
    hierarchy: Hierarchy
    first: npt.NDArray[Any] | None = None
    ranking: Ranking | None = None
    reliability: Reliability | None = None

    @cached_property
    def given(self) -> csr_array:
        """The predicted sets as they came."""
        return label_sets(self.predicted, self.hierarchy)

    @cached_property
    def own_true(self) -> csr_array:
        """The true labels without a true descendant."""
        return self.hierarchy.own(label_sets(self.true, self.hierarchy))

    @cached_property
    def own_predicted(self) -> csr_array:
        """The predicted labels without a predicted descendant."""
        return self.hierarchy.own(self.given)

    @cached_property
    def closed_true(self) -> csr_array:
        """The true labels and all their ancestors."""
        return self.hierarchy.close(self.own_true)

    @cached_property
    def closed_predicted(self) -> csr_array:
        """The predicted labels and all their ancestors."""
        return self.hierarchy.close(self.given)

    @cached_property
    def node_counts(self) -> Counts:
        """What closed sets share, for each node."""
        return Counts.per_node(self.closed_true, self.closed_predicted)

    @property
    def has_label(self) -> npt.NDArray[np.bool_]:
        """Whether each document has a true label."""
        return np.diff(self.own_true.indptr) > 0
