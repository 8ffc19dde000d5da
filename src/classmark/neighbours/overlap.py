"""The basic algorithm of lshtc_knn_2014: candidates by three terms, five neighbours, the three commonest categories.

The paper's "similarity", (N_1 + N_2 - 2 C_f) / (N_1 + N_2 - C_f), is a distance: the smallest is nearest. The index
scores documents by 1 minus it, so that the largest is nearest (`scoring`).
"""

from typing import Annotated

import numpy as np
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.checks import integer
from classmark.index.inverted import InvertedIndex, Neighbours
from classmark.neighbours.base import HeaviestTerms, NeighbourClassifier, Voters
from classmark.neighbours.voting import loudness


class OverlapKNN(NeighbourClassifier):
    """The categories that the nearest documents have most often, nearness by the share of common terms.

    Examples
    --------
    >>> from classmark import OverlapKNN
    >>> X = [[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]]
    >>> model = OverlapKNN().fit(X, ["owl", "owl", "gull"])
    >>> model.predict([[1, 0, 0, 0], [0, 0, 0, 2]])
    array(['owl', 'gull'], dtype='<U4')
    >>> model.node_scores([[1, 0, 0, 0]])
    array([[0., 2.]])
    """

    k: Voters = 5
    terms: HeaviestTerms = 3
    n_labels: Annotated[int, integer(ge=1, le=1000), "The most labels of a document."] = 3

    def _new_index(self, X: csr_array) -> InvertedIndex:
        return InvertedIndex.build(X, scoring="overlap", n_jobs=self.n_jobs)

    def _voices(self, neighbours: Neighbours) -> Floats:
        return loudness(neighbours, 0.0)

    def _thresholds(self) -> tuple[float, ...]:
        # One vote of k is at least this share of the most votes, so that every category with a vote reaches it.
        return (1.0, *np.full(self.n_labels - 1, 1 / self.k).tolist())
