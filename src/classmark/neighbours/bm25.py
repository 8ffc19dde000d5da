"""The enhanced algorithm of lshtc_knn_2014: BM25, votes by similarity, thresholds by rank.

The paper's k, α, k_1 and b are `k`, `alpha`, `k1` and `b`; the number of heaviest terms that choose the candidates, 3,
is `terms`; the thresholds of DS-cut are `thresholds`. Score(D) = Σ γ(S_b, D) · BM25(S_a, S_b)^α is in `voting`.

The paper's values are `PRESETS["paper"]`. The defaults are others: on glosses of nouns Okapi's BM25, which lets counts
saturate, over all documents, with votes by a higher power of the similarity, does better. The paper's idf leaves a term
in half of the documents no weight, so that of two documents none has a neighbour; Lucene's, with the power that suits
it, does about as well where documents are many (docs: "Neighbours").
"""

from typing import Annotated, Any, Self

from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.checks import choice, real
from classmark.decision.dscut import BY_RANK
from classmark.index.inverted import InvertedIndex, Neighbours
from classmark.index.scoring import IDFS, SCORINGS
from classmark.neighbours.base import NeighbourClassifier
from classmark.neighbours.voting import loudness
from classmark.registry import find_method
from classmark.text.settings import K1, B
from classmark.wording import unknown_name

PRESETS = {"paper": "knn-bm25-paper"}
"""Parameters that have a name: `paper`, those of lshtc_knn_2014, section "Validation", as a method has them."""


Thresholds = Annotated[
    tuple[float, ...],
    BY_RANK._replace(description=f"{BY_RANK.description}, one for each label that a document may have"),
    "The part of the best score that a category must reach, one for each rank: there are at most as many labels.",
]


class BM25KNN(NeighbourClassifier):
    """Categories by the votes of the nearest documents, each as loud as it is near, nearness by BM25.

    Examples
    --------
    >>> from classmark import BM25KNN
    >>> X = [[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]]
    >>> model = BM25KNN().fit(X, ["owl", "owl", "gull", "oak", "oak"])
    >>> model.predict([[1, 0, 0, 0], [0, 0, 0, 2]])
    array(['owl', 'gull'], dtype='<U4')
    >>> [(voter.document, voter.labels) for voter in model.voters([[0, 1, 0, 0]], "owl")[0]]
    [(0, ['owl'])]
    """

    alpha: Annotated[
        float,
        real(ge=0),
        "A neighbour votes by its similarity to this power: 0 makes all the same, 3 lets the nearest decide.",
    ] = 2.5
    k1: K1 = 1.2
    b: B = 0.75
    scoring: Annotated[
        str,
        choice(name for name, scoring in SCORINGS.items() if not scoring.is_overlap),
        "Okapi's BM25, or as the paper prints it, where counts never saturate.",
    ] = "okapi"
    idf: Annotated[
        str,
        choice(IDFS),
        "The weight of a term: Lucene's is above 0, Robertson's, the paper's, is 0 for one in half of the documents.",
    ] = "lucene"
    thresholds: Thresholds = (1.0, 0.7, 0.7)

    @classmethod
    def preset(cls, name: str, **parameters: Any) -> Self:
        """Give a classifier with the parameters of a preset, and others as given.

        >>> BM25KNN.preset("paper", k=60).get_params()["alpha"]
        0.75
        """
        if name not in PRESETS:
            raise unknown_name("preset", name, PRESETS)
        return cls(**{**find_method(PRESETS[name]).defaults, **parameters})

    def _new_index(self, X: csr_array) -> InvertedIndex:
        return InvertedIndex.build(X, scoring=self.scoring, k1=self.k1, b=self.b, idf=self.idf, n_jobs=self.n_jobs)

    def _voices(self, neighbours: Neighbours) -> Floats:
        return loudness(neighbours, self.alpha)

    def _thresholds(self) -> tuple[float, ...]:
        return tuple(float(value) for value in self.thresholds)
