"""Some nodes for all: what a threshold is tuned on where there are too many to learn each of them several times."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.decision.thresholds import best_f1


class NodeSample(NamedTuple):
    """Nodes drawn with a chance in proportion to their documents, and how many nodes each stands for.

    Micro-averaged F1 is a sum over nodes, so the sum over drawn nodes, each divided by its chance, estimates it. A node
    that is frequent enough to be drawn surely stands for itself alone.

    Attributes
    ----------
    nodes : array of int
        In ascending order.
    weights : array
        The inverse of each node's chance.
    """

    nodes: npt.NDArray[np.intp]
    weights: Floats

    @classmethod
    def draw(cls, labels: csr_array, size: int) -> "NodeSample":
        """Draw some of the columns of an indicator, at equal distances along the sum of their documents.

        >>> NodeSample.draw(csr_array([[1, 1, 0], [1, 0, 1], [1, 0, 0]]), 2)
        NodeSample(nodes=array([0, 1]), weights=array([1. , 2.5]))
        """
        counts = np.bincount(labels.indices, minlength=labels.shape[1]).astype(np.float64)
        distance = counts.sum() / size
        points = distance * (np.arange(size) + 0.5)
        nodes = np.unique(np.searchsorted(np.cumsum(counts), points, side="right"))
        return cls(nodes, np.maximum(1.0, distance / counts[nodes]))

    def threshold(self, scores: Floats, truth: npt.NDArray[np.bool_]) -> float:
        """Give the threshold with the best estimated micro-F1: `(n_documents, n_drawn)` each."""
        return best_f1(scores.ravel(), truth.ravel(), np.tile(self.weights, len(scores)))[0]
