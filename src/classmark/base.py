"""The classifier contract: what every estimator of classmark does.

A subclass writes `learn` (from a term matrix and own labels), `score_rows` (a score for every node),
`contributions_to` (which terms made a score), `term_weights` (which terms speak for a node, if any do), and for the
model file `_learned_state` and `_restore`. Where the base is wrong for it, it writes `as_own`, `chosen_decision`,
`quick_decision`, `held_out_ranks`, `probabilities_of`, `decide`, `memory_to_learn` or `work_to_learn` too. What
`score_rows` gives may have more columns after those of the nodes, which these methods of the same classifier know how
to read. All of these take a matrix that has been checked, and a model that is fitted: they are called by this base, by
`held_out`, by `answers`, by `explain` and by classifiers that wrap others, not by users.

Everything else, the forms of labels, documents without labels, the decision, scikit-learn's shapes, is here once.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, field
from typing import Annotated, Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from classmark.answers import Answers, DenseAnswers, Matrix, Positions, stacked
from classmark.answers import Contributions as Contributions
from classmark.checks import JOBS, SEED, choice, instance, optional
from classmark.decision import (
    Auto,
    BestPath,
    Choice,
    Decision,
    Threshold,
    describe,
    make_decision,
    parse_decision,
)
from classmark.errors import InputError
from classmark.held_out import (
    ENTRIES_OF_A_DOCUMENT,
    FEWEST_DOCUMENTS,
    Settled,
    Task,
    fitted_calibrator,
    least_probability,
    measured_promise,
    scores_in_memory,
    scores_to_calibrate,
    seconds_in_all,
    seconds_to_fit,
    settle,
    tuned_on_a_part,
    without_learning,
)
from classmark.hierarchy import Hierarchy, Name
from classmark.labels import LabelForm, Labels, decode, dtype_name, encode, name_array
from classmark.limits import (
    A_WHILE,
    LONG,
    Estimate,
    Needed,
    available_memory,
    check_memory,
    time_in_words,
    warn_of_time,
)
from classmark.metrics import hierarchical_scores
from classmark.parallel import elsewhere, even_ranges, in_order
from classmark.parameters import Parameterized
from classmark.parted import PartedMatrix, here
from classmark.persistence import State, checked_array
from classmark.portrait import HTMLReprMixin, classifier_html
from classmark.probability import CALIBRATIONS, Calibrator, Promise, as_rows, monotone
from classmark.progress import notice, track_several

PARTS_A_WORKER = 4
"""Into how many parts for each worker of a cluster documents are cut to be answered for."""
SCORES_IN_A_BATCH = 1 << 24
"""How many scores `predict` holds at a time: 128 MiB, whatever the number of documents and nodes."""


Categories = Annotated[
    Hierarchy | None,
    optional(instance(Hierarchy, "a Hierarchy, such as Hierarchy.from_nested makes of a dict")),
    "The categories; by default a flat hierarchy over the labels seen, or the tree of the label paths.",
]
DECISION = optional(instance((Decision, str), "a decision, such as 'threshold,value=0.2'"))
DecisionTaken = Annotated[
    Decision | str | None,
    DECISION,
    "How scores become label sets; by default the best path if every labeled document has one label, otherwise a "
    "threshold of 0.",
]
Calibration = Annotated[
    str | None,
    optional(choice(CALIBRATIONS)),
    "How scores become probabilities, which `predict_proba` gives; learned from documents that are held out.",
]
Jobs = Annotated[
    int | None, JOBS, "How many threads or processes learn at a time; the result is the same for any number."
]
Seed = Annotated[int | None, SEED, "The seed: the same one gives the same model."]
"""Parameters that many classifiers have."""


COPIES_OF_SCORES = 5
"""How many arrays as large as the scores are held while a decision is fitted (benchmarks/estimates.py)."""
KEPT_ELSEWHERE = ("hierarchy", "decision", "calibration", "n_jobs", "estimator", "estimators")
"""Parameters that a model file has in other places, or that belong to the machine."""
LARGEST = float(1 << 62)
"""In place of infinity, where the system does not say how much memory is free."""
Ranks: TypeAlias = tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], csr_array]
"""Each document's best ends, best first, their scores, and the documents' own labels."""


def _gives_probabilities(classifier: "HierarchicalClassifier") -> bool:
    """Say in the error's cause why there is no `predict_proba`."""
    if classifier.calibration is None and not classifier.scores_are_log_odds:
        known = ", ".join(CALIBRATIONS)
        raise AttributeError(f"the scores are not probabilities; fit with calibration, one of {known}, to have them")
    return True


class Begun(NamedTuple):
    """What is learned from: rows of X, their own labels and weights, the labels as given, and the decision."""

    X: csr_array
    own: csr_array
    weight: npt.NDArray[np.float64] | None
    labels: Labels
    settled: Settled


class HierarchicalClassifier(HTMLReprMixin, Parameterized, ClassifierMixin, BaseEstimator, shared=True):
    """Base of all classifiers; a subclass declares its parameters as fields (`classmark.parameters`).

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
    decision_reason_ : str or None
        Why it is that one, where the decision is `auto`.
    trusted_ : str or None
        How far unlabelled documents were trusted, where the classifier can learn from them.
    trust_reason_ : str or None
        Why so far, where `trust` is among the parameters and `auto`.
    calibrator_ : Calibrator or None
        How scores become probabilities, where `calibration` is among the parameters and given.
    promise_ : Promise or None
        How often answers that reach a probability were right among held-out documents, where it was learned.
    """

    uses_unlabelled: ClassVar[bool] = False
    """Whether `learn` takes documents that are not labelled, as rows of own labels without any."""
    one_place: ClassVar[bool] = False
    """Whether every document is taken to belong somewhere, so that those that belong nowhere are left out."""
    counts_terms: ClassVar[bool] = False
    """Whether the numbers of X are those of terms, so that vectors of texts are nothing to learn from."""
    scores_are_log_odds: ClassVar[bool] = False
    """Whether scores are the log-odds of the model's own probabilities, which `predict_proba` gives uncalibrated."""
    answers_anywhere: ClassVar[bool] = True
    """Whether workers of a cluster each get the whole model, to answer for some documents; or parts of it, for all."""
    uses_every_core: ClassVar[bool] = False
    """Whether one fit keeps all cores busy, so that several side by side gain nothing."""
    gives_chances: ClassVar[bool] = False
    """Whether `decide` gives a decision that weighs chances those of the model, so that it has nothing to learn."""
    reads_texts: ClassVar[bool] = False
    """Whether X may be texts, and is made of texts by the classifier's own `tokeniser()`."""

    @property
    def learns_in_parts(self) -> bool:
        """Whether `learn` takes rows that are in parts on the workers of a cluster, and never together here."""
        return False

    hierarchy: Categories = None
    decision: DecisionTaken = None
    calibration: Calibration = None
    random_state: Seed = 0
    n_jobs: Jobs = None
    decision_reason_: str | None = field(default=None, init=False)
    promise_: Promise | None = field(default=None, init=False)
    trusted_: str | None = field(default=None, init=False)
    trust_reason_: str | None = field(default=None, init=False)
    few_labelled_: bool = field(default=False, init=False)
    _known: tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]] | None = field(default=None, init=False)

    def check(self) -> None:
        """Refuse parameters that cannot be, in words, before there is a document."""
        super().check()
        if isinstance(self.decision, str):
            parse_decision(self.decision)

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from documents as rows of X and labels in any form.

        Documents that are not labelled (`None`) are left out, with a warning that says how many, unless the method
        can learn from them.
        """
        X, own, weight, labels, first = self._begun(X, y, sample_weight)
        self._check_limits(X, own)
        self.learn(X, own, weight)
        labelled, scores = self.held_out() or (np.flatnonzero(labels.labelled), None)
        task = Task(X, own, weight, labelled, scores)
        settled = settle(self, first.decision, task)
        self.decision_, self.decision_reason_ = settled.decision, first.reason or settled.reason
        self.form_ = labels.form if self.decision_.one_label else labels.form.as_lists
        self.calibrator_ = self.promise_ = None
        if self.calibration is not None:
            scores = scores_to_calibrate(self, task) if settled.scores is None else settled.scores
            self.calibrator_ = self.learned_calibrator(task, scores)
            self.promise_ = measured_promise(self, scores, csr_array(task.own[task.labelled]), self._sums_to_one())
        return self

    def _begun(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None) -> Begun:
        """Check everything, and settle what the categories and the decision are; give what is learned from."""
        self.check()
        X = self._validated(X, reset=True)
        labels = encode(y, self.hierarchy)
        check_consistent_length(X, labels.indicator)
        weight = checked_weight(sample_weight, X.shape[0])
        if not labels.labelled.any():
            raise InputError("no document is labelled; give labels to some")
        if not self.uses_unlabelled:
            X, labels, weight = _left_out(X, labels, weight, labels.labelled, "are not labelled")
        own = labels.hierarchy.own(labels.hierarchy.close(labels.indicator))
        self._take_categories(labels, own)
        settled = without_learning(self.chosen_decision(own[labels.labelled]), own[labels.labelled])
        if settled.decision.learns_from != "nothing" or self.calibration is not None:
            # Held-out scores are made of all documents, and are here together, too.
            X = here(X)
        # What is learned may depend on what is asked of it, and on how much there is to learn from.
        self.decision_, self.few_labelled_ = settled.decision, int(labels.labelled.sum()) < FEWEST_DOCUMENTS
        if self.one_place:
            somewhere = ~labels.labelled | (np.diff(own.indptr) > 0)
            X, labels, weight = _left_out(X, labels, weight, somewhere, "belong nowhere")
            own = csr_array(own[somewhere])
        return Begun(X, own, weight, labels, settled)

    def estimate(self, X: Any, y: Any) -> Estimate:
        """Estimate what `fit` takes, by the size of the problem alone; nothing is learned.

        Examples
        --------
        >>> from classmark import FlatClassifier
        >>> found = FlatClassifier().estimate([[1, 0], [0, 1]], ["owl", "gull"])
        >>> found.bytes, found.what_for, found.fits
        (64, 'weights of 2 categories × 2 terms', True)
        """
        return clone(self).estimated(X, y)  # type: ignore[no-any-return]

    def estimated(self, X: Any, y: Any) -> Estimate:
        """Estimate what `fit` takes, as a copy that is thrown away afterwards does."""
        X, own, *_ = self._begun(X, y, None)
        needed, free = self.memory_to_learn(X, own), available_memory()
        task = Task(X, own, None, np.flatnonzero(np.diff(own.indptr)))
        scores = scores_in_memory(self, task)
        decision = COPIES_OF_SCORES * 8.0 * scores
        of_scores = f"the decision, from {scores:,} scores"
        return Estimate(
            documents=X.shape[0],
            terms=X.shape[1],
            categories=int(self.ends_.size),
            bytes=int(needed.peak + decision),
            what_for=of_scores if decision > needed.peak else needed.what or None,
            free=int(min(free, LARGEST)),
            fits=needed.bytes <= free,
            seconds=self._seconds(X, own),
        )

    def _take_categories(self, labels: Labels, own: csr_array) -> None:
        """Keep what the categories are and are called, and which of them are ends."""
        self.hierarchy_ = labels.hierarchy
        dtype = labels.form.dtype if labels.form.kind == "single" else "object"
        self.classes_ = name_array(self.hierarchy_.names, dtype)
        self.ends_ = np.unique(own.indices).astype(np.int32)
        if not self.ends_.size:
            raise InputError("no document belongs to any category; give at least one label")

    def node_scores(self, X: Any) -> npt.NDArray[np.float64]:
        """Score every node of the hierarchy for every document: `(n_documents, n_nodes)`, in node order.

        A node that nothing was learned about scores minus infinity.
        """
        check_is_fitted(self)
        return self.as_nodes(self.score_rows(self._validated(X)))

    def own_scores(self, X: Any) -> npt.NDArray[np.float64]:
        """Score every node as a document's own label: what the ends are ranked by.

        The scores of the nodes, unless those say whether a document belongs to a node *or below it*.
        """
        check_is_fitted(self)
        return self.as_own(self.score_rows(self._validated(X)))

    def answers(self, X: Any) -> Iterator[Answers]:
        """Score documents once, a batch at a time; what is asked of a batch comes from its scores.

        Examples
        --------
        >>> from classmark import MajorityClassifier
        >>> model = MajorityClassifier().fit([[1], [1], [1]], ["owl", "gull", "owl"])
        >>> [batch] = model.answers([[1], [2]])
        >>> batch.first(), batch.scores(np.array([0, 0]), np.array([0, 1])).round(2)
        (array([1, 1], dtype=int32), array([-0.67,  0.67]))
        """
        check_is_fitted(self)
        X = self._validated(X)
        for rows in track_several(list(self.batches(X.shape[0])), "batches of documents"):
            yield self._answer(X[rows])

    def predict_indicator(self, X: Any) -> csr_array:
        """Give the label sets, ancestors included, as a boolean indicator over the nodes."""
        return stacked([batch.labels() for batch in self.answers(X)], len(self.hierarchy_))

    def predict_both(self, X: Any) -> tuple[csr_array, npt.NDArray[np.int32]]:
        """Give what `predict_indicator` and `predict_first` give, the documents scored once."""
        found = [(batch.labels(), batch.first()) for batch in self.answers(X)]
        labels = stacked([labels for labels, _ in found], len(self.hierarchy_))
        return labels, np.concatenate([np.empty(0, np.int32), *(first for _, first in found)])

    def predict(self, X: Any) -> Any:
        """Give the labels in the form that `fit` was given: own labels, or the closed set for an indicator."""
        place = elsewhere()
        if place is None or not self.answers_anywhere:
            return decode(self.predict_indicator(X), self.form_, self.hierarchy_)
        check_is_fitted(self)
        X = self._validated(X)
        some = ((csr_array(X[slice(*rows)]),) for rows in even_ranges(X.shape[0], PARTS_A_WORKER * place.n_workers))
        found = list(in_order(_indicated, some, shared=(self,)))
        return decode(stacked(found, len(self.hierarchy_)), self.form_, self.hierarchy_)

    def predict_sure(self, X: Any, min_precision: float) -> Any:
        """Give labels of which at least this share are right: each one, or its deepest ancestors that are sure enough.

        A document may be left without a label. What is sure enough was measured on held-out documents (`promise_`).
        """
        check_is_fitted(self)
        least = least_probability(self, min_precision)
        found = stacked([batch.sure_labels(least) for batch in self.answers(X)], len(self.hierarchy_))
        return decode(found, self.form_.as_lists, self.hierarchy_)

    def predict_first(self, X: Any) -> npt.NDArray[np.int32]:
        """Give each document's best category, by position, among those seen as own labels."""
        return np.concatenate([np.empty(0, np.int32), *(batch.first() for batch in self.answers(X))])

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Score in scikit-learn's shapes where y was 1-D and no hierarchy was given, in node order otherwise."""
        scores = self.node_scores(X)
        if self.form_.kind == "single" and self.hierarchy is None and scores.shape[1] == 2:
            return np.asarray(scores[:, 1] - scores[:, 0])
        return scores

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Give the probability of every node, in node order and never above its parents'.

        Where y was 1-D and no hierarchy was given, the probabilities of a document sum to 1, as in scikit-learn.
        """
        check_is_fitted(self)
        return self.probabilities_of(self.score_rows(self._validated(X)))

    def probabilities_of(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Turn scores into probabilities of nodes."""
        nodes = self.as_nodes(scores)
        if self.calibrator_ is None:
            return monotone(expit(nodes), self.hierarchy_)
        given = self.as_own(scores) if self.calibrator_.ranks_ends else nodes
        chances = self.calibrator_.probabilities(given, self.hierarchy_, self.ends_)
        return as_rows(chances, nodes) if self._sums_to_one() else chances

    def _sums_to_one(self) -> bool:
        """Say whether the categories exclude each other, as scikit-learn's classes do."""
        return self.form_.kind == "single" and self.hierarchy is None

    def score(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """Give the micro-averaged hF of the predictions (consistent_global_2006, section 6)."""
        if sample_weight is not None:
            raise InputError("score takes no sample_weight: hF counts labels, not documents")
        labels = encode(y, self.hierarchy_)
        known = labels.labelled
        return hierarchical_scores(labels.indicator[known], self.predict_indicator(X)[known], self.hierarchy_).hf

    def contributions(self, X: Any, node: Name) -> Contributions:
        """Give the terms' contributions to a node's score, one row per document."""
        check_is_fitted(self)
        return self._answer(self._validated(X)).contributions(self.hierarchy_.position(node))

    def _learned_html(self) -> str | None:
        return classifier_html(self) if hasattr(self, "form_") else None

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
            "decision_reason": self.decision_reason_,
            "trusted": self.trusted_,
            "trust_reason": self.trust_reason_,
            "n_features": int(self.n_features_in_),
            "class_dtype": dtype_name(self.classes_.dtype),
            "given_hierarchy": self.hierarchy is not None,
            "learned": self._learned_state(),
            "calibration": None
            if self.calibrator_ is None
            else {"name": self.calibration, "learned": self.calibrator_.to_state()},
            "promise": None if self.promise_ is None else self.promise_.to_state(),
        }

    def from_state(self, state: State) -> Self:
        """Take up a learned state, refusing what cannot be one."""
        names = [_restored_name(name) for name in state["names"]]
        edges = checked_array(state, "edges", np.int32, (2, None))
        self.hierarchy_ = Hierarchy(names, *edges)
        self.ends_ = checked_array(state, "ends", np.int32, (None,))
        if not self.ends_.size or not (0 <= self.ends_.min() <= self.ends_.max() < len(names)):
            raise InputError("the model's ends are none, or lie outside its hierarchy")
        self.hierarchy = self.hierarchy_ if state["given_hierarchy"] else None
        self.form_ = LabelForm(**state["form"])
        self.decision_ = make_decision(**state["decision"])
        self.decision_.check(self.hierarchy_)
        self.decision_reason_ = state["decision_reason"]
        self.trusted_, self.trust_reason_ = state["trusted"], state["trust_reason"]
        self.n_features_in_ = int(state["n_features"])
        self.classes_ = name_array(self.hierarchy_.names, LabelForm("single", state["class_dtype"]).dtype)
        self._restore(state["learned"])
        self._restore_calibrator(state["calibration"])
        self.promise_ = None if state["promise"] is None else Promise.from_state(state["promise"])
        return self

    def learn(self, X: csr_array, own: csr_array, weight: npt.NDArray[np.float64] | None) -> None:
        """Learn from documents as rows of X and their own labels as an indicator over the nodes."""
        raise NotImplementedError

    def score_rows(self, X: csr_array) -> npt.NDArray[np.float64]:
        """Score every node for every row of X, which has been checked."""
        raise NotImplementedError

    @property
    def score_columns(self) -> int:
        """How many columns `score_rows` gives."""
        return len(self.hierarchy_)

    def as_nodes(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Give the columns of the nodes, which come first."""
        return scores[:, : len(self.hierarchy_)]

    def as_own(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Turn scores into those of own labels."""
        return scores

    def inside(self) -> Sequence["HierarchicalClassifier"]:
        """Give the classifiers that this one is made of and that read text each in its own way, if any."""
        return ()

    def _check_limits(self, X: csr_array, own: csr_array) -> None:
        """Refuse what there is no memory for, and warn of what takes hours, before it begins."""
        if isinstance(X, csr_array):
            # Workers that have parts of X say themselves what they have memory for.
            check_memory(self.memory_to_learn(X, own))
        size = f"{X.shape[0]:,} documents, {X.shape[1]:,} terms, {self.ends_.size:,} categories"
        seconds = self._seconds(X, own)
        if A_WHILE <= seconds < LONG:
            notice(time_in_words(seconds, size))
        warn_of_time(seconds, size)

    def _seconds(self, X: csr_array, own: csr_array) -> float:
        """Estimate what `fit` takes."""
        return seconds_in_all(self, Task(X, own, None, np.flatnonzero(np.diff(own.indptr))))

    def memory_to_learn(self, X: csr_array, own: csr_array) -> Needed:
        """Estimate the bytes that fitting takes besides X."""
        return Needed()

    def work_to_learn(self, X: csr_array, own: csr_array) -> float:
        """Estimate how many entries of X are touched in learning: all of them for each category."""
        return float((X.nnz + ENTRIES_OF_A_DOCUMENT * X.shape[0]) * self.ends_.size)

    def know(self, rows: npt.NDArray[np.intp], scores: npt.NDArray[np.float64]) -> None:
        """Take up what copies that had not seen some rows say of them, before `fit`, which then makes no copies."""
        self._known = rows, scores

    def held_out(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]] | None:
        """Give the rows that were held out and their scores, if they are known; nobody makes them again."""
        known, self._known = self._known, None
        return known

    def held_out_ranks(self, task: Task, count: int) -> Ranks | None:
        """Give the best ends of documents held out, their scores and own labels, where all scores would be too many."""
        return None

    def unfitted_copy(self) -> Self:
        """Give a copy that has learned nothing, and knows the hierarchy and the decision."""
        copy = clone(self)
        for name in ("hierarchy_", "n_features_in_", "decision_", "few_labelled_"):
            setattr(copy, name, getattr(self, name))
        return copy  # type: ignore[no-any-return]

    def quick_decision(self, task: Task, decision: Auto, otherwise: str | None) -> Choice:
        """Give a decision where learning the best one would take too long."""
        return tuned_on_a_part(self, task, decision, otherwise)

    def fits_of_quick_decision(self, task: Task, decision: Auto) -> float:
        """Return how many fits `quick_decision` and the fit itself take."""
        return 2.0 if seconds_to_fit(self, task) <= decision.seconds else 1.0

    def scores_of_quick_decision(self, task: Task, decision: Auto) -> float:
        """Return how many scores `quick_decision` holds."""
        scores = task.labelled.size / decision.folds * len(self.hierarchy_)
        return scores if self.fits_of_quick_decision(task, decision) > 1.0 else 0.0

    def contributions_to(self, X: csr_array, node: int, scores: npt.NDArray[np.float64]) -> Contributions:
        """Give the terms' contributions to a node's scores, where the scores of all nodes are given."""
        raise NotImplementedError

    def term_weights(self, blocks: Sequence[Positions]) -> Iterator[Matrix]:
        """Give what every term says for each node of a block, above 0 for it and below 0 against it, block by block.

        Rows are nodes, columns terms; a row of zeros is a node that nothing was learned of.
        """
        raise InputError(f"{type(self).__name__} has no words for a category: it needs a text to say why")

    def _learned_state(self) -> State:
        raise NotImplementedError

    def _restore(self, learned: State) -> None:
        raise NotImplementedError

    def chosen_decision(self, own: csr_array) -> Decision:
        """Give the decision asked for, or the best path where every document has exactly one own label."""
        if isinstance(self.decision, str):
            return parse_decision(self.decision)
        if self.decision is not None:
            return self.decision
        return BestPath() if bool((np.diff(own.indptr) == 1).all()) else Threshold()

    def learned_calibrator(self, task: Task, scores: npt.NDArray[np.float64]) -> Calibrator:
        """Learn to give probabilities from held-out scores."""
        return fitted_calibrator(self, scores, csr_array(task.own[task.labelled]), self._sums_to_one())

    def _restore_calibrator(self, state: State | None) -> None:
        self.calibrator_ = None
        if state is not None:
            size = 1 if self._sums_to_one() else len(self.hierarchy_)
            self.calibrator_ = CALIBRATIONS[state["name"]].from_state(state["learned"], size)
            self.calibration = state["name"]

    def _plain_parameters(self) -> list[str]:
        """Name the parameters that may go into a model file with what was learned."""
        return [name for name in self.get_params(deep=False) if name not in KEPT_ELSEWHERE]

    def _parameters_state(self) -> State:
        """Return the parameters that go into a model file."""
        return {name: getattr(self, name) for name in self._plain_parameters()}

    def _restore_parameters(self, parameters: State) -> None:
        """Set the parameters of a model file; raise InputError if they are not those of this class."""
        if set(parameters) != set(self._plain_parameters()):
            raise InputError(f"the model's parameters are not those of {type(self).__name__}")
        self.set_params(**parameters)
        self.check()

    def _answer(self, X: csr_array) -> Answers:
        """Score some documents, all at once."""
        return DenseAnswers(self, X, self.score_rows(X))

    def decide(self, scores: npt.NDArray[np.float64]) -> csr_array:
        """Turn scores into label sets by the decision that was learned."""
        scores = self.as_own(scores) if self.decision_.ranks_ends else self.as_nodes(scores)
        return self.decision_.decide(scores, self.hierarchy_, self.ends_)

    def batches(self, documents: int) -> Iterator[slice]:
        """Cut the documents into slices, each as long as memory should hold scores for."""
        size = max(1, SCORES_IN_A_BATCH // len(self.hierarchy_))
        for start in range(0, documents, size):
            yield slice(start, start + size)

    def _validated(self, X: Any, reset: bool = False) -> csr_array:
        """Check X as scikit-learn does, and give it as CSR with sorted, distinct indices, the caller's untouched.

        What is in parts on workers has been made there of documents, and stays there if the method learns so.
        """
        if isinstance(X, PartedMatrix) and reset and self.learns_in_parts:
            self.n_features_in_ = X.shape[1]
            return X  # type: ignore[return-value]
        X = here(X)
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


def _indicated(classifier: HierarchicalClassifier, X: csr_array) -> csr_array:
    """Give the label sets of some documents, wherever that is done."""
    return classifier.predict_indicator(X)


def _restored_name(name: Any) -> Name:
    """Return a category's name from a model file, where a tuple, also one inside another, is a list."""
    return tuple(map(_restored_name, name)) if isinstance(name, list) else name


def check_counts(X: csr_array) -> None:
    """Refuse negative counts, naming the first.

    >>> check_counts(csr_array([[0.0, -1.0]]))
    Traceback (most recent call last):
    classmark.errors.InputError: Negative values in data: document 0 has -1 for term 1; terms are counted, give ...
    """
    wrong = np.flatnonzero(X.data < 0)
    if wrong.size:
        document = int(np.searchsorted(X.indptr, wrong[0], side="right")) - 1
        raise InputError(
            f"Negative values in data: document {document} has {X.data[wrong[0]]:g} for term {X.indices[wrong[0]]}; "
            "terms are counted, give counts or weights from 0"
        )


def checked_weight(weight: npt.ArrayLike | None, documents: int) -> npt.NDArray[np.float64] | None:
    """Give the weights of documents, one each; refuse what cannot be weights."""
    if weight is None:
        return None
    values = np.asarray(weight, dtype=np.float64)
    if values.ndim == 0:
        values = np.full(documents, values)
    if values.shape != (documents,):
        raise InputError(
            f"sample_weight has shape {values.shape} for {documents} documents; give one number a document"
        )
    if not np.isfinite(values).all() or (values < 0).any() or not values.any():
        raise InputError("sample_weight must be finite and not negative, and not all zero")
    return values


def _left_out(
    X: csr_array,
    labels: Labels,
    weight: npt.NDArray[np.float64] | None,
    keep: npt.NDArray[np.bool_],
    which: str,
) -> tuple[csr_array, Labels, npt.NDArray[np.float64] | None]:
    """Leave out some documents, saying how many."""
    if keep.all():
        return X, labels, weight
    warnings.warn(f"left out {(~keep).sum()} of {keep.size} documents that {which}", stacklevel=4)
    kept = Labels(labels.hierarchy, labels.indicator[keep], labels.labelled[keep], labels.form)
    return X[keep], kept, None if weight is None else weight[keep]
