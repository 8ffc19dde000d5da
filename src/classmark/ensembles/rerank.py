"""A reranker: a second look at the best categories of every part, one for all categories.

A blend adds up what parts say of each category by itself. Boosted trees see more of a pair of a document and a
category: how far the others lie behind, which parts agree, what is said of the parent, how frequent the category is.
They learn it from documents that were held out, where all categories teach the same trees, so that it works for
categories of few documents, and for thousands of categories: only the best `candidates` are looked at.

Where documents are few, or the trees do no better on documents held out, the blend alone answers.

The features of a pair of a document and a candidate category:

| feature | what it is |
|---|---|
| score, of each part | the score of the category as own label |
| margin, of each part | by how much that is above the best other candidate: negative but for the first |
| rank, of each part | log(1 + how many candidates score higher) |
| parent, of each part | the score of the category's parent as a node, that of the best where there are several |
| mean | the mean of the scores of the parts that know the category |
| firsts | how many parts score no candidate higher |
| frequency, closed frequency | log(1 + n), n training documents with it as own label, or with it or one below it |
| depth, siblings | the level of the category, and how many others share a parent with it |
| candidates | how many candidates the document has |

What is not known is NaN. Scores of parts are to be on one scale, or their mean says little.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.base import Contributions
from classmark.checks import integer
from classmark.decision.auto import HeldOut, worth
from classmark.ensembles.blend import BlendClassifier, weighted_sum
from classmark.ensembles.candidates import BEST_OF_A_PART, MOST, Candidates, best_of_parts
from classmark.ensembles.out_of_fold import OutOfFold
from classmark.ensembles.scales import Scale
from classmark.ensembles.trees import Trees, crossed_scores, learn_reranker
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.persistence import State, checked_array
from classmark.strategies.parts import Lesson
from classmark.strategies.spread import raise_to_best_below

OF_A_PART = {"score": 1, "margin": 0, "rank": 0, "parent": 0}
OF_ALL_PARTS = {"mean": 1, "firsts": 0}
OF_A_NODE = {"frequency": 0, "closed frequency": 0, "depth": 0, "siblings": 0}
OF_A_DOCUMENT = {"candidates": 0}
"""The features in their order, and whether more of one can only speak for a category (1), all else being equal.

Margins and ranks are left free: on 17,157 categories of `wordnet_nouns` hF was .005 lower where they were not.
"""


class Part(NamedTuple):
    """What one part says of some documents, `(n_documents, n_nodes)` each; minus infinity where it knows nothing.

    Attributes
    ----------
    own, nodes : array of float
        The scores of nodes as own labels, and those of nodes.
    """

    own: Floats
    nodes: Floats


def directions(n_parts: int) -> list[int]:
    """Say for each feature whether more of it can only speak for a category, 1, or for or against it, 0.

    >>> directions(2)
    [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    """
    return [*OF_A_PART.values()] * n_parts + [*(OF_ALL_PARTS | OF_A_NODE | OF_A_DOCUMENT).values()]


def node_features(hierarchy: Hierarchy, own: csr_array) -> Floats:
    """Give the features of every node, `(n_nodes, 4)`, by the own labels of the documents learned from.

    For scores that are held out, these are the documents that the copy which gave them has learned from: by those of
    all, a category of one document would never be right.

    >>> tree = Hierarchy.from_nested({"bird": ["owl", "gull"]})
    >>> np.expm1(node_features(tree, csr_array([[False, True, False]] * 3))).round()[:, :2]
    array([[0., 3.],
           [3., 3.],
           [0., 0.]])
    """
    frequencies = [np.bincount(labels.indices, minlength=len(hierarchy)) for labels in (own, hierarchy.close(own))]
    # Those at the top are siblings below the root, which is no node.
    together = csr_array(hierarchy.parents.astype(np.int32) @ hierarchy.children.astype(np.int32))
    siblings = np.where(hierarchy.levels == 1, hierarchy.tops.size, np.diff(together.indptr)) - 1
    return np.column_stack([*np.log1p(frequencies), hierarchy.levels, siblings]).astype(np.float64)


def pair_features(parts: Sequence[Part], candidates: Candidates, hierarchy: Hierarchy, about: Floats) -> Floats:
    """Give the features of all pairs, a row each, in the order of `directions`.

    Parameters
    ----------
    parts : sequence of Part
        What each part says of the documents.
    candidates : Candidates
        The pairs.
    hierarchy : Hierarchy
        The categories.
    about : array of float, (n_nodes, 4)
        What `node_features` gives.

    Examples
    --------
    >>> pair, categories = Candidates(np.array([0, 2]), np.array([0, 1])), Hierarchy.flat(["owl", "gull"])
    >>> scores = np.array([[3.0, 1.0]])
    >>> found = pair_features([Part(scores, scores)], pair, categories, np.zeros((2, 4)))
    >>> found[:, :4].round(2)  # score, margin, rank, parent
    array([[ 3.  ,  2.  ,  0.  ,   nan],
           [ 1.  , -2.  ,  0.69,   nan]])
    """
    pairs = _Pairs(candidates)
    scores = np.empty((len(parts), len(candidates.nodes)))
    firsts = np.zeros(len(candidates.nodes))
    columns: list[Floats] = []
    for number, part in enumerate(parts):
        scores[number] = part.own[pairs.documents, pairs.nodes]
        margin, rank = pairs.compared(scores[number])
        firsts += rank == 0
        columns += [scores[number], margin, np.log1p(rank), pairs.best_parent(part.nodes, hierarchy)]
    known = np.isfinite(scores)
    with np.errstate(invalid="ignore"):
        mean = np.where(known, scores, 0).sum(axis=0) / known.sum(axis=0)
    sizes = np.repeat(candidates.sizes, candidates.sizes)
    features = np.column_stack([*columns, mean, firsts, about[pairs.nodes], sizes])
    features[~np.isfinite(features)] = np.nan
    return features


class _Pairs:
    """Pairs of a document and a candidate, compared with the others of the document."""

    def __init__(self, candidates: Candidates) -> None:
        self.nodes = candidates.nodes
        self.documents = candidates.documents
        self.starts = np.repeat(candidates.starts[:-1], candidates.sizes)
        self.alone = np.repeat(candidates.sizes, candidates.sizes) == 1

    def compared(self, scores: Floats) -> tuple[Floats, Floats]:
        """Give by how much each is above the best other one, and how many are higher; NaN where it is not known."""
        order = np.lexsort((-scores, self.documents))
        ranked = scores[order]
        first = np.arange(len(ranked)) == self.starts
        new = first | (ranked != np.roll(ranked, 1))
        higher = np.maximum.accumulate(np.where(new, np.arange(len(ranked)), 0)) - self.starts
        second = np.append(ranked, -np.inf)[self.starts + 1]
        rival = np.where(first, np.where(self.alone, -np.inf, second), ranked[self.starts])
        margin, rank = np.empty(len(ranked)), np.empty(len(ranked))
        with np.errstate(invalid="ignore"):
            margin[order], rank[order] = ranked - rival, np.where(ranked > -np.inf, higher, np.nan)
        return margin, rank

    def best_parent(self, scores: Floats, hierarchy: Hierarchy) -> Floats:
        """Give the highest score of a parent, minus infinity for a node at the top."""
        above = hierarchy.parents[self.nodes]
        counts = np.diff(above.indptr)
        found = scores[np.repeat(self.documents, counts), above.indices]
        best, below = np.full(len(self.nodes), -np.inf), counts > 0
        if below.any():
            best[below] = np.maximum.reduceat(found, above.indptr[:-1][below])
        return best


FEWEST = 100
"""With fewer documents held out, which of trees and blend is better is chance.

With 150 training documents of `reuters90` hF of others was .815 by trees and .800 by the blend, of `newsgroups20` .609
and .588.
"""
SECONDS_OF_TREES = 1e-3
"""What the trees cost for each document (benchmarks/estimates.py)."""
MARGIN = 1.0
"""By how much, at least, the log-odds of what is no candidate are below those of the candidates."""
SCORES_AT_A_TIME = 1 << 22
"""How many scores of each part are held at a time, beside the answer."""


class RerankClassifier(BlendClassifier):
    """Look again at the best categories of several classifiers, by trees that see what all of them say of a pair.

    Scores are the log-odds that a category is an own label of the document, and for nodes those that any at or below
    them is. What is no candidate comes after all candidates, in the order of the blend.

    Attributes
    ----------
    parts_ : list of HierarchicalClassifier
        The parts, fitted.
    trees_ : Trees or None
        The reranker; None where the blend alone answers, which does better with few documents.
    about_ : array or None, (n_nodes, 4)
        What the reranker knows of every node, `pairs.node_features`.
    weights_, node_factors_, own_factors_ : array, (n_parts,)
        Those of the blend.
    columns_ : list of slice
        Which columns of X each part sees.

    Examples
    --------
    >>> from classmark import FlatClassifier, FlatNB, RerankClassifier
    >>> X = [[3, 0, 1], [2, 0, 0], [0, 3, 1], [0, 2, 0]] * 3
    >>> y = ["owl", "owl", "gull", "gull"] * 3
    >>> model = RerankClassifier([("svm", FlatClassifier()), ("nb", FlatNB())]).fit(X, y)
    >>> model.predict([[1, 0, 0]])
    array(['owl'], dtype='<U4')
    >>> model.trees_ is None  # twelve documents are too few
    True
    """

    from_held_out: ClassVar[tuple[str, ...]] = (*BlendClassifier.from_held_out, "trees_", "about_")

    count: Annotated[int, integer(ge=1), "How many of the best categories of each part are looked at again."] = (
        BEST_OF_A_PART
    )
    most: Annotated[int, integer(ge=1), "How many categories of a document are looked at again in all."] = MOST

    def _seconds(self, X: csr_array, own: csr_array) -> float:
        """Count the trees, which are fitted several times, besides the blend."""
        documents = self._held_out_scores(own) / (len(self.named()) * len(self.hierarchy_))
        return super()._seconds(X, own) + SECONDS_OF_TREES * documents

    def learn_from(self, lesson: Lesson, found: OutOfFold) -> Floats:
        """Learn the blend, and the trees where they are worth it; give the scores of the documents held out."""
        blended = super().learn_from(lesson, found)
        self.trees_: Trees | None = None
        self.about_: Floats | None = None
        if found.rows.size < FEWEST:
            return blended
        own = csr_array(lesson.own[found.rows])
        candidates, features = self._held_out_pairs(lesson, found)
        documents = candidates.documents
        right = own.toarray().astype(bool)[documents, candidates.nodes]
        taught = features, right, documents, self.random_state or 0, directions(len(self.parts_) + 1)
        trees = learn_reranker(*taught)
        odds = crossed_scores(*taught, n_jobs=self.n_jobs)
        reranked = np.empty_like(blended)
        for rows in self._pieces(found.rows.size):
            starts = candidates.starts[rows.start : rows.stop + 1]
            pairs = slice(int(starts[0]), int(starts[-1]))
            some = Candidates(starts - starts[0], candidates.nodes[pairs])
            reranked[rows] = self._reranked(_said(found, rows), some, odds[pairs], trees.baseline)
        if self._worth(reranked, own) > self._worth(blended, own):
            self.trees_, self.about_ = trees, node_features(self.hierarchy_, csr_array(lesson.own[lesson.held_out]))
            return reranked
        return blended

    def _worth(self, scores: Floats, own: csr_array) -> float:
        """Give the hF that the decision reaches on scores of documents held out."""
        given = self.as_own(scores) if self.decision_.ranks_ends else self.as_nodes(scores)
        return worth(self.decision_, HeldOut(given, self.hierarchy_.close(own), self.hierarchy_, self.ends_))

    def _held_out_pairs(self, lesson: Lesson, found: OutOfFold) -> tuple[Candidates, Floats]:
        """Give the candidates of all documents held out, and the features of the pairs.

        How frequent a category is, is counted in what the copies that score a document have learned from.
        """
        looked: list[tuple[npt.NDArray[np.intp], npt.NDArray[np.integer], Floats]] = []
        for seen, places in found.folds:
            counted = np.intersect1d(seen, lesson.held_out)
            about = node_features(self.hierarchy_, csr_array(lesson.own[counted]))
            for rows in self._pieces(places.size):
                candidates, features = self._pairs(_said(found, places[rows]), about)
                looked.append((places[rows][candidates.documents], candidates.nodes, features))
        documents, nodes, features = (np.concatenate(each) for each in zip(*looked, strict=True))
        order = np.argsort(documents, kind="stable")
        starts = np.searchsorted(documents[order], np.arange(found.rows.size + 1))
        return Candidates(starts, nodes[order]), features[order]

    def _pairs(self, said: Sequence[Part], about: Floats) -> tuple[Candidates, Floats]:
        """Give the candidates of documents, and the features of the pairs."""
        candidates = best_of_parts([part.own for part in said], self.ends_, self.count, self.most, self.n_jobs)
        scales = zip(said, self.own_scales_, self.node_scales_, strict=True)
        scaled = [Part(_where_known(own, part.own), _where_known(nodes, part.nodes)) for part, own, nodes in scales]
        return candidates, pair_features([*scaled, self._blended(said)], candidates, self.hierarchy_, about)

    def _blended(self, said: Sequence[Part]) -> Part:
        """Give what the blend says, which is one more part to the trees: sums are what they are worst at."""
        own = [scale(part.own) for scale, part in zip(self.own_scales_, said, strict=True)]
        nodes = [scale(part.nodes) for scale, part in zip(self.node_scales_, said, strict=True)]
        return Part(
            self.own_scale_(weighted_sum(self.own_factors_, own)),
            self.node_scale_(weighted_sum(self.node_factors_, nodes)),
        )

    def _reranked(self, said: Sequence[Part], candidates: Candidates, odds: Floats, nothing: float) -> Floats:
        """Give scores as `score_rows` does, where those of the candidates are given, and those of nothing known."""
        blended = self._blended(said).own[:, self.ends_]
        gaps = blended.max(axis=1, keepdims=True) - blended
        nobody = candidates.sizes == 0
        known = np.isfinite(np.maximum.reduce([part.own[:, self.ends_] for part in said])) | nobody[:, None]
        lowest = np.full(len(nobody), nothing)
        if odds.size:
            lowest[~nobody] = np.minimum.reduceat(odds, candidates.starts[:-1][~nobody])
        own = np.full((len(nobody), len(self.hierarchy_)), -np.inf)
        own[:, self.ends_] = np.where(known, lowest[:, None] - MARGIN - gaps, -np.inf)
        own[candidates.documents, candidates.nodes] = odds
        return np.hstack([self._above(own, candidates, odds), own])

    def _above(self, own: Floats, candidates: Candidates, odds: Floats) -> Floats:
        """Give the log-odds that any candidate at or below a node is right, as if each were right by itself.

        With p the chances of the candidates, the odds are 1/∏(1 - p) - 1. Where none is below, the best of the others.
        """
        nodes = own.copy()
        raise_to_best_below(nodes, self.hierarchy_)
        # What each adds to -log ∏(1 - p) is added to all above it too.
        shares = csr_array((np.logaddexp(0, odds), candidates.nodes, candidates.starts), shape=own.shape)
        found = (shares @ self.hierarchy_.ancestors.astype(np.float64)).tocoo()
        inner = np.diff(self.hierarchy_.children.indptr)[found.col] > 0
        rows, columns, sums = found.row[inner], found.col[inner], found.data[inner]
        with np.errstate(divide="ignore"):
            any_right = sums + np.log(-np.expm1(-sums))
        nodes[rows, columns] = np.maximum(nodes[rows, columns], any_right)
        return nodes

    def score_rows(self, X: csr_array) -> Floats:
        """Give the log-odds of every node, then those of own labels."""
        if self.trees_ is None or self.about_ is None:
            return super().score_rows(X)
        scores = np.empty((X.shape[0], self.score_columns))
        for rows in self._pieces(X.shape[0]):
            said = [self._said_by(place, X[rows]) for place in range(len(self.parts_))]
            candidates, features = self._pairs(said, self.about_)
            odds = self.trees_.decision_function(features, self.n_jobs)
            scores[rows] = self._reranked(said, candidates, odds, self.trees_.baseline)
        return scores

    def _said_by(self, place: int, X: csr_array) -> Part:
        nodes, own = self.scores_of(self.parts_[place], X[:, self.columns_[place]])
        return Part(own, nodes)

    def _pieces(self, documents: int) -> Iterator[slice]:
        """Cut documents into slices for which the scores of all parts can be held."""
        size = max(1, SCORES_AT_A_TIME // len(self.hierarchy_))
        for start in range(0, documents, size):
            yield slice(start, min(start + size, documents))

    def contributions_to(self, X: csr_array, node: int, scores: Floats) -> Contributions:
        """Give the terms' contributions to the blend; what trees make of all terms together is in the bias."""
        found = super().contributions_to(X, node, scores)
        if self.trees_ is None:
            return found
        return Contributions(found.terms, scores[:, node] - found.terms.sum(axis=1))

    def _learned_state(self) -> State:
        reranker = None if self.trees_ is None else {"trees": self.trees_.to_state(), "about": self.about_}
        own = {"count": self.count, "most": self.most, "random_state": self.random_state}
        return super()._learned_state() | own | {"reranker": reranker}

    def _restore(self, learned: State) -> None:
        super()._restore(learned)
        self.set_params(**{name: learned[name] for name in ("count", "most", "random_state")})
        self.check()
        self.trees_, self.about_ = None, None
        if learned["reranker"] is None:
            return
        self.trees_ = Trees.from_state(learned["reranker"]["trees"])
        self.about_ = checked_array(learned["reranker"], "about", np.float64, (len(self.hierarchy_), 4))
        if self.trees_.n_features != len(directions(len(self.parts_) + 1)) or not np.isfinite(self.about_).all():
            raise InputError("the model's reranker has learned from other features than its parts give")


def _said(found: OutOfFold, rows: slice | npt.NDArray[np.intp]) -> list[Part]:
    """Give what the parts say of some of the documents held out."""
    return [Part(own[rows], nodes[rows]) for own, nodes in zip(found.own, found.nodes, strict=True)]


def _where_known(scale: Scale, scores: Floats) -> Floats:
    """Bring scores to a scale; what is not known stays so."""
    return np.where(np.isfinite(scores), scale(scores), -np.inf)
