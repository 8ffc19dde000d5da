"""What a classifier with two heads makes of them: scores, chances and decisions by both.

The head *closed* says of every node how likely a document belongs to it or below it, the head *own* which of the ends
is its own label (`network` has the formulas). `score_rows` gives the log-odds of the first and then the log chances of
the second, two columns for each node. With N(c) an end and all its ancestors, ends are ranked by

    log p_own(c) + path_weight · mean over n in N(c) of log p_closed(n),

and where every training document has an own label and hardly any has several, the chance of a node is the mean of
p_closed and of the sum of p_own at and below it; otherwise it is that of *closed* alone.
"""

from collections.abc import Callable
from dataclasses import field
from typing import Annotated, Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import expit, log_expit, log_softmax, logit, softmax
from sklearn.utils.validation import check_is_fitted

from classmark.arrays import Floats
from classmark.base import HierarchicalClassifier
from classmark.checks import BOOLEAN, real
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.labels import Labels
from classmark.neural.heads import Heads
from classmark.persistence import State, checked_array
from classmark.probability import monotone

Vectors: TypeAlias = npt.NDArray[np.floating[Any]]
NamesRead: TypeAlias = Callable[[Hierarchy], Any]
"""Gives a row for every category: its name and description, read as documents are."""

ABOUT_ONE = 1.1
"""Up to so many own labels, in the mean, a document is taken to have one: the head *own* gives it one chance in all."""
SUREST = 1e-7
"""How near to 0 and 1 a chance comes that has log-odds."""


class TwoHeadedClassifier(HierarchicalClassifier):
    """Base of the classifiers that score the vectors of texts by two heads.

    A subclass writes `learn`, which makes `heads_` and `known_`, and `vectors_of`.

    Attributes
    ----------
    heads_ : Heads
        What scores vectors.
    known_ : array of bool, (n_nodes,)
        The nodes that some training document belongs to.
    one_label_ : bool
        Whether every training document had an own label, and hardly any had several.
    """

    scores_are_log_odds: ClassVar[bool] = True
    gives_chances: ClassVar[bool] = True

    path_weight: Annotated[
        float, real(ge=0), "How much the mean log chance of a path counts beside the log chance of its end."
    ] = 0.3
    unseen: Annotated[
        bool, BOOLEAN, "Whether a category without any training document may be an answer, known by its name alone."
    ] = False

    heads_: Heads = field(init=False)
    known_: npt.NDArray[np.bool_] = field(init=False)
    one_label_: bool = field(init=False)
    category_rows_: csr_array | None = field(default=None, init=False)
    _names: NamesRead | None = field(default=None, init=False)

    def fit(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None, *, names: NamesRead | None = None
    ) -> Self:
        """Learn from documents and labels in any form; `names` reads what the categories are called."""
        self._names = names
        try:
            return super().fit(X, y, sample_weight)
        finally:
            self._names = None
            self.category_rows_ = None

    def _take_categories(self, labels: Labels, own: csr_array) -> None:
        """Keep what the categories are, and what they are called; with `unseen`, every leaf may be an answer."""
        super()._take_categories(labels, own)
        rows = self.read_names(self._names)
        self.category_rows_ = None if rows is None else self._validated(rows)
        if self.unseen:
            if self.category_rows_ is None:
                raise InputError("unseen=true knows categories by their names, and there are none; give names")
            self.ends_ = np.union1d(self.ends_, self.hierarchy_.leaves).astype(np.int32)
        counts = np.diff(own[labels.labelled].indptr)
        self.one_label_ = bool(counts.min() > 0 and counts.mean() < ABOUT_ONE)

    def read_names(self, names: NamesRead | None) -> Any:
        """Give a row for every category, or None where nobody says what they are called."""
        return None if names is None else names(self.hierarchy_)

    def unfitted_copy(self) -> Self:
        """Give a copy that also knows the names of categories."""
        copy = super().unfitted_copy()
        copy.category_rows_, copy.one_label_ = self.category_rows_, self.one_label_
        return copy

    def vectors_of(self, X: csr_array) -> Vectors:
        """Give the vectors of documents, which the heads score."""
        raise NotImplementedError

    @property
    def score_columns(self) -> int:
        """How many columns `score_rows` gives: two for each node."""
        return 2 * len(self.hierarchy_)

    def score_rows(self, X: csr_array) -> Floats:
        """Give the log-odds of every node by the head *closed*, then the log chances of ends by the head *own*."""
        return self.score_vectors(self.vectors_of(X))

    def score_vectors(self, vectors: Vectors) -> Floats:
        """Score documents by their vectors, as `score_rows` does."""
        size, ends = len(self.hierarchy_), self.ends_
        scores = np.full((len(vectors), 2 * size), -np.inf)
        scores[:, size + ends] = log_softmax(self.heads_.own_logits(vectors), axis=1)
        scores[:, :size][:, self.known_] = self.heads_.closed_logits(vectors)[:, self.known_]
        if self.unseen:
            # The head *closed* has seen no document there: what *own* says below a node stands for it.
            reached = np.unique(self.hierarchy_.ancestors[ends].indices)
            others = reached[~self.known_[reached]]
            chances = self._own_sums(scores)[:, others]
            scores[:, others] = logit(chances.clip(SUREST, 1 - SUREST))
        return scores

    def _own_sums(self, scores: Floats) -> Floats:
        """Give every node the sum of the chances of the ends at and below it, by the head *own*."""
        chances = np.exp(scores[:, len(self.hierarchy_) + self.ends_])
        return np.asarray((self.hierarchy_.ancestors[self.ends_].T @ chances.T).T)

    def as_own(self, scores: Floats) -> Floats:
        """Rank ends by the head *own*, and by the head *closed* along their paths."""
        size, ends = len(self.hierarchy_), self.ends_
        own = scores[:, size:]
        if not self.path_weight:
            return own
        paths = self.hierarchy_.ancestors[ends]
        means = (paths @ log_expit(scores[:, :size]).T).T / np.diff(paths.indptr)
        ranked = np.full_like(own, -np.inf)
        ranked[:, ends] = own[:, ends] + self.path_weight * means
        return ranked

    def chances_of(self, scores: Floats) -> Floats:
        """Give the chances of nodes by both heads."""
        closed = expit(self.as_nodes(scores))
        return (closed + self._own_sums(scores)) / 2 if self.one_label_ else closed

    def probabilities_of(self, scores: Floats) -> Floats:
        """Turn scores into probabilities, those of both heads where none were learned."""
        if self.calibrator_ is not None:
            return super().probabilities_of(scores)
        if self._sums_to_one():
            return np.asarray(softmax(self.as_own(scores), axis=1))
        return monotone(self.chances_of(scores), self.hierarchy_)

    def decision_function(self, X: Any) -> Floats:
        """Score in scikit-learn's shapes; where classes exclude each other, by what ranks them."""
        check_is_fitted(self)
        if not self._sums_to_one():
            return self.node_scores(X)
        scores = self.own_scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def decide(self, scores: Floats) -> csr_array:
        """Turn scores into label sets, by the chances of both heads where the decision weighs chances."""
        if self.decision_.weighs_chances:
            return self.decision_.decide_by(self.chances_of(scores), self.hierarchy_, self.ends_)
        return super().decide(scores)

    def _heads_state(self) -> State:
        """Give what was learned of the heads as plain data and arrays."""
        return {
            "heads": self.heads_.to_state(),
            "known": self.known_,
            "one_label": self.one_label_,
            "parameters": self._parameters_state(),
        }

    def _restore_heads(self, learned: State) -> None:
        size = len(self.hierarchy_)
        self.heads_ = Heads.from_state(learned["heads"], self.ends_.size, size)
        self.known_ = checked_array(learned, "known", np.bool_, (size,))
        self.one_label_ = bool(learned["one_label"])
        self._restore_parameters(learned["parameters"])
