"""The majority baseline: the same answer for every document."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.answers import Matrix, Positions
from classmark.base import Contributions, HierarchicalClassifier
from classmark.errors import InputError
from classmark.persistence import State, checked_array
from classmark.strategies.spread import spread_upward


class MajorityClassifier(HierarchicalClassifier):
    """Put every document into the most frequent category.

    That category scores its share of the training documents, every other its share minus one, so that a threshold of
    0 and the best path both answer with it.

    Examples
    --------
    >>> from classmark import MajorityClassifier
    >>> MajorityClassifier().fit([[0], [1], [2]], ["a", "b", "b"]).predict([[0]])
    array(['b'], dtype='<U1')
    """

    def work_to_learn(self, X: csr_array, own: csr_array) -> float:
        """Count nothing: there is nothing to touch."""
        return 0.0

    def learn(self, X: csr_array, own: csr_array, weight: npt.NDArray[np.float64] | None) -> None:
        """Learn how often each category is a document's own label."""
        weights = np.ones(own.shape[0]) if weight is None else weight
        shares = (weights @ own.astype(np.float64) / weights.sum())[self.ends_]
        shares[np.arange(shares.size) != np.argmax(shares)] -= 1.0
        self.shares_ = shares

    def score_rows(self, X: csr_array) -> npt.NDArray[np.float64]:
        """Score every document alike."""
        one = spread_upward(self.shares_[None, :], self.ends_, self.hierarchy_)
        return np.repeat(one, X.shape[0], axis=0)

    def contributions_to(self, X: csr_array, node: int, scores: npt.NDArray[np.float64]) -> Contributions:
        """Give everything to the bias: no term counts."""
        return Contributions(csr_array(X.shape), scores[:, node])

    def term_weights(self, blocks: Sequence[Positions]) -> Iterator[Matrix]:
        """Refuse: no term counts."""
        raise InputError("majority looks at no word: it has none for a category")

    def _learned_state(self) -> State:
        return {"shares": self.shares_}

    def _restore(self, learned: State) -> None:
        self.shares_ = checked_array(learned, "shares", np.float64, (self.ends_.size,))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
