"""The flat strategy: each category learned alone, one against the rest, ancestors added afterwards."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from scipy.sparse import csr_array
from scipy.special import logit
from sklearn.base import BaseEstimator, clone
from sklearn.svm import LinearSVC
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from classmark.base import Contributions, HierarchicalClassifier
from classmark.decision import Decision
from classmark.hierarchy import Hierarchy
from classmark.persistence import State, checked_array
from classmark.progress import track
from classmark.strategies.learners import learner_from_state, learner_to_state
from classmark.strategies.spread import best_learned_below, spread_upward


class FlatClassifier(HierarchicalClassifier):
    """Learn every category that is some document's own label with a copy of one binary learner.

    The hierarchy plays no part in learning. A node that was never an own label scores the maximum of its descendants.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        The binary learner, `LinearSVC()` by default. Linear ones are kept as one matrix of weights; they can be saved.
    hierarchy : Hierarchy, optional
        The categories; a flat hierarchy over the labels seen by default.
    decision : Decision or str, optional
        How scores become label sets; by default the best path where every training document has exactly one own
        label, otherwise a threshold of 0.
    n_jobs : int, optional
        How many processes learn at a time. The result is the same for any number.

    Attributes
    ----------
    weights_ : array, (n_features, n_ends)
        The weights of a linear learner, a column for each node of `ends_`.
    intercepts_ : array, (n_ends,)
        Its intercepts.
    estimators_ : list
        The fitted learners where they are not linear.

    Examples
    --------
    >>> from classmark import FlatClassifier, Hierarchy
    >>> tree = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})
    >>> X = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> flat = FlatClassifier(hierarchy=tree).fit(X, ["owl", "gull", "oak"])
    >>> flat.predict([[0, 2, 0]])
    array(['gull'], dtype='<U6')
    >>> flat.predict_indicator([[0, 2, 0]]).toarray()
    array([[ True, False, False,  True, False]])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        hierarchy: Hierarchy | None = None,
        decision: Decision | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.hierarchy = hierarchy
        self.decision = decision
        self.n_jobs = n_jobs

    def _learn(self, X: csr_array, own: csr_array, weight: npt.NDArray[np.float64] | None) -> None:
        learner = LinearSVC(random_state=0) if self.estimator is None else self.estimator
        if weight is not None and not has_fit_parameter(learner, "sample_weight"):
            raise ValueError(f"{type(learner).__name__} takes no sample_weight; leave it out or choose another learner")
        columns = own.tocsc()[:, self.ends_]
        targets = (columns.indices[columns.indptr[i] : columns.indptr[i + 1]] for i in range(self.ends_.size))
        tasks = (delayed(fit_binary)(clone(learner), X, positives, weight) for positives in targets)
        # liblinear calls BLAS on short vectors, where more threads than one only get in each other's way.
        with threadpool_limits(1, user_api="blas"):
            fitted = Parallel(n_jobs=self.n_jobs, return_as="generator")(tasks)
            self._keep(track(fitted, "categories", self.ends_.size))

    def _keep(self, fitted: Iterable[Any]) -> None:
        """Keep linear learners as one matrix, each let go once its weights are in it; others as they are."""
        self.weights_ = np.zeros((self.n_features_in_, self.ends_.size))
        self.intercepts_ = np.zeros(self.ends_.size)
        others: list[Any] = []
        for column, estimator in enumerate(fitted):
            if isinstance(estimator, Constant):
                self.intercepts_[column] = estimator.margin
            elif hasattr(estimator, "coef_"):
                coef = estimator.coef_  # SVC's is sparse where X is
                self.weights_[:, column] = np.ravel(coef.toarray() if hasattr(coef, "toarray") else coef)
                self.intercepts_[column] = np.ravel(estimator.intercept_)[0]
                continue
            others.append(estimator)
        self.estimators_ = None if all(isinstance(one, Constant) for one in others) else others
        if self.estimators_ is not None:
            del self.weights_, self.intercepts_

    def _end_scores(self, X: csr_array) -> npt.NDArray[np.float64]:
        if self.estimators_ is None:
            return np.asarray(X @ self.weights_ + self.intercepts_)
        return np.stack([margin(estimator, X) for estimator in self.estimators_], axis=1)

    def _scores(self, X: csr_array) -> npt.NDArray[np.float64]:
        return spread_upward(self._end_scores(X), self.ends_, self.hierarchy_)

    def _contributions(self, X: csr_array, node: int) -> Contributions:
        if self.estimators_ is not None:
            raise ValueError(f"{type(self.estimator).__name__} is not linear: its scores are not sums over terms")
        column = best_learned_below(self._end_scores(X), self.ends_, self.hierarchy_, node)
        if (column < 0).any():
            return Contributions(csr_array(X.shape), np.full(X.shape[0], -np.inf))
        rows = np.repeat(column, np.diff(X.indptr))
        shares = csr_array((X.data * self.weights_[X.indices, rows], X.indices, X.indptr), shape=X.shape)
        return Contributions(shares, self.intercepts_[column])

    def _learned_state(self) -> State:
        learner = learner_to_state(self.estimator)
        return {"learner": learner, "weights": self.weights_, "intercepts": self.intercepts_}

    def _restore(self, learned: State) -> None:
        self.estimator = learner_from_state(learned["learner"])
        self.estimators_ = None
        self.weights_ = checked_array(learned, "weights", np.float64, (self.n_features_in_, self.ends_.size))
        self.intercepts_ = checked_array(learned, "intercepts", np.float64, (self.ends_.size,))


class Constant(BaseEstimator):
    """What is learned where every document, or none, is positive: the same margin for all."""

    def __init__(self, margin: float) -> None:
        self.margin = margin

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Give the same margin for every document."""
        return np.full(X.shape[0], self.margin)


def fit_binary(
    learner: Any, X: csr_array, positives: npt.NDArray[np.int32], weight: npt.NDArray[np.float64] | None
) -> Any:
    """Fit one learner on one category against the rest."""
    target = np.zeros(X.shape[0], dtype=np.int8)
    target[positives] = 1
    counted = target if weight is None else target[weight > 0]
    if counted.min() == counted.max():
        return Constant(1.0 if counted.max() else -1.0)
    return learner.fit(X, target) if weight is None else learner.fit(X, target, sample_weight=weight)


def margin(estimator: Any, X: csr_array) -> npt.NDArray[np.float64]:
    """Give a score that is positive where the learner says yes: its margin, or its log-odds."""
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), dtype=np.float64)
    chance = np.asarray(estimator.predict_proba(X))[:, 1]
    return np.asarray(logit(np.clip(chance, 1e-15, 1 - 1e-15)))
