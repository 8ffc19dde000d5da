"""Neighbours that know the hierarchy, which lshtc_knn_2014 calls "a major problem yet unsolved".

With v(c) = Σ γ(S_b, c) · BM25(S_a, S_b)^α, the votes for a category as own label, and V = Σ v(c), a candidate, a
category that a neighbour has, scores

    s(c) = (v(c) + a · T(parents of c)) / V + ρ · cosine(S_a, centroid of c) + β · naive Bayes(c),
    T(p) = Σ v(e) · decay^(levels from e up to p) over p and all categories e below it,

where a is `ancestors`, ρ is `centroid` and β is `bayes`. The second part lets neighbours vote for ancestors: among
categories with as many votes, the one in the part of the hierarchy where the other neighbours are wins. A node with
several parents takes the mean of theirs, and one below another by several ways counts by each. The third asks all
documents of a category, not only the near ones, and lets those with few lean on their parents (`centroids`). The last
is between 0, for the least likely candidate, and 1, for the likeliest (`bayes`).

Whatever is accepted brings its ancestors along, so that label sets are consistent. With `descent` the best category is
looked for from the top (`descent`), and put just above all others; their scores stay what they are.
"""

from typing import Annotated

import numpy as np
from scipy.sparse import csr_array, diags_array, eye_array

from classmark.arrays import Floats
from classmark.checks import optional, real
from classmark.hierarchy import Hierarchy
from classmark.index.inverted import Neighbours
from classmark.neighbours.bayes import candidate_log_odds, learn_counts, odds_of_words, spans
from classmark.neighbours.bm25 import BM25KNN, Thresholds
from classmark.neighbours.centroids import Centroids, learn_centroids
from classmark.neighbours.descent import ends_from_top, put_first
from classmark.neighbours.pairs import pair_products
from classmark.neighbours.tree_centroids import TreeCentroids, learn_tree_centroids
from classmark.neighbours.voting import count_votes
from classmark.persistence import State


class HierarchicalKNN(BM25KNN):
    """Categories by the votes of the nearest documents for them and their ancestors, and by their centroids.

    Examples
    --------
    >>> from classmark import Hierarchy, HierarchicalKNN
    >>> tree = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})
    >>> X = [[1, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0, 0, 0, 2, 0], [0, 0, 0, 1, 1]]
    >>> model = HierarchicalKNN(hierarchy=tree).fit(X, ["owl", "gull", "oak", "oak"])
    >>> model.predict([[0, 2, 0, 0, 0], [0, 0, 1, 0, 0]])
    array(['owl', 'gull'], dtype='<U6')
    """

    thresholds: Thresholds = (1.0, 0.9, 0.9)
    decay: Annotated[float, real(ge=0, le=1), "What is left of a vote one level further up."] = 0.7
    ancestors: Annotated[
        float, real(ge=0), "How much the votes for a category's parents count for it; 0 for not at all."
    ] = 0.5
    centroid: Annotated[
        float,
        real(ge=0),
        "How much the cosine with a category's centroid counts beside its part of the votes; 0 for not at all.",
    ] = 1.0
    borrow: Annotated[float, real(ge=0), "How many documents the parents count for in a category's centroid."] = 1.0
    bayes: Annotated[float, real(ge=0), "How much naive Bayes among the candidates counts; 0 for not at all."] = 0.0
    descent: Annotated[
        float | None,
        optional(real(gt=0)),
        "How sharply the way from the top keeps to the best category, and not to where most of them are; None for the "
        "category with the highest score, wherever it is.",
    ] = 5.0

    def learn(self, X: csr_array, own: csr_array, weight: Floats | None) -> None:
        """Put the documents into an index, and learn from them what is said of categories."""
        super().learn(X, own, weight)
        self._learn_categories()

    def _restore(self, learned: State) -> None:
        super()._restore(learned)
        # A model of a hierarchy that is no tree has none.
        self._learn_categories(learned.get("centroids"))

    def _learned_state(self) -> State:
        kept = {"centroids": self.centroids_.to_state()} if isinstance(self.centroids_, TreeCentroids) else {}
        return super()._learned_state() | kept

    def _learn_categories(self, kept: State | None = None) -> None:
        """Learn what is said of categories, all of it from the documents in the index, unless it was kept."""
        self.centroids_ = self._centroids(kept) if self.centroid else None
        counts, hierarchy = self.index_.counts, self.hierarchy_
        self.counts_ = learn_counts(counts(), self.labels_, hierarchy) if self.bayes else None
        self.upward_ = decayed_closure(self.hierarchy_, self.decay)
        n_parents = np.maximum(np.diff(self.hierarchy_.parents.indptr), 1)
        self.parents_ = csr_array(diags_array(1 / n_parents) @ self.hierarchy_.parents.astype(np.float64))

    def _centroids(self, kept: State | None) -> TreeCentroids | Centroids:
        hierarchy, borrow = self.hierarchy_, self.borrow
        if not hierarchy.is_tree:
            return learn_centroids(self.index_.counts(), self.labels_, hierarchy, borrow)
        if kept is not None:
            return TreeCentroids.from_state(kept, hierarchy, self.n_features_in_, borrow)
        return learn_tree_centroids(*self.index_.rows(), self.n_features_in_, self.labels_, hierarchy, borrow)

    def candidate_scores(self, X: csr_array, found: Neighbours) -> csr_array:
        """Add to the votes what ancestors, centroids and words say of the same categories."""
        votes = super().candidate_scores(X, found)
        rows = np.repeat(np.arange(votes.shape[0]), np.diff(votes.indptr))
        scores = votes.data.copy()
        if self.ancestors:
            above = csr_array(votes @ self.upward_)
            above.sort_indices()
            scores += self.ancestors * pair_products(votes.indptr, votes.indices, above, self.parents_, self.n_jobs)
        scores /= np.asarray(votes.sum(axis=1))[rows]
        if self.centroids_ is not None:
            scores += self.centroid * self.centroids_.cosines(X, votes, self.n_jobs)
        if self.counts_ is not None:
            odds = candidate_log_odds(self.counts_, X, votes)
            low, span = spans(votes, odds)
            scores += self.bayes * (odds - low[rows]) / span[rows]
        found_scores = csr_array((scores, votes.indices, votes.indptr), shape=votes.shape)
        if self.descent is None:
            return found_scores
        return put_first(found_scores, ends_from_top(found_scores, self.hierarchy_, self.descent))

    def _vote_weights(self, end: int, found: Neighbours) -> Floats:
        weights = super()._vote_weights(end, found)
        if self.ancestors:
            weights += self.ancestors * (self.upward_ @ self.parents_[[end]].toarray()[0])
        total = count_votes(found, self._voices(found), self.labels_).sum()
        return np.asarray(weights / total)

    def term_contributions(self, found: Neighbours, X: csr_array, end: int) -> Floats:
        """Add to the contributions of votes those of the centroid's cosine and of the words' log-odds."""
        terms = super().term_contributions(found, X, end)
        if self.centroids_ is not None:
            terms += self.centroid * self.centroids_.cosine_terms(X, end)
        if self.counts_ is not None:
            votes = count_votes(found, self._voices(found), self.labels_)
            _, span = spans(votes, candidate_log_odds(self.counts_, X, votes))
            terms += self.bayes * odds_of_words(self.counts_, X, end) / span[0]
        return terms


def decayed_closure(hierarchy: Hierarchy, decay: float) -> csr_array:
    """Give what of a node's vote arrives at each node above it: decay^levels, by every way up; 1 at the node itself.

    >>> decayed_closure(Hierarchy.from_paths(["a/b/c"]), 0.5).toarray()
    array([[1.  , 0.  , 0.  ],
           [0.5 , 1.  , 0.  ],
           [0.25, 0.5 , 1.  ]])
    """
    if hierarchy.is_tree:
        ancestors = hierarchy.ancestors
        levels = np.repeat(hierarchy.levels, np.diff(ancestors.indptr)) - hierarchy.levels[ancestors.indices]
        powers = np.cumprod([1.0] + [decay] * hierarchy.depth)
        return csr_array((powers[levels], ancestors.indices, ancestors.indptr), shape=ancestors.shape)
    step = csr_array(hierarchy.parents.astype(np.float64) * decay)
    step.eliminate_zeros()
    closure = power = csr_array(eye_array(len(hierarchy), format="csr"))
    while power.nnz:
        power = csr_array(power @ step)
        closure = csr_array(closure + power)
    return closure
