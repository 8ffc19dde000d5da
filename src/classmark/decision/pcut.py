"""P-cut: as many documents for each node as it has in training."""

from dataclasses import replace
from typing import Annotated, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.checks import real
from classmark.decision.node_thresholds import NodeThresholds, bottom_up, score_at_rank
from classmark.hierarchy import Hierarchy


class PCut(NodeThresholds):
    """Accept as large a share of documents into each node as it has among the training documents.

    Yang's P-cut ranks the documents of a batch; here the score at that rank among held-out documents is the
    threshold, so that an answer does not depend on what else is asked.
    """

    factor: Annotated[float, real(gt=0), "How many times its training share a node may take."] = 1.0

    def fit(self, scores: npt.NDArray[np.float64], labels: csr_array, hierarchy: Hierarchy) -> Self:
        """Learn for every node the score that lets its share of the documents in."""
        wanted = np.rint(self.factor * np.asarray(hierarchy.close(labels).sum(axis=0))).astype(int)
        found = bottom_up(
            scores, hierarchy, self.consistency == "close", lambda node, column: score_at_rank(column, wanted[node])
        )
        return replace(self, thresholds=found)
