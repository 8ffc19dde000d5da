"""Neighbours that know the hierarchy, which lshtc_knn_2014 calls "a major problem yet unsolved".

With v(c) = Σ γ(S_b, c) · BM25(S_a, S_b)^α, the votes for a category as own label, and V = Σ v(c), a candidate, a
category that a neighbour has, scores

    s(c) = (v(c) + a · T(parents of c)) / V + ρ · cosine(S_a, centroid of c) + β · naive Bayes(c),
    T(p) = Σ v(e) · decay^(levels from e up to p) over p and all categories e below it,

where a is `ancestors`, ρ is `centroid` and β is `bayes`. The second part lets neighbours vote for ancestors: among
categories with as many votes, the one in the part of the hierarchy where the other neighbours are wins. A node with
several parents takes the mean of theirs, and one below another by several ways counts by each. The third asks all
documents of a category, not only the near ones, and lets those with few lean on their parents (`centroids`). The last
is between 0, for the least likely candidate, and 1, for the likeliest (`candidate_log_odds`).

Whatever is accepted brings its ancestors along, so that label sets are consistent. With `descent` the best category is
looked for from the top (`ends_from_top`), and put just above all others; their scores stay what they are.

At every node the descent goes to the child with the largest sum of scores in its subtree, each to the power of a
*sharpness*, and ends where the node's own score, to the same power, is at least that sum. A high sharpness goes where
the best category is; a low one where most of them are.

Naive Bayes smooths the counts of a category by those of its parents:
p(w | c) = (n_cw + μ p(w | parents)) / (n_c + μ) and p(w | parents) = (n_pw + ν p(w)) / (n_p + ν), where n_pw counts the
documents of the parents' subtrees and p(w) those of all. A document's log-odds against p(w) is the sum over its words;
words that no document has are passed over.
"""

from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array, eye_array

from classmark.arrays import Floats, SparseRows
from classmark.checks import optional, real
from classmark.compilation import kernel
from classmark.hierarchy import Hierarchy
from classmark.index.inverted import Neighbours
from classmark.neighbours.bm25 import BM25KNN, Thresholds
from classmark.neighbours.centroids import Centroids, TreeCentroids, families_of, learn_centroids, learn_tree_centroids
from classmark.neighbours.pairs import find, pair_products, sparse_rows, value_at
from classmark.neighbours.voting import count_votes
from classmark.persistence import State

SAME = 1e-9
OWN, PARENTS = 20.0, 100.0
"""μ and ν: how many words the parents' and the collection's distributions count for."""


class Counts(NamedTuple):
    """The counts of all nodes and of their families, as entries over p(w), their totals, and which words are known."""

    own: SparseRows
    families: SparseRows
    family: npt.NDArray[np.int32]
    own_totals: Floats
    family_totals: Floats
    known: npt.NDArray[np.bool_]


def learn_counts(counts: csr_array, labels: csr_array, hierarchy: Hierarchy) -> Counts:
    """Count the words of documents for their own labels, entries of which are weights."""
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64)
    known = totals > 0
    chances = totals / max(totals.sum(), 1.0)
    own = csr_array(labels.T @ counts)
    own.sort_indices()
    members, family = families_of(hierarchy)
    inside = csr_array((members @ hierarchy.ancestors.T.astype(np.float64)).astype(bool), dtype=np.float64)
    families = csr_array(inside @ own)
    families.sort_indices()
    own_totals, family_totals = (np.asarray(one.sum(axis=1), dtype=np.float64) for one in (own, families))
    for one in (own, families):
        one.data = one.data / chances[one.indices]
    return Counts(sparse_rows(own), sparse_rows(families), family, own_totals, family_totals, known)


@kernel
def word_odds(own: float, total: float, lent: float, lent_total: float) -> float:
    """Give ln p(w | c) / p(w) from counts over p(w)."""
    parents = (lent + PARENTS) / (lent_total + PARENTS)
    return float(np.log((own + OWN * parents) / (total + OWN)))


@kernel
def odds(
    pair_starts: npt.NDArray[np.int64],
    nodes: npt.NDArray[np.int32],
    documents: SparseRows,
    counts: Counts,
    found: Floats,
) -> None:
    """Fill in the log-odds of documents for their candidates."""
    for row in range(len(pair_starts) - 1):
        for pair in range(pair_starts[row], pair_starts[row + 1]):
            node = nodes[pair]
            family = counts.family[node]
            for entry in range(documents.starts[row], documents.starts[row + 1]):
                word = documents.columns[entry]
                if counts.known[word]:
                    own = value_at(counts.own, node, word)
                    lent = value_at(counts.families, family, word) if family >= 0 else 0.0
                    lent_total = counts.family_totals[family] if family >= 0 else 0.0
                    found[pair] += documents.values[entry] * word_odds(own, counts.own_totals[node], lent, lent_total)


def candidate_log_odds(model: Counts, counts: csr_array, candidates: csr_array) -> Floats:
    """Give the log-odds of documents for their candidates, an entry of `candidates` each."""
    found = np.zeros(candidates.nnz)
    pairs = candidates.indptr.astype(np.int64), candidates.indices.astype(np.int32)
    odds(*pairs, sparse_rows(counts), model, found)
    return found


def odds_of_words(model: Counts, counts: csr_array, node: int) -> Floats:
    """Give the log-odds of each word of one document, one row, for a node."""
    found = np.zeros(counts.shape[1])
    one = csr_array((np.ones(1), np.array([node]), np.array([0, 1])), shape=(1, model.family.size))
    for word, value in zip(counts.indices, counts.data, strict=True):
        single = csr_array((np.array([value]), np.array([word]), np.array([0, 1])), shape=counts.shape)
        found[word] = candidate_log_odds(model, single, one)[0]
    return found


def spans(candidates: csr_array, values: Floats) -> tuple[Floats, Floats]:
    """Give the lowest value among each document's candidates, and how far the highest is above it, 1 where it is not.

    >>> low, span = spans(csr_array([[1.0, 1.0], [0.0, 1.0]]), np.array([2.0, 5.0, 4.0]))
    >>> low.tolist(), span.tolist()
    ([2.0, 4.0], [3.0, 1.0])
    """
    rows = np.repeat(np.arange(candidates.shape[0]), np.diff(candidates.indptr))
    low, high = np.full(candidates.shape[0], np.inf), np.full(candidates.shape[0], -np.inf)
    np.minimum.at(low, rows, values)
    np.maximum.at(high, rows, values)
    empty = np.diff(candidates.indptr) == 0
    low[empty] = high[empty] = 0.0
    # Less than that is a difference of the last digits, which says nothing.
    return low, np.where(high - low > SAME, high - low, 1.0)


@kernel
def walk(sums: SparseRows, own: SparseRows, parents: SparseRows, ends: npt.NDArray[np.int32]) -> None:
    """Fill in the node at which each document's way ends, -1 where it has no candidate."""
    for row in range(len(ends)):
        here = -1
        best, most = best_child(row, here, sums, parents)
        while best >= 0 and (here < 0 or value_at(own, row, here) < most):
            here = best
            best, most = best_child(row, here, sums, parents)
        ends[row] = here


@kernel
def best_child(row: int, here: int, sums: SparseRows, parents: SparseRows) -> tuple[int, float]:
    """Give the child of a node, or the top node, with the largest sum above 0, and that sum; -1 where there is none."""
    best, most = -1, 0.0
    for entry in range(sums.starts[row], sums.starts[row + 1]):
        node = sums.columns[entry]
        start, stop = parents.starts[node], parents.starts[node + 1]
        is_child = start == stop if here < 0 else find(parents.columns, start, stop, here) >= 0
        if is_child and sums.values[entry] > most:
            best, most = node, sums.values[entry]
    return best, most


def ends_from_top(scores: csr_array, hierarchy: Hierarchy, sharpness: float) -> npt.NDArray[np.int32]:
    """Give the node at which the way from the top ends for each document, -1 where nothing has a score.

    Parameters
    ----------
    scores : csr_array, (n_documents, n_nodes)
        The scores of candidates, above 0, nodes sorted.

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a/x", "a/y", "b"])
    >>> scores = csr_array([[0.0, 5.0, 4.0, 3.0]])
    >>> ends_from_top(scores, tree, 1.0), ends_from_top(scores, tree, 4.0)  # a: 4 + 3 > 5; 256 + 81 < 625
    (array([2], dtype=int32), array([1], dtype=int32))
    """
    raised = csr_array((scores.data**sharpness, scores.indices, scores.indptr), shape=scores.shape)
    below = csr_array(raised @ hierarchy.ancestors.astype(np.float64))
    below.sort_indices()
    ends = np.empty(scores.shape[0], dtype=np.int32)
    walk(sparse_rows(below), sparse_rows(raised), sparse_rows(hierarchy.parents), ends)
    return ends


def put_first(scores: csr_array, chosen: npt.NDArray[np.int32]) -> csr_array:
    """Give each document's chosen candidate the least score above all others, if another one is as high.

    >>> put_first(csr_array([[2.0, 1.0]]), np.array([1])).toarray().round(9)
    array([[2., 2.]])
    """
    best = np.maximum.reduceat(np.append(scores.data, 0.0), scores.indptr[:-1]) if scores.shape[0] else np.empty(0)
    rows = np.repeat(np.arange(scores.shape[0]), np.diff(scores.indptr))
    values = np.where(scores.indices == chosen[rows], np.nextafter(best[rows], np.inf), scores.data)
    return csr_array((values, scores.indices, scores.indptr), shape=scores.shape)


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
