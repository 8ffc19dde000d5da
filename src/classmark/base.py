"""The classifier contract: what every estimator of classmark does.

A subclass learns from a term matrix and own labels (`_learn`), scores every node (`_scores`), says which terms made a
score (`_contributions`), and gives its learned state as plain data (`_learned_state`, `_restore`). Everything else,
the forms of labels, documents without labels, the decision, scikit-learn's shapes, is here once.
"""

import warnings
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from classmark.data.splits import stratified_k_fold
from classmark.decision import (
    BestPath,
    Decision,
    LearnedDecision,
    Threshold,
    best_end,
    describe,
    make_decision,
    parse_decision,
)
from classmark.hierarchy import Hierarchy, Name
from classmark.labels import LabelForm, Labels, decode, dtype_name, encode, name_array
from classmark.metrics import hierarchical_scores
from classmark.persistence import State, checked_array
from classmark.progress import track

SCORES_TO_LEARN_FROM = 1 << 29
"""How many scores a decision may learn from: 4 GiB."""
SCORES_IN_A_BATCH = 1 << 24
"""How many scores `predict` holds at a time: 128 MiB, whatever the number of documents and nodes."""


class Contributions(NamedTuple):
    """The terms' shares of the scores of one node: a row's `terms` and its `bias` sum to its `score`."""

    terms: csr_array
    bias: npt.NDArray[np.float64]


class HierarchicalClassifier(ClassifierMixin, BaseEstimator):
    """Base of all classifiers; subclasses store `hierarchy` and `decision` among their parameters.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        The given one, or a flat one over the labels seen, or the tree of the label paths.
    classes_ : array
        The nodes' names in node order.
    ends_ : array of int
        The nodes that some training document had as its own label.
    decision_ : Decision
        How scores become label sets.
    """

    hierarchy: Hierarchy | None
    decision: Decision | str | None

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from documents as rows of X and labels in any form.

        Documents that are not labelled (`None`) are left out, with a warning that says how many.
        """
        X = self._validated(X, reset=True)
        labels = encode(y, self.hierarchy)
        check_consistent_length(X, labels.indicator)
        weight = _checked_weight(sample_weight, X.shape[0])
        X, labels, weight = _drop_unlabelled(X, labels, weight)
        own = labels.hierarchy.own(labels.hierarchy.close(labels.indicator))
        self.hierarchy_ = labels.hierarchy
        self.classes_ = name_array(
            self.hierarchy_.names, labels.form.dtype if labels.form.kind == "single" else "object"
        )
        self.ends_ = np.unique(own.indices).astype(np.int32)
        if not self.ends_.size:
            raise ValueError("no document belongs to any category; give at least one label")
        self._learn(X, own, weight)
        decision = self._chosen_decision(own)
        if isinstance(decision, LearnedDecision):
            self._check_size(X.shape[0], decision)
            scores = self._scores(X) if decision.on == "training" else self._held_out_scores(X, own, weight, decision)
            decision = decision.fit(scores, own, self.hierarchy_)
        self.decision_ = decision
        self.form_ = labels.form if decision.one_label else labels.form.as_lists
        return self

    def node_scores(self, X: Any) -> npt.NDArray[np.float64]:
        """Score every node of the hierarchy for every document: `(n_documents, n_nodes)`, in node order.

        A node that nothing was learned about scores minus infinity.
        """
        check_is_fitted(self)
        return self._scores(self._validated(X))

    def predict_indicator(self, X: Any) -> csr_array:
        """Give the label sets, ancestors included, as a boolean indicator over the nodes."""
        check_is_fitted(self)
        X = self._validated(X)
        return self.hierarchy_.close(
            _stack(
                [self._decide(self._scores(X[rows])) for rows in self._batches(X.shape[0])],
                len(self.hierarchy_),
            )
        )

    def predict(self, X: Any) -> Any:
        """Give the labels in the form that `fit` was given: own labels, or the closed set for an indicator."""
        return decode(self.predict_indicator(X), self.form_, self.hierarchy_)

    def predict_first(self, X: Any) -> npt.NDArray[np.int32]:
        """Give each document's best category, by position, among those seen as own labels."""
        check_is_fitted(self)
        X = self._validated(X)
        found = [best_end(self._scores(X[rows]), self.ends_) for rows in self._batches(X.shape[0])]
        return np.concatenate([np.empty(0, np.int32), *found])

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Score in scikit-learn's shapes where y was 1-D and no hierarchy was given, in node order otherwise."""
        scores = self.node_scores(X)
        if self.form_.kind == "single" and self.hierarchy is None and scores.shape[1] == 2:
            return np.asarray(scores[:, 1] - scores[:, 0])
        return scores

    def score(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """Give the micro-averaged hF of the predictions (consistent_global_2006, section 6)."""
        if sample_weight is not None:
            raise ValueError("score takes no sample_weight: hF counts labels, not documents")
        labels = encode(y, self.hierarchy_)
        known = labels.labelled
        return hierarchical_scores(labels.indicator[known], self.predict_indicator(X)[known], self.hierarchy_).hf

    def contributions(self, X: Any, node: Name) -> Contributions:
        """Give the terms' shares of a node's score, a row a document."""
        check_is_fitted(self)
        return self._contributions(self._validated(X), self.hierarchy_.position(node))

    def to_state(self) -> State:
        """Give everything learned as plain data and arrays."""
        check_is_fitted(self)
        parents = self.hierarchy_.parents.tocoo()
        return {
            "names": list(self.hierarchy_.names),
            "edges": np.stack([parents.coords[1], parents.coords[0]]).astype(np.int32),
            "ends": self.ends_,
            "form": asdict(self.form_),
            "decision": describe(self.decision_),
            "n_features": int(self.n_features_in_),
            "class_dtype": dtype_name(self.classes_.dtype),
            "given_hierarchy": self.hierarchy is not None,
            "learned": self._learned_state(),
        }

    def from_state(self, state: State) -> Self:
        """Take up a learned state, refusing what cannot be one."""
        names = [tuple(name) if isinstance(name, list) else name for name in state["names"]]
        edges = checked_array(state, "edges", np.int32, (2, None))
        self.hierarchy_ = Hierarchy(names, *edges)
        self.ends_ = checked_array(state, "ends", np.int32, (None,))
        if not self.ends_.size or not (0 <= self.ends_.min() <= self.ends_.max() < len(names)):
            raise ValueError("the model's ends are none, or lie outside its hierarchy")
        self.hierarchy = self.hierarchy_ if state["given_hierarchy"] else None
        self.form_ = LabelForm(**state["form"])
        self.decision_ = make_decision(**state["decision"])
        self.decision_.check(self.hierarchy_)
        self.n_features_in_ = int(state["n_features"])
        self.classes_ = name_array(self.hierarchy_.names, LabelForm("single", state["class_dtype"]).dtype)
        self._restore(state["learned"])
        return self

    def _learn(self, X: csr_array, own: csr_array, weight: npt.NDArray[np.float64] | None) -> None:
        raise NotImplementedError

    def _scores(self, X: csr_array) -> npt.NDArray[np.float64]:
        raise NotImplementedError

    def _contributions(self, X: csr_array, node: int) -> Contributions:
        raise NotImplementedError

    def _learned_state(self) -> State:
        raise NotImplementedError

    def _restore(self, learned: State) -> None:
        raise NotImplementedError

    def _chosen_decision(self, own: csr_array) -> Decision:
        """Give the decision asked for, or the best path where every document has exactly one own label."""
        if isinstance(self.decision, str):
            return parse_decision(self.decision)
        if self.decision is not None:
            return self.decision
        return BestPath() if bool((np.diff(own.indptr) == 1).all()) else Threshold()

    def _check_size(self, documents: int, decision: LearnedDecision) -> None:
        """Refuse to learn a decision from more scores than memory should hold."""
        nodes = len(self.hierarchy_)
        if documents * nodes > SCORES_TO_LEARN_FROM:
            raise ValueError(
                f"{decision} needs the scores of {documents} documents for {nodes} nodes at once, "
                f"{documents * nodes / 2**27:.0f} GiB; choose best-path, threshold or rcut, or train on fewer documents"
            )

    def _held_out_scores(
        self, X: csr_array, own: csr_array, weight: npt.NDArray[np.float64] | None, decision: LearnedDecision
    ) -> npt.NDArray[np.float64]:
        """Score every document by a copy that has not seen it; minus infinity for what that copy has not seen."""
        if X.shape[0] < 2:
            raise ValueError(f"{decision} learns from held-out documents; give at least 2, or say on=training")
        scores = np.full((X.shape[0], len(self.hierarchy_)), -np.inf)
        folds = stratified_k_fold(own, min(decision.folds, X.shape[0]), hierarchy=self.hierarchy_)
        for seen, unseen in track(folds, "folds", len(folds)):
            copy = clone(self)
            copy.hierarchy_, copy.n_features_in_ = self.hierarchy_, self.n_features_in_
            copy.ends_ = np.unique(own[seen].indices).astype(np.int32)
            if not copy.ends_.size:
                continue
            copy._learn(X[seen], csr_array(own[seen]), None if weight is None else weight[seen])
            scores[unseen] = copy._scores(X[unseen])
        return scores

    def _decide(self, scores: npt.NDArray[np.float64]) -> csr_array:
        return self.decision_.decide(scores, self.hierarchy_, self.ends_)

    def _batches(self, documents: int) -> Iterator[slice]:
        size = max(1, SCORES_IN_A_BATCH // len(self.hierarchy_))
        for start in range(0, documents, size):
            yield slice(start, start + size)

    def _validated(self, X: Any, reset: bool = False) -> csr_array:
        """Check X as scikit-learn does, and give it as CSR with sorted, distinct indices, the caller's untouched."""
        checks = {"accept_sparse": "csr", "dtype": np.float64, "ensure_min_samples": int(reset)}
        X = csr_array(validate_data(self, X, reset=reset, **checks))
        # liblinear takes 32-bit indices only, and scipy chooses 64 bits freely.
        width = np.int32 if max(X.nnz, *X.shape) < np.iinfo(np.int32).max else np.int64
        parts = (X.data, X.indices.astype(width, copy=False), X.indptr.astype(width, copy=False))
        matrix = csr_array(parts, shape=X.shape)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return matrix

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _checked_weight(weight: npt.ArrayLike | None, documents: int) -> npt.NDArray[np.float64] | None:
    if weight is None:
        return None
    values = np.asarray(weight, dtype=np.float64)
    if values.ndim == 0:
        values = np.full(documents, values)
    if values.shape != (documents,):
        raise ValueError(
            f"sample_weight has shape {values.shape} for {documents} documents; give one number a document"
        )
    if not np.isfinite(values).all() or (values < 0).any() or not values.any():
        raise ValueError("sample_weight must be finite and not negative, and not all zero")
    return values


def _drop_unlabelled(
    X: csr_array, labels: Labels, weight: npt.NDArray[np.float64] | None
) -> tuple[csr_array, Labels, npt.NDArray[np.float64] | None]:
    """Leave out the documents that are not labelled, saying how many."""
    keep = labels.labelled
    if keep.all():
        return X, labels, weight
    if not keep.any():
        raise ValueError("no document is labelled; give labels to some")
    warnings.warn(f"left out {(~keep).sum()} of {keep.size} documents that are not labelled", stacklevel=3)
    kept = Labels(labels.hierarchy, labels.indicator[keep], keep[keep], labels.form)
    return X[keep], kept, None if weight is None else weight[keep]


def _stack(parts: list[csr_array], columns: int) -> csr_array:
    if not parts:
        return csr_array((0, columns), dtype=bool)
    return parts[0] if len(parts) == 1 else csr_array(vstack(parts, format="csr"))
