"""EM among vectors: a mixture of von Mises–Fisher distributions of one concentration (Banerjee et al. 2005, section 3).

Counts of terms tell little about a text of ten words, its embedding much. Every end j has a centre μ_j on the sphere
(`centres_`), κ is `concentration`, and all ends are equally likely, so that

    P(j | x) = exp(κ μ_j·x) / Σ_k exp(κ μ_k·x),    μ_j ∝ Σ_labelled λ S_ij x_i + Σ_unlabelled P(j | x_i) x_i,

where S_ij is the fraction of end j in the labels of document i, and λ is `labeled_weight`. EM starts from the centres
of the labelled documents. Dataless learning is the case in which the labelled documents are the names of the
categories.
"""

from typing import Annotated, Any, ClassVar, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit, softmax

from classmark.arrays import Floats
from classmark.base import Contributions
from classmark.checkpoints import ResumableClassifier
from classmark.checks import integer, real
from classmark.limits import Needed
from classmark.persistence import State, checked_array
from classmark.probability import own_chances
from classmark.progress import track

Rows: TypeAlias = Floats | csr_array

DENSE = 0.2
"""From this fraction of entries on, a matrix is quicker to multiply with all of its zeros."""
CERTAIN = 2.0**-53
"""The least chance of anything else: what a chance differs from 1 by no more than rounding leaves."""
LARGEST_CONCENTRATION = 300.0
"""Above it the least posteriors are no numbers any more."""

PRODUCT = 1 / 300
"""Entries of a linear learner that cost as much as a product of two coordinates: .06 ns."""


class EmbeddingEM(ResumableClassifier):
    """A centre on the sphere for each category, from labelled vectors and, by EM, from unlabelled ones.

    Rows of X are directions: every one is brought to length 1. A node scores the log-odds of its posterior, the sum
    over the ends at or below it. Without unlabelled documents the centres are the means of the labelled ones.

    Attributes
    ----------
    centres_ : array, (n_ends, n_features)
        μ_j, unit vectors.
    n_iter_ : int
        The number of iterations.

    Examples
    --------
    >>> from classmark.weak import EmbeddingEM
    >>> X = [[1, 0], [0, 1], [5, 4], [4, 5], [0.6, 0.8]]
    >>> model = EmbeddingEM().fit(X, ["east", "north", None, None, None])
    >>> model.predict([[2, 1]])
    array(['east'], dtype=object)
    """

    uses_unlabelled: ClassVar[bool] = True
    one_place: ClassVar[bool] = True
    scores_are_log_odds: ClassVar[bool] = True

    concentration: Annotated[
        float, real(gt=0, le=LARGEST_CONCENTRATION), "κ: how sure a difference of cosines makes."
    ] = 30.0
    labeled_weight: Annotated[float, real(gt=0), "How many unlabelled documents a labelled one counts as."] = 1.0
    tol: Annotated[float, real(ge=0, le=2), "EM ends when no centre moves further than this."] = 1e-4
    max_iter: Annotated[int, integer(ge=1), "The largest number of iterations."] = 50

    def memory_to_learn(self, X: csr_array, own: csr_array) -> Needed:
        """Count a share of every document in every category, the centers, and the vectors twice."""
        documents, ends = X.shape[0], self.ends_.size
        what = f"shares of {documents:,} documents in {ends:,} categories, and their centres"
        least = 8.0 * ends * (documents + X.shape[1])
        return Needed(least, what, least + 16.0 * documents * X.shape[1])

    def work_to_learn(self, X: csr_array, own: csr_array) -> float:
        """Count the products of vectors and centers: one of labeled documents, and two an iteration of the others."""
        labeled = np.diff(own.indptr) > 0
        documents = float(labeled.sum()) + 2.0 * self.max_iter * float((~labeled).sum())
        return float(X.nnz) + PRODUCT * documents * X.shape[1] * self.ends_.size

    def learn(self, X: csr_array, own: csr_array, weight: Floats | None) -> None:
        """Learn the centres of the ends, and let EM share out what is not labelled."""
        kept = self.taken_up(X, own, weight)
        vectors = directions(X)
        counted = np.ones(X.shape[0]) if weight is None else weight
        taught = np.diff(own.indptr) > 0
        weights = own[taught][:, self.ends_].toarray().astype(np.float64)
        weights *= (counted[taught] / np.maximum(weights.sum(axis=1), 1.0))[:, None]
        labelled = self.labeled_weight * _sums(weights, vectors[taught])
        others = ~taught & (counted > 0)
        self.centres_ = unit_rows(labelled)
        self.n_iter_ = 1
        if others.any():
            self._iterate(labelled, vectors[others], counted[others], self._go_on(kept))

    def _go_on(self, kept: State | None) -> int:
        """Take up the centres that were kept; give how many iterations are done."""
        if kept is None:
            return 0
        # In their memory, for a product adds up in another order where numbers stand in another one.
        self.centres_[...] = kept["centres"]
        return int(kept["iterations"])

    def _iterate(self, labelled: Floats, vectors: Rows, weight: Floats, done: int) -> None:
        for iteration in track(range(done, self.max_iter), "iterations", self.max_iter - done):
            responsibilities = self._posteriors(vectors) * weight[:, None]
            before, self.centres_ = self.centres_, unit_rows(labelled + _sums(responsibilities, vectors))
            self.n_iter_ = iteration + 1
            if np.linalg.norm(self.centres_ - before, axis=1).max() <= self.tol:
                break
            if self._checkpoint is not None:
                self._checkpoint.keep(lambda: {"centres": self.centres_, "iterations": self.n_iter_})

    def _posteriors(self, vectors: Rows) -> Floats:
        return np.asarray(softmax(self.concentration * (vectors @ self.centres_.T), axis=1))

    def score_rows(self, X: csr_array) -> Floats:
        """Score every node by the log-odds of its ends' shares of a document."""
        members = self.hierarchy_.ancestors[self.ends_].astype(np.float64)
        return _log_odds(np.asarray(self._posteriors(directions(X)) @ members))

    def as_own(self, scores: Floats) -> Floats:
        """Turn the log-odds of a node and what is below it into those of the node alone."""
        return _log_odds(own_chances(expit(scores), self.ends_, self.hierarchy_))

    def contributions_to(self, X: csr_array, node: int, scores: Floats) -> Contributions:
        """Give κ (μ_best - μ_other) · x by coordinates, for the best end at or below the node and the best other one.

        What all other ends add to either side is in the bias.
        """
        scores = scores[:, node]
        inside = np.asarray(self.hierarchy_.ancestors[self.ends_][:, [node]].toarray()[:, 0], dtype=bool)
        if inside.all() or not inside.any():
            return Contributions(csr_array(X.shape), scores)
        vectors = csr_array(directions(X))
        cosines = vectors @ self.centres_.T
        best = np.argmax(np.where(inside, cosines, -np.inf), axis=1)
        other = np.argmax(np.where(inside, -np.inf, cosines), axis=1)
        rows = np.repeat(np.arange(X.shape[0]), np.diff(vectors.indptr))
        apart = self.centres_[best[rows], vectors.indices] - self.centres_[other[rows], vectors.indices]
        terms = csr_array((self.concentration * apart * vectors.data, vectors.indices, vectors.indptr), shape=X.shape)
        return Contributions(terms, np.asarray(scores - terms.sum(axis=1)))

    def _learned_state(self) -> State:
        return {
            "parameters": self._parameters_state(),
            "centres": self.centres_,
            "iterations": self.n_iter_,
        }

    def _restore(self, learned: State) -> None:
        self._restore_parameters(learned["parameters"])
        self.centres_ = checked_array(learned, "centres", np.float64, (self.ends_.size, self.n_features_in_))
        self.n_iter_ = int(learned["iterations"])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn's data are clouds of points, whose directions say little.
        tags.classifier_tags.poor_score = True
        return tags


def _log_odds(chances: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        # No chance at all, where no end is below a node, is minus infinity.
        return np.asarray(np.log(chances) - np.log(np.maximum(1.0 - chances, CERTAIN)))


def directions(X: csr_array) -> Rows:
    """Bring every row to length 1, in the form that is quicker to multiply with.

    >>> directions(csr_array([[3.0, 4.0, 0.0]]))
    array([[0.6, 0.8, 0. ]])
    """
    if X.nnz >= DENSE * X.shape[0] * X.shape[1]:
        return unit_rows(X.toarray())
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    largest = np.zeros(X.shape[0])
    np.maximum.at(largest, rows, np.abs(X.data))
    data = X.data / np.where(largest > 0, largest, 1.0)[rows]
    lengths = np.sqrt(np.bincount(rows, np.square(data), minlength=X.shape[0]))
    return csr_array((data / np.where(lengths > 0, lengths, 1.0)[rows], X.indices, X.indptr), shape=X.shape)


def _sums(weights: Floats, vectors: Rows) -> Floats:
    """Give Σ_i shares_ij x_i, a row for each j."""
    return np.asarray((vectors.T @ weights).T)


def unit_rows(vectors: Floats) -> Floats:
    """Bring every row to length 1; zeros stay.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    # The largest number first: squares of very large and very small ones are no numbers any more.
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    vectors = np.divide(vectors, largest, out=np.zeros_like(vectors, dtype=np.float64), where=largest > 0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0))
