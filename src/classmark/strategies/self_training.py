"""Self-training and EM over any classifier that gives probabilities: unlabelled documents teach their own teacher.

A classifier learns from the labelled documents and answers for the unlabelled ones; what it is sure of counts as
labelled in the next round, and so on. *Hard*, a document has the answer as its label where its probability reaches a
threshold (D. Yarowsky, "Unsupervised word sense disambiguation rivaling supervised methods", 1995). *Soft*, every
document counts for every end by its share, which is EM (K. Nigam, A. McCallum, S. Thrun and T. Mitchell, "Text
classification from labeled and unlabeled documents using EM", 2000) where the classifier is a naive Bayes; for others
it is the same loop, and nothing promises that any objective rises.

Curves from scores to probabilities are learned anew in each round, from labelled documents that are held out; the
answers of the round before would teach them that the classifier is always right.
"""

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Annotated, Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from classmark.answers import Matrix, Positions
from classmark.base import COPIES_OF_SCORES, DECISION, Contributions, HierarchicalClassifier
from classmark.checks import choice, integer, optional, python_only, real
from classmark.decision import BestPath, Decision
from classmark.errors import InputError
from classmark.held_out import Task, held_out_scores
from classmark.limits import Needed
from classmark.persistence import State, checked_array
from classmark.probability import CALIBRATIONS, as_rows, own_chances
from classmark.progress import track
from classmark.registry import find_class, saved_name
from classmark.strategies.flat import FlatClassifier
from classmark.strategies.self_taught import (
    WRAPPED,
    Taught,
    changed_rows,
    check_wrapped,
    least_chances,
    movement,
    responsibilities,
)
from classmark.trust import Trust, far_to_trust

Weights: TypeAlias = npt.NDArray[np.float64] | None

FOLDS = 3
"""In how many parts labelled documents are held out for the curves of a round; the first has the classifier's own."""


class SelfTrainingClassifier(HierarchicalClassifier):
    """Learn from unlabelled documents, `None` in y, what a classifier of the labelled ones says about them.

    Labels that were given can change: in each round every unlabelled document is asked again, gets another label
    where the answer is another, and loses its label where it is no longer sure, as in Yarowsky's algorithm.
    (scikit-learn's `SelfTrainingClassifier` keeps a label once given.) Labels of y never change.

    Where every labelled document has one own label, each unlabelled one is put into its best end. Otherwise it gets
    the label set that the wrapped classifier decides on, if there is one and its least probable label reaches the
    threshold. Documents that belong nowhere (`[]`) are left out, and a warning says how many.

    Attributes
    ----------
    estimator_ : classifier
        The wrapped classifier after the last round.
    rounds_ : array of int
        How many documents were labelled in y, and then in each round how many unlabelled documents changed their
        label (soft: their best end), those that got their first among them.

    Examples
    --------
    >>> from classmark import SelfTrainingClassifier
    >>> X = [[2, 0, 0, 0], [1, 0, 0, 0], [0, 2, 0, 0], [0, 1, 0, 0], [1, 0, 3, 0], [0, 1, 0, 3]]
    >>> model = SelfTrainingClassifier(threshold=0.7).fit(X, ["owl", "owl", "gull", "gull", None, None])
    >>> model.rounds_
    array([4, 2])
    >>> model.predict([[0, 0, 1, 0], [0, 0, 0, 1]])
    array(['owl', 'gull'], dtype=object)
    """

    uses_unlabelled: ClassVar[bool] = True
    one_place: ClassVar[bool] = True

    estimator: Annotated[
        Any,
        WRAPPED,
        "Any classifier of classmark's that gives probabilities: one with `calibration`, or a naive Bayes. By default "
        "a flat logistic regression with `C=10` and balanced weights, calibrated by softmax, or by Platt where "
        "documents have several labels.",
    ] = field(default=None, kw_only=False)
    decision: Annotated[
        Decision | str | None, DECISION, "How scores become label sets; by default that of the wrapped classifier."
    ] = None
    kind: Annotated[
        str,
        choice(["hard", "soft"]),
        "Whether sure answers count as labels, or all answers by their chances (EM, for one label a document).",
    ] = "hard"
    threshold: Annotated[float, real(gt=0, le=1), "Hard: the probability that an answer needs."] = 0.8
    unlabeled_weight: Annotated[float, real(ge=0), "How much an unlabelled document counts beside a labelled one."] = (
        1.0
    )
    least_share: Annotated[
        float,
        python_only(real(ge=0, lt=1)),
        "Soft: the chance from which an end counts; those of a document below it are divided among the others.",
    ] = 0.05
    tol: Annotated[
        float,
        real(ge=0),
        "Soft: rounds end when less than this part of the chances moves, the mean over the unlabelled documents.",
    ] = 0.01
    max_iter: Annotated[int, integer(ge=1), "The most rounds. Hard ones end before when no label changes."] = 10
    trust: Trust = "full"
    calibration: Annotated[
        str | None,
        optional(choice(CALIBRATIONS)),
        "How the final scores become probabilities, by cross-validation of the whole procedure. By default they are "
        "those of the last round, which are too sure of themselves.",
    ] = None

    estimator_: HierarchicalClassifier = field(init=False)

    def check(self) -> None:
        """Refuse parameters that cannot be, the estimator that is wrapped among them."""
        super().check()
        if self.estimator is not None:
            check_wrapped(self.estimator)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Give the probability of every node, in node order and never above its parents'.

        Where y was 1-D and no hierarchy was given, the probabilities of a document sum to 1, as in scikit-learn.
        """
        check_is_fitted(self)
        return self.probabilities_of(self.score_rows(self._validated(X)))

    def probabilities_of(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Turn scores into probabilities, by the wrapped classifier's own where this one learned none."""
        if self.calibrator_ is not None:
            return super().probabilities_of(scores)
        chances = self.estimator_.probabilities_of(scores)
        return as_rows(chances, self.as_nodes(scores)) if self._sums_to_one() else chances

    def _wrapped(self, one_label: bool) -> HierarchicalClassifier:
        """Give the classifier to wrap, not fitted."""
        if self.estimator is None:
            learner = LogisticRegression(C=10.0, class_weight="balanced", solver="liblinear", random_state=0)
            wrapped: Any = FlatClassifier(learner, calibration="softmax" if one_label else "platt")
        else:
            wrapped = clone(self.estimator)
        if self.n_jobs is not None:
            wrapped.set_params(n_jobs=self.n_jobs)
        return wrapped  # type: ignore[no-any-return]

    def chosen_decision(self, own: csr_array) -> Decision:
        """Give the decision asked for, or the one that the wrapped classifier would choose."""
        if self.decision is not None:
            return super().chosen_decision(own)
        return self._wrapped(one_label=True).chosen_decision(own)

    def learn(self, X: csr_array, own: csr_array, weight: Weights) -> None:
        """Fit on the labelled documents, then again and again with the answers for the others."""
        weight = np.ones(X.shape[0]) if weight is None else weight
        labelled = (np.diff(own.indptr) > 0) & (weight > 0)
        if not labelled.any():
            raise InputError("no labelled document counts; give one a sample_weight above 0")
        one_label = bool((np.diff(own.indptr)[labelled] == 1).all())
        if self.kind == "soft" and not one_label:
            raise InputError('kind is "soft", and some documents have several labels; choose kind="hard"')
        self.trusted_, self.trust_reason_ = far_to_trust(self, X, own, weight)
        counted = weight * self.unlabeled_weight * (self.trusted_ != "nothing")
        unlabelled = (np.diff(own.indptr) == 0) & (counted > 0)
        first = Taught(X[labelled], csr_array(own[labelled]), weight[labelled])
        others = Taught(X[unlabelled], csr_array(own[unlabelled]), counted[unlabelled])
        wrapped = self._wrapped(one_label).set_params(hierarchy=self.hierarchy_)
        if one_label:
            wrapped.set_params(decision=BestPath())
        self.estimator_ = clone(wrapped).fit(first.X, first.own, first.given_weight)
        self.rounds_ = np.array([first.X.shape[0]])
        if others.X.shape[0]:
            (self._harden if self.kind == "hard" else self._soften)(wrapped, first, others)
        self.ends_ = self.estimator_.ends_

    def unfitted_copy(self) -> Self:
        """Give a copy that trusts as far as this one has learned to."""
        copy = super().unfitted_copy()
        return copy if self.trusted_ is None else copy.set_params(trust=self.trusted_)

    def memory_to_learn(self, X: csr_array, own: csr_array) -> Needed:
        """Count the memory of the wrapped classifier, and the scores that its curves are fitted on."""
        wrapped = self._wrapped(one_label=True)
        wrapped.hierarchy_, wrapped.ends_, wrapped.n_features_in_ = self.hierarchy_, self.ends_, X.shape[1]
        needed = wrapped.memory_to_learn(X, own)
        if wrapped.calibration is None:
            return needed
        scores = int(np.count_nonzero(np.diff(own.indptr))) * len(self.hierarchy_)
        return needed._replace(expected=needed.peak + 8.0 * COPIES_OF_SCORES * scores)

    def work_to_learn(self, X: csr_array, own: csr_array) -> float:
        """Count the fits of the wrapped classifier, and those that its curves are learned from."""
        told = np.flatnonzero(np.diff(own.indptr))
        wrapped = self._wrapped(one_label=True)
        wrapped.hierarchy_, wrapped.ends_ = self.hierarchy_, self.ends_
        fits = 1 if wrapped.calibration is None else 1 + FOLDS
        if (self.trusted_ or self.trust) == "nothing" or told.size == X.shape[0]:
            return fits * wrapped.work_to_learn(X[told], csr_array(own[told]))
        return fits * self._most_rounds() * wrapped.work_to_learn(X, own)

    def _most_rounds(self) -> int:
        return 1 if (self.trusted_ or self.trust) == "once" else self.max_iter

    def _harden(self, wrapped: HierarchicalClassifier, first: Taught, others: Taught) -> None:
        """Take sure answers as labels until none changes."""
        before = others.own
        for _ in track(range(self._most_rounds()), "rounds", self._most_rounds()):
            now = self._sure_answers(others.X)
            changed = changed_rows(before, now)
            if not changed.any():
                break
            self.rounds_ = np.append(self.rounds_, changed.sum())
            sure = np.diff(now.indptr) > 0
            self.estimator_ = _taught(wrapped, first, Taught(others.X[sure], now[sure], others.weight[sure]))
            before = now

    def _soften(self, wrapped: HierarchicalClassifier, first: Taught, others: Taught) -> None:
        """Let all answers count by their responsibilities until these hardly move."""
        before = csr_array(others.own.shape, dtype=np.float64)
        best = np.full(others.X.shape[0], -1)
        for _ in track(range(self._most_rounds()), "rounds", self._most_rounds()):
            now, answers = self._responsibilities(others.X)
            if movement(before, now) < self.tol:
                break
            self.rounds_ = np.append(self.rounds_, (answers != best).sum())
            self.estimator_ = _taught(wrapped, first, others.copied(now))
            before, best = now, answers

    def _sure_answers(self, X: csr_array) -> csr_array:
        """Give the own labels of the documents whose every label is as probable as the threshold asks."""
        model, parts = self.estimator_, []
        for batch in model.answers(X):
            answers = self.hierarchy_.own(batch.labels())
            for rows, chances in batch.probabilities():
                if model.decision_.takes_best_end:
                    chances = own_chances(chances, model.ends_, self.hierarchy_)
                sure = least_chances(chances, answers[rows]) >= self.threshold
                parts.append(answers[rows].multiply(sure[:, None]).tocsr())
        found = csr_array(vstack(parts, format="csr")).astype(bool)
        found.eliminate_zeros()
        return found

    def _responsibilities(self, X: csr_array) -> tuple[csr_array, npt.NDArray[np.int32]]:
        """Give the responsibilities of the ends for each document, and its best end."""
        model, parts, first = self.estimator_, [], []
        for batch in model.answers(X):
            first.append(batch.first())
            for _, chances in batch.probabilities():
                own = own_chances(chances, model.ends_, self.hierarchy_)
                parts.append(responsibilities(own, self.least_share))
        return csr_array(vstack(parts, format="csr")), np.concatenate(first)

    @property
    def n_iter_(self) -> int:
        """The number of fits: one on the labelled documents, and one a round."""
        return len(self.rounds_)

    def score_rows(self, X: csr_array) -> npt.NDArray[np.float64]:
        """Score every node by the wrapped classifier."""
        return self.estimator_.score_rows(X)

    @property
    def score_columns(self) -> int:
        """How many columns the wrapped classifier gives."""
        return self.estimator_.score_columns

    def as_own(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Turn scores into those of own labels as the wrapped classifier does."""
        return self.estimator_.as_own(scores)

    def contributions_to(self, X: csr_array, node: int, scores: npt.NDArray[np.float64]) -> Contributions:
        """Give the contributions of the wrapped classifier."""
        return self.estimator_.contributions_to(X, node, scores)

    def term_weights(self, blocks: Sequence[Positions]) -> Iterator[Matrix]:
        """Give the weights of the wrapped classifier."""
        return self.estimator_.term_weights(blocks)

    def _learned_state(self) -> State:
        return {
            "parameters": self._parameters_state(),
            "n_estimators": len(self.rounds_),
            "rounds": self.rounds_,
            "wrapped": {"class": saved_name(self.estimator_), "state": self.estimator_.to_state()},
        }

    def _restore(self, learned: State) -> None:
        self._restore_parameters(learned["parameters"])
        self.rounds_ = checked_array(learned, "rounds", np.int64, (int(learned["n_estimators"]),))
        wrapped = learned["wrapped"]
        if wrapped["class"] == type(self).__name__:
            raise InputError("a model of self-training inside another")
        self.estimator_ = inside = find_class(wrapped["class"])().from_state(wrapped["state"])
        if inside.hierarchy_ != self.hierarchy_ or not np.array_equal(inside.ends_, self.ends_):
            raise InputError("the classifier inside the model has other categories than the model")
        if inside.n_features_in_ != self.n_features_in_:
            raise InputError("the classifier inside the model has other terms than the model")
        self.estimator = clone(inside).set_params(hierarchy=None, decision=None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if isinstance(self.estimator, HierarchicalClassifier):
            inside = get_tags(self.estimator)
            tags.input_tags.positive_only = inside.input_tags.positive_only
            tags.classifier_tags.poor_score = inside.classifier_tags.poor_score
        return tags


def _taught(wrapped: HierarchicalClassifier, first: Taught, others: Taught) -> HierarchicalClassifier:
    """Fit the wrapped classifier on both, and its curves on documents of the first that are held out."""
    both = first.joined(others)
    model: HierarchicalClassifier = clone(wrapped)
    if wrapped.calibration is not None:
        model.set_params(calibration=None)
    model.fit(both.X, both.own, both.given_weight)
    if wrapped.calibration is not None:
        model.calibration = wrapped.calibration
        task = Task(both.X, both.own, both.given_weight, np.arange(first.X.shape[0]))
        model.calibrator_ = model.learned_calibrator(task, held_out_scores(model, task, FOLDS))
    return model
