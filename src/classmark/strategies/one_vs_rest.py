"""One against the rest: a binary learner for each of some nodes, which is what several strategies come down to.

The weights of all linear learners are one matrix, a column each: dense and whole, or sparse without small ones.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array, csr_array
from scipy.special import logit
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from classmark.answers import Matrix, Positions
from classmark.base import Contributions, HierarchicalClassifier
from classmark.checks import real
from classmark.errors import InputError
from classmark.held_out import ENTRIES_OF_A_DOCUMENT
from classmark.limits import Needed
from classmark.parallel import in_order
from classmark.persistence import State, checked_array
from classmark.progress import track
from classmark.strategies.learners import learner_from_state, learner_to_state
from classmark.strategies.spread import best_learned_below, mean_below, spread_upward
from classmark.strategies.topdown.linear_bank import LinearBank


class WeightColumns:
    """A matrix in the making; a learner is let go once its weights are in it.

    Parameters
    ----------
    features, columns : int
        The shape.
    prune : float
        Weights with a smaller absolute value are dropped, the others kept in single precision, and the matrix is
        sparse; with 0 it is dense and whole.

    Examples
    --------
    >>> kept = WeightColumns(3, 2, prune=0.1)
    >>> kept.put(1, np.array([0.5, 0.01, -2.0]))
    >>> kept.finished().toarray()
    array([[ 0. ,  0.5],
           [ 0. ,  0. ],
           [ 0. , -2. ]])
    """

    def __init__(self, features: int, columns: int, prune: float) -> None:
        self.prune, self.shape = prune, (features, columns)
        self.dense = np.zeros(self.shape) if prune == 0 else None
        self.rows = [np.empty(0, np.int32)] * columns
        self.values = [np.empty(0, np.float32)] * columns

    def put(self, column: int, weights: npt.NDArray[np.float64]) -> None:
        """Put the weights of a learner into a column."""
        if self.dense is not None:
            self.dense[:, column] = weights
            return
        kept = np.flatnonzero((np.abs(weights) >= self.prune) & (weights != 0))
        self.rows[column] = kept.astype(np.int32)
        self.values[column] = weights[kept].astype(np.float32)

    def finished(self) -> Matrix:
        """Give the matrix."""
        if self.dense is not None:
            return self.dense
        starts = np.cumsum([0, *(rows.size for rows in self.rows)]).astype(np.int32)
        parts = (np.concatenate(self.values), np.concatenate(self.rows), starts)
        return csr_array(csc_array(parts, shape=self.shape).astype(np.float64))


def margins(X: csr_array, weights: Matrix, intercepts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Give the margin of every learner for every document."""
    found = X @ weights
    return np.asarray((found.toarray() if isinstance(found, csr_array) else found) + intercepts)


def weights_at(weights: Matrix, rows: npt.NDArray[Any], columns: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Give some weights by their rows and columns.

    >>> weights_at(csr_array([[1.0, 2.0], [3.0, 0.0]]), np.array([0, 1, 1]), np.array([1, 0, 1]))
    array([2., 3., 0.])
    """
    if not isinstance(weights, csr_array):
        return np.asarray(weights[rows, columns])
    chosen = csr_array((np.ones(rows.size), (np.arange(rows.size), columns)), shape=(rows.size, weights.shape[1]))
    return np.asarray(weights[rows].multiply(chosen).sum(axis=1), dtype=np.float64).ravel()


def placed_rows(part: Matrix, rows: npt.NDArray[np.intp], count: int) -> csr_array:
    """Give a matrix of so many rows, zeros but for those that a part has.

    >>> placed_rows(np.array([[1.0, 2.0]]), np.array([1]), 2).toarray()
    array([[0., 0.],
           [1., 2.]])
    """
    put = csr_array((np.ones(rows.size), (rows, np.arange(rows.size))), shape=(count, rows.size))
    return csr_array(put @ csr_array(part))


def weights_to_state(weights: Matrix, intercepts: npt.NDArray[np.float64]) -> State:
    """Give weights and intercepts as plain data and arrays."""
    if not isinstance(weights, csr_array):
        return {"weights": weights, "intercepts": intercepts}
    bank = LinearBank(csr_array(weights.astype(np.float32)), intercepts)
    return {"weights": bank.to_state(), "intercepts": intercepts}


def weights_from_state(learned: State, features: int, columns: int) -> tuple[Matrix, npt.NDArray[np.float64]]:
    """Take up weights and intercepts, refusing what cannot be some."""
    intercepts = checked_array(learned, "intercepts", np.float64, (columns,))
    if isinstance(learned["weights"], dict):
        bank = LinearBank.from_state(learned["weights"], intercepts, features)
        return csr_array(bank.weights.astype(np.float64)), intercepts
    return checked_array(learned, "weights", np.float64, (features, columns)), intercepts


Weights: TypeAlias = npt.NDArray[np.float64] | None

Prune = Annotated[
    float,
    real(ge=0),
    "Weights of a linear learner with a smaller absolute value are dropped, and the others kept in a sparse matrix.",
]
BYTES_OF_AN_ENTRY = 16
"""An entry of X in liblinear's copy."""
BYTES_OF_A_WEIGHT = 26
"""A kept weight, while the sparse matrix of all weights is built (benchmarks/estimates.py)."""
WEIGHTS_OF_A_CATEGORY = 200
"""Kept weights of terms that the positive documents of a category do not have."""
CATEGORY = 20_000.0
"""Entries that cost as much as what a learner does besides reading its documents: .4 ms."""


class OneVsRest(HierarchicalClassifier):
    """Base of the classifiers that keep a binary learner for each of some nodes.

    A subclass says in `learn` what the learners are to tell apart, with `_learn_nodes`; a node without a learner of
    its own scores the maximum of its descendants.

    Attributes
    ----------
    weights_ : array or csr_array, (n_features, n_learned)
        The weights of a linear learner, a column for each learned node; sparse where `prune` is above 0.
    intercepts_ : array, (n_learned,)
        Its intercepts.
    estimators_ : list
        The fitted learners where they are not linear.
    """

    prune: Prune = 0.0

    def _nodes_with_documents(self) -> npt.NDArray[np.int32]:
        """Give the nodes with a training document at or below them."""
        return np.unique(self.hierarchy_.ancestors[self.ends_].indices).astype(np.int32)

    def _learned_nodes(self) -> npt.NDArray[np.int32]:
        """Give the nodes that have a learner, in node order: those that were some document's own label."""
        return self.ends_

    def _learn_nodes(self, learner: Any, X: csr_array, targets: csr_array, weights: Iterable[Weights]) -> None:
        """Fit a copy of the learner for each column of the targets, with weights of its own."""
        columns = targets.tocsc()
        positives = (columns.indices[columns.indptr[i] : columns.indptr[i + 1]] for i in range(columns.shape[1]))
        tasks = ((clone(learner), rows, weight) for rows, weight in zip(positives, weights, strict=False))
        # liblinear calls BLAS on short vectors, where more threads than one only get in each other's way.
        with threadpool_limits(1, user_api="blas"):
            fitted = in_order(fit_binary, tasks, shared=(X,), n_jobs=self.n_jobs)
            self._keep(track(fitted, "categories", columns.shape[1]), columns.shape[1])

    def _keep(self, fitted: Iterable[Any], count: int) -> None:
        """Keep linear learners as one matrix, each let go once its weights are in it; others as they are."""
        columns = WeightColumns(self.n_features_in_, count, self.prune)
        self.intercepts_ = np.zeros(count)
        others: list[Any] = []
        for column, estimator in enumerate(fitted):
            part = linear_part(estimator)
            if part is not None:
                weights, self.intercepts_[column] = part
                columns.put(column, weights)
            if part is None or isinstance(estimator, ConstantMargin):
                others.append(estimator)
        self.estimators_ = None if all(isinstance(one, ConstantMargin) for one in others) else others
        if self.estimators_ is None:
            self.weights_ = columns.finished()
        else:
            del self.intercepts_

    def score_rows(self, X: csr_array) -> npt.NDArray[np.float64]:
        """Score the nodes that have a learner by its margins, and every other node by the best below it."""
        if self.estimators_ is None:
            scores = margins(X, self.weights_, self.intercepts_)
        else:
            scores = np.stack([margin(estimator, X) for estimator in self.estimators_], axis=1)
        return spread_upward(scores, self._learned_nodes(), self.hierarchy_)

    def contributions_to(self, X: csr_array, node: int, scores: npt.NDArray[np.float64]) -> Contributions:
        """Give the terms' contributions to a node's scores, where its learner is linear."""
        if self.estimators_ is not None:
            raise InputError(f"{type(self.estimator).__name__} is not linear: its scores are not sums over terms")
        learned = self._learned_nodes()
        column = best_learned_below(scores[:, learned], learned, self.hierarchy_, node)
        if (column < 0).any():
            return Contributions(csr_array(X.shape), np.full(X.shape[0], -np.inf))
        rows = np.repeat(column, np.diff(X.indptr))
        terms = csr_array((X.data * weights_at(self.weights_, X.indices, rows), X.indices, X.indptr), shape=X.shape)
        return Contributions(terms, self.intercepts_[column])

    def term_weights(self, blocks: Sequence[Positions]) -> Iterator[Matrix]:
        """Give the weights of nodes with a learner, and for others the mean of those below them."""
        if self.estimators_ is not None:
            raise InputError(f"{type(self.estimator).__name__} is not linear: it has no weights of terms")
        learned = self._learned_nodes()
        weights = csr_array(self.weights_.T) if isinstance(self.weights_, csr_array) else self.weights_.T
        return (mean_below(learned, self.hierarchy_, nodes) @ weights for nodes in blocks)

    def memory_to_learn(self, X: csr_array, own: csr_array) -> Needed:
        """Count a weight for every term and learned node; if small ones are dropped, those of its documents' terms."""
        nodes, terms = self._learned_nodes(), X.shape[1]
        what, copy = f"weights of {nodes.size:,} categories × {terms:,} terms", float(BYTES_OF_AN_ENTRY * X.nnz)
        if self.prune == 0:
            dense = 8.0 * terms * nodes.size
            return Needed(dense, what, dense + copy)
        entries = np.diff(X.indptr) @ self._targets(own).astype(np.float64)
        kept = np.minimum(terms, entries + WEIGHTS_OF_A_CATEGORY).sum()
        return Needed(0.0, what, copy + BYTES_OF_A_WEIGHT * float(kept))

    def _targets(self, own: csr_array) -> csr_array:
        """Return the positive documents of each learned node."""
        nodes = self._learned_nodes()
        return csr_array((own if nodes is self.ends_ else self.hierarchy_.close(own))[:, nodes])

    def work_to_learn(self, X: csr_array, own: csr_array) -> float:
        """Count every entry of X for every learned node."""
        entries = float(X.nnz + ENTRIES_OF_A_DOCUMENT * X.shape[0])
        return (CATEGORY + work_of_solver(getattr(self, "estimator", None)) * entries) * self._learned_nodes().size

    def _learned_state(self) -> State:
        learner = learner_to_state(self.estimator)
        return {"learner": learner, "prune": self.prune} | weights_to_state(self.weights_, self.intercepts_)

    def _restore(self, learned: State) -> None:
        self.estimator = learner_from_state(learned["learner"])
        self.estimators_ = None
        self.prune = float(learned["prune"])
        found = weights_from_state(learned, self.n_features_in_, self._learned_nodes().size)
        self.weights_, self.intercepts_ = found


def work_of_solver(learner: Any) -> float:
    """Return how many times as long as a linear SVM a learner takes: Newton's steps grow with C and with weights."""
    if type(learner).__name__ != "LogisticRegression":
        return 1.0
    return (2.0 if learner.class_weight is None else 4.0) * max(1.0, float(learner.C)) ** 0.15  # type: ignore[no-any-return]


class ConstantMargin(BaseEstimator):
    """What is learned where every document, or none, is positive: the same margin for all."""

    def __init__(self, margin: float) -> None:
        self.margin = margin

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Give the same margin for every document."""
        return np.full(X.shape[0], self.margin)


def linear_part(estimator: Any) -> tuple[npt.NDArray[np.float64], float] | None:
    """Give the weights and the intercept of a fitted linear learner, one 0 of a constant; None of any other."""
    if isinstance(estimator, ConstantMargin):
        return np.zeros(1), estimator.margin
    if not hasattr(estimator, "coef_"):
        return None
    coef = estimator.coef_  # SVC's is sparse where X is
    weights = np.ravel(coef.toarray() if hasattr(coef, "toarray") else coef)
    return weights, float(np.ravel(estimator.intercept_)[0])


def check_weighable(learner: Any, weight: Weights) -> None:
    """Refuse weights of documents for a learner that takes none."""
    if weight is not None and not has_fit_parameter(learner, "sample_weight"):
        raise InputError(f"{type(learner).__name__} takes no sample_weight; leave it out or choose another learner")


def fit_binary(X: csr_array, learner: Any, positives: npt.NDArray[np.int32], weight: Weights) -> Any:
    """Fit one learner on one category against the rest."""
    target = np.zeros(X.shape[0], dtype=np.int8)
    target[positives] = 1
    counted = target if weight is None else target[weight > 0]
    if counted.min() == counted.max():
        return ConstantMargin(1.0 if counted.max() else -1.0)
    return learner.fit(X, target) if weight is None else learner.fit(X, target, sample_weight=weight)


def margin(estimator: Any, X: csr_array) -> npt.NDArray[np.float64]:
    """Give a score that is positive where the learner says yes: its margin, or its log-odds."""
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), dtype=np.float64)
    return log_odds(np.asarray(estimator.predict_proba(X))[:, 1])


def log_odds(chances: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Turn chances into finite log-odds."""
    return np.asarray(logit(np.clip(chances, 1e-15, 1 - 1e-15)))
