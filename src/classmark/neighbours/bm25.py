"""The enhanced algorithm of lshtc_knn_2014: BM25, votes by similarity, thresholds by rank.

The paper's k, α, k_1 and b are `k`, `alpha`, `k1` and `b`; the number of heaviest terms that choose the candidates, 3,
is `terms`; the thresholds of DS-cut are `thresholds`. Score(D) = Σ γ(S_b, D) · BM25(S_a, S_b)^α is in `voting`.

The paper's values are `PRESETS["paper"]`. The defaults are others: on glosses of nouns Okapi's BM25, which lets counts
saturate, over all documents, with votes by a higher power of the similarity, does better. The paper's idf leaves a term
in half of the documents no weight, so that of two documents none has a neighbour; Lucene's, with the power that suits
it, does about as well where documents are many (docs: "Neighbours").
"""

from typing import Any, Self

from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.decision import Decision
from classmark.hierarchy import Hierarchy
from classmark.index.inverted import InvertedIndex, Neighbours
from classmark.index.scoring import UNSAID
from classmark.neighbours.base import NeighbourClassifier
from classmark.neighbours.voting import loudness
from classmark.persistence import State

PRESETS: dict[str, dict[str, Any]] = {
    "paper": {
        "k": 50,
        "alpha": 0.75,
        "k1": 6.0,
        "b": 0.75,
        "scoring": "printed",
        "idf": "robertson",
        "terms": 3,
        "thresholds": (1.0, 0.6, 0.4),
    },
}
"""Parameters that have a name: `paper`, those of lshtc_knn_2014, section "Validation"."""


class BM25KNN(NeighbourClassifier):
    """Categories by the votes of the nearest documents, each as loud as it is near, nearness by BM25.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        The categories; by default a flat hierarchy over the labels seen.
    decision : Decision or str, optional
        How votes become label sets; by default the best path where every document has one label, otherwise DS-cut
        with `thresholds`.
    calibration : str, optional
        "platt", "isotonic" or "softmax", to have probabilities.
    k : int
        How many neighbours vote.
    alpha : float
        A neighbour votes by its similarity to this power: 0 makes all the same, 3 lets the nearest decide.
    k1, b : float
        BM25's parameters: how late a count saturates, and how much the length of a document counts.
    scoring : "okapi" or "printed"
        Okapi's BM25, or as the paper prints it, where counts never saturate.
    idf : "lucene" or "robertson"
        The weight of a term: always above 0, or the paper's, 0 for a term in half of the documents or more.
    terms : int or None
        Look only at documents that have one of so many of a document's heaviest terms by tf · idf; None for all,
        exactly.
    thresholds : tuple of float
        The share of the best score that a category must have, one for each rank: at most so many labels.
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
    >>> from classmark import BM25KNN
    >>> X = [[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]]
    >>> model = BM25KNN().fit(X, ["owl", "owl", "gull", "oak", "oak"])
    >>> model.predict([[1, 0, 0, 0], [0, 0, 0, 2]])
    array(['owl', 'gull'], dtype='<U4')
    >>> [(voter.document, voter.labels) for voter in model.voters([[0, 1, 0, 0]], "owl")[0]]
    [(0, ['owl'])]
    """

    def __init__(
        self,
        *,
        hierarchy: Hierarchy | None = None,
        decision: Decision | str | None = None,
        calibration: str | None = None,
        k: int = 30,
        alpha: float = 2.5,
        k1: float = 1.2,
        b: float = 0.75,
        scoring: str = "okapi",
        idf: str = "lucene",
        terms: int | None = None,
        thresholds: tuple[float, ...] = (1.0, 0.7, 0.7),
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(hierarchy=hierarchy, decision=decision, calibration=calibration, n_jobs=n_jobs)
        self.k = k
        self.alpha = alpha
        self.k1 = k1
        self.b = b
        self.scoring = scoring
        self.idf = idf
        self.terms = terms
        self.thresholds = thresholds

    @classmethod
    def preset(cls, name: str, **parameters: Any) -> Self:
        """Give a classifier with the parameters of a preset, and others as given.

        >>> BM25KNN.preset("paper", k=60).get_params()["alpha"]
        0.75
        """
        if name not in PRESETS:
            raise ValueError(f"preset {name!r} does not exist; choose {', '.join(PRESETS)}")
        return cls(**PRESETS[name] | parameters)

    def _new_index(self, X: csr_array) -> InvertedIndex:
        return InvertedIndex.build(X, scoring=self.scoring, k1=self.k1, b=self.b, idf=self.idf, n_jobs=self.n_jobs)

    def _restore(self, learned: State) -> None:
        super()._restore({**learned, "parameters": {"idf": UNSAID, **learned["parameters"]}})

    def _voices(self, neighbours: Neighbours) -> Floats:
        return loudness(neighbours, self.alpha)

    def _thresholds(self) -> tuple[float, ...]:
        return tuple(float(value) for value in self.thresholds)
