"""The basic algorithm of lshtc_knn_2014: candidates by three terms, five neighbours, the three commonest categories.

The paper's "similarity", (N_1 + N_2 - 2 C_f) / (N_1 + N_2 - C_f), is a distance: the smallest is nearest. The index
scores documents by 1 minus it, so that the largest is nearest (`scoring`).
"""

import numpy as np
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.decision import Decision
from classmark.hierarchy import Hierarchy
from classmark.index.inverted import InvertedIndex, Neighbours
from classmark.neighbours.base import NeighbourClassifier
from classmark.neighbours.voting import loudness


class OverlapKNN(NeighbourClassifier):
    """The categories that the nearest documents have most often, nearness by the share of common terms.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        The categories; by default a flat hierarchy over the labels seen.
    decision : Decision or str, optional
        How votes become label sets; by default the best path where every document has one label, otherwise the
        `n_labels` categories with most votes, as far as they have any.
    calibration : str, optional
        "platt", "isotonic" or "softmax", to have probabilities.
    k : int
        How many neighbours vote.
    terms : int or None
        Look only at documents that have one of so many of a document's heaviest terms by tf · idf; None for all.
    n_labels : int
        The most labels of a document.
    n_jobs : int, optional
        The number of threads. The result is the same for any number.

    Attributes
    ----------
    index_ : InvertedIndex
        The training documents.
    labels_ : csr_array, (n_documents, n_nodes)
        Their own labels, the entries the weights of their votes (`sample_weight`).

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

    def __init__(
        self,
        *,
        hierarchy: Hierarchy | None = None,
        decision: Decision | str | None = None,
        calibration: str | None = None,
        k: int = 5,
        terms: int | None = 3,
        n_labels: int = 3,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(hierarchy=hierarchy, decision=decision, calibration=calibration, n_jobs=n_jobs)
        self.k = k
        self.terms = terms
        self.n_labels = n_labels

    def _new_index(self, X: csr_array) -> InvertedIndex:
        return InvertedIndex.build(X, scoring="overlap", n_jobs=self.n_jobs)

    def _voices(self, neighbours: Neighbours) -> Floats:
        return loudness(neighbours, 0.0)

    def _thresholds(self) -> tuple[float, ...]:
        # One vote of k is at least this share of the most votes, so that every category with a vote reaches it.
        return (1.0, *np.full(self.n_labels - 1, 1 / self.k).tolist())
