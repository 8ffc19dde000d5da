"""Held-out scores, and the decisions, probabilities and precision guarantees that are fitted on them.

Every labeled document is scored by a copy of the classifier that has not seen it. The copies are fitted in parallel
processes where that saves time, or on a cluster; which process fits a copy changes nothing.
"""

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.checks import check_values, real
from classmark.data.splits import stratified_k_fold
from classmark.decision import Auto, BestPath, Choice, Decision, LearnedDecision, Threshold, TunedThreshold, choose
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.parallel import elsewhere, in_order, n_cores, n_threads
from classmark.probability import CALIBRATIONS, Calibrator, Promise
from classmark.progress import track
from classmark.wording import one_of

SCORES_TO_LEARN_FROM = 1 << 29
"""How many scores a decision may learn from: 4 GiB."""
SECONDS_AN_ENTRY = 40e-9
"""What an entry of the matrix costs a linear learner, about; a document costs as much as a few entries."""
SPEED = 0.45
"""Part of the estimated time that fits take, by benchmarks/estimates.py.

Choices that depend on time ignore it, so that a faster machine, or a new measurement, does not change a model."""
ENTRIES_OF_A_DOCUMENT = 12
SECONDS_A_SCORE = 2e-6
"""What choosing a decision costs for each score, about."""
SECONDS_A_CUT = 0.2e-6
"""What making and cutting a score costs where the decision is given (benchmarks/estimates.py)."""
WORTH_A_PROCESS = 8.0
"""Folds that take fewer seconds are done before other processes have started."""
FEWEST_DOCUMENTS = 20
"""With fewer labelled documents, what is learned from folds of them is an accident."""


class Task(NamedTuple):
    """What is learned from: documents as rows, own labels and weights, and which documents are labelled.

    Where learning has held documents out already, these alone are `labelled`, and their `scores` are not made again.
    """

    X: csr_array
    own: csr_array
    weight: Floats | None
    labelled: npt.NDArray[np.intp]
    scores: Floats | None = None

    def part(self, rows: npt.NDArray[np.intp]) -> tuple[csr_array, csr_array, Floats | None]:
        """Give some documents, their labels and their weights."""
        return self.X[rows], csr_array(self.own[rows]), None if self.weight is None else self.weight[rows]


class Settled(NamedTuple):
    """A decision ready to decide, why it is that one, and the held-out scores it has learned from, if any."""

    decision: Decision
    reason: str | None = None
    scores: Floats | None = None


def check_size(
    documents: int,
    nodes: int,
    what: object,
    remedy: str = "choose best-path, threshold or rcut, or train on fewer documents",
) -> None:
    """Refuse to learn from more scores than memory should hold."""
    if documents * nodes > SCORES_TO_LEARN_FROM:
        raise InputError(
            f"{what} needs the scores of {documents} documents for {nodes} nodes at once, "
            f"{documents * nodes / 2**27:.0f} GiB; {remedy}"
        )


def held_out_scores(classifier: Any, task: Task, folds: int) -> Floats:
    """Score every labelled document by a copy that has not seen it; minus infinity for what the copy has not seen."""
    if task.scores is not None:
        return task.scores
    parts = fold_parts(classifier.hierarchy_, task, folds)
    scores = np.full((task.labelled.size, classifier.score_columns), -np.inf)
    processes = processes_for(classifier, task, len(parts))
    alone = processes == 1 and elsewhere() is None
    tasks = ((_copy(classifier, alone=alone), seen, task.labelled[rest]) for seen, rest in parts)
    found = in_order(_scored, tasks, shared=(task,), n_jobs=processes)
    for (_, rest), part in track(zip(parts, found, strict=True), "folds", len(parts)):
        if part is not None:
            scores[rest] = part
    return scores


def processes_for(classifier: Any, task: Task, folds: int) -> int:
    """Give the number of processes for so many folds: those asked for, or else one a core, where it is worth it."""
    if classifier.uses_every_core or seconds_to_fit(classifier, task) * (folds - 1) < WORTH_A_PROCESS:
        return 1
    n_jobs = classifier.n_jobs
    return min(folds, n_cores() if n_jobs is None else n_threads(n_jobs))


def seconds_to_fit(classifier: Any, task: Task) -> float:
    """Estimate what a fit costs by the size of the problem alone, so that the answer is the same on any machine."""
    return float(SECONDS_AN_ENTRY * classifier.work_to_learn(task.X, task.own))


def seconds_in_all(classifier: Any, task: Task) -> float:
    """Estimate the CPU seconds of a fit with the folds that its decision and its probabilities are fitted on."""
    decision, fits = classifier.decision_, 1.0 if classifier.calibration is None else float(LearnedDecision.folds)
    scores = 0.0
    if _uses_folds(classifier, decision, task):
        # Each fold is fitted on all parts but one, and the whole once: as much work as there are folds.
        fits, scores = decision.folds, float(task.labelled.size) * len(classifier.hierarchy_)
    elif decision.learns_from == "trials" and task.labelled.size >= FEWEST_DOCUMENTS:
        fits = classifier.fits_of_quick_decision(task, decision)
    seconds = SPEED * (fits * seconds_to_fit(classifier, task) + SECONDS_A_SCORE * scores)
    if decision.learns_from == "scores":
        seconds += SECONDS_A_CUT * task.labelled.size * len(classifier.hierarchy_)
    return seconds


def scores_in_memory(classifier: Any, task: Task) -> int:
    """Return how many scores are held while the decision and the probabilities are fitted."""
    decision, documents = classifier.decision_, task.labelled.size
    if decision.weighs_chances and classifier.gives_chances:
        return 0
    every = documents * len(classifier.hierarchy_)
    if (
        classifier.calibration is not None
        or decision.learns_from == "scores"
        or _uses_folds(classifier, decision, task)
    ):
        return int(every if every <= SCORES_TO_LEARN_FROM else 0)
    return int(classifier.scores_of_quick_decision(task, decision)) if decision.learns_from == "trials" else 0


def _uses_folds(classifier: Any, decision: Any, task: Task) -> bool:
    """Say whether a decision learns from held-out scores."""
    if decision.learns_from == "trials":
        return _has_time(classifier, decision, task)
    return bool(decision.learns_from == "scores" and decision.on == "held-out")


def _seconds_of_trials(classifier: Any, decision: Auto, task: Task) -> float:
    """Estimate what it costs to try decisions on held-out scores."""
    scores = task.labelled.size * len(classifier.hierarchy_)
    return (decision.folds - 1) * seconds_to_fit(classifier, task) + SECONDS_A_SCORE * scores


def _has_time(classifier: Any, decision: Auto, task: Task) -> bool:
    """Say whether decisions are tried on held-out scores, and not settled in less time."""
    seconds = _seconds_of_trials(classifier, decision, task)
    fits = task.labelled.size * len(classifier.hierarchy_) <= SCORES_TO_LEARN_FROM
    return task.labelled.size >= FEWEST_DOCUMENTS and fits and seconds <= decision.seconds


def settle(classifier: Any, decision: Decision, task: Task) -> Settled:
    """Give the decision that a fitted classifier decides by, learned where it learns."""
    if decision.weighs_chances and classifier.gives_chances:
        return Settled(decision)
    return SETTLING[decision.learns_from](classifier, decision, task)


def _settle_learned(classifier: Any, decision: LearnedDecision, task: Task) -> Settled:
    """Learn a decision from the scores it asks for, or from the best ends alone where all scores would be too many."""
    documents = task.X.shape[0] if task.scores is None else len(task.scores)
    nodes = len(classifier.hierarchy_)
    few, too_many = decision.learned_ranks, documents * nodes > SCORES_TO_LEARN_FROM
    ranks = classifier.held_out_ranks(task, few) if few is not None and too_many else None
    if ranks is not None:
        return Settled(decision.fit_ranked(*ranks), f"learned on {len(ranks[0]):,} documents held out")
    check_size(documents, nodes, decision)
    scores = _scores_to_learn_from(classifier, decision, task)
    given = classifier.as_own(scores) if decision.ranks_ends else classifier.as_nodes(scores)
    learned = decision.fit(given, csr_array(task.own[task.labelled]), classifier.hierarchy_)
    return Settled(learned, None, scores if decision.on == "held-out" else None)


def _scores_to_learn_from(classifier: Any, decision: LearnedDecision, task: Task) -> Floats:
    if decision.on == "training":
        return np.asarray(classifier.score_rows(task.X[task.labelled]))
    if task.labelled.size < 2:
        raise InputError(f"{decision} learns from held-out documents; give at least 2, or say on=training")
    return held_out_scores(classifier, task, decision.folds)


def without_learning(decision: Decision, own: csr_array) -> Settled:
    """Give the best path in place of `auto` where every labelled document has exactly one own label."""
    if decision.learns_from == "trials" and bool((np.diff(own.indptr) == 1).all()):
        return Settled(BestPath(), "every training document has exactly one own label")
    return Settled(decision)


def _settle_auto(classifier: Any, decision: Auto, task: Task) -> Settled:
    """Learn which decision to take, as far as the time is enough for that."""
    documents = task.labelled.size
    own = csr_array(task.own[task.labelled])
    # Where every training document belongs somewhere, no answer is the worst answer.
    otherwise = "nearest" if bool((np.diff(own.indptr) > 0).all()) else None
    if documents < FEWEST_DOCUMENTS:
        reason = f"{documents} labelled documents are too few to learn another one from"
        return Settled(Threshold(otherwise=otherwise), reason)
    if task.scores is not None or _has_time(classifier, decision, task):
        scores = held_out_scores(classifier, task, decision.folds)
        choice = choose(classifier.as_nodes(scores), own, classifier.hierarchy_, classifier.ends_)
        return Settled(choice.decision, f"{choice.reason} ({decision.folds} folds)", scores)
    found: Choice = classifier.quick_decision(task, decision, otherwise)
    seconds = _seconds_of_trials(classifier, decision, task)
    return Settled(found.decision, f"{decision.folds} folds would take about {seconds:.0f} s; {found.reason}")


SETTLING: dict[str, Callable[[Any, Any, Task], Settled]] = {
    "nothing": lambda _, decision, __: Settled(decision),
    "scores": _settle_learned,
    "trials": _settle_auto,
}
"""What a decision learns from → how it is settled."""


def tuned_on_a_part(classifier: Any, task: Task, decision: Auto, otherwise: str | None) -> Choice:
    """Tune one threshold on the scores of one part held out, where the time is enough for that; else it is 0."""
    seen, rest = fold_parts(classifier.hierarchy_, task, decision.folds)[0]
    affordable = seconds_to_fit(classifier, task) <= decision.seconds
    fits = rest.size * len(classifier.hierarchy_) <= SCORES_TO_LEARN_FROM
    asked = task.labelled[rest]
    scores = _scored(task, _copy(classifier, alone=True), seen, asked) if affordable and fits else None
    if scores is None:
        return Choice(Threshold(otherwise=otherwise), "a threshold of 0 instead")
    nodes, own = classifier.as_nodes(scores), csr_array(task.own[asked])
    tuned = TunedThreshold(consistency="average").fit(nodes, own, classifier.hierarchy_)
    reason = f"a threshold tuned on {rest.size} documents held out instead"
    return Choice(Threshold(tuned.value, "average", otherwise), reason)


def held_out_copy(classifier: Any, task: Task, most: int) -> tuple[Any, npt.NDArray[np.intp]]:
    """Give a copy that has learned from all but some documents, a tenth and at most so many, and these."""
    some = np.random.default_rng(0).permutation(task.labelled)[: min(most, -(-task.labelled.size // 10))]
    unseen = np.sort(some)
    seen = np.setdiff1d(np.arange(task.X.shape[0]), unseen)
    copy = _copy(classifier, alone=True)
    learns(copy, task, seen)
    return copy, unseen


def fold_parts(hierarchy: Hierarchy, task: Task, folds: int) -> list[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
    """Give for each fold the rows to learn from, unlabelled ones too, and the places of the labelled ones left out."""
    labelled = task.labelled
    others = np.setdiff1d(np.arange(task.X.shape[0]), labelled)
    parts = stratified_k_fold(csr_array(task.own[labelled]), min(folds, labelled.size), hierarchy=hierarchy)
    return [(np.sort(np.append(labelled[seen], others)), rest) for seen, rest in parts]


def _copy(classifier: Any, *, alone: bool) -> Any:
    """Give an unfitted copy, which keeps to one core where several learn at a time."""
    copy = classifier.unfitted_copy()
    if not alone:
        copy.n_jobs = 1
    return copy


def _scored(task: Task, copy: Any, seen: npt.NDArray[np.intp], unseen: npt.NDArray[np.intp]) -> Floats | None:
    """Learn from some documents and score others; nothing where there is no label to learn."""
    return np.asarray(copy.score_rows(task.X[unseen])) if learns(copy, task, seen) else None


def learns(copy: Any, task: Task, seen: npt.NDArray[np.intp]) -> bool:
    """Let a copy learn from some documents; say whether there was a label to learn."""
    copy.ends_ = np.unique(task.own[seen].indices).astype(np.int32)
    if copy.ends_.size:
        copy.learn(*task.part(seen))
    return bool(copy.ends_.size)


RowNumbers: TypeAlias = npt.NDArray[np.intp]

CONFIDENCE = real(gt=0, le=1)


def scores_to_calibrate(classifier: Any, task: Task) -> Floats:
    """Score every labelled document by a copy of the classifier that has not seen it."""
    if task.labelled.size < 2:
        found = f"n_samples={task.labelled.size}"
        raise InputError(f"calibration learns from held-out documents, and {found}; give at least 2")
    remedy = "leave it out, or train on fewer documents"
    check_size(task.X.shape[0], len(classifier.hierarchy_), "calibration", remedy)
    return held_out_scores(classifier, task, LearnedDecision.folds)


def fitted_calibrator(classifier: Any, scores: Floats, own: csr_array, pooled: bool) -> Calibrator:
    """Learn probabilities, as the classifier's `calibration` says, from scores and own labels.

    Where they are pooled, as for categories that exclude each other, one curve does for all of them.
    """
    kind = CALIBRATIONS[classifier.calibration]
    scores = classifier.as_own(scores) if kind.ranks_ends else classifier.as_nodes(scores)
    return kind.fit(scores, own, classifier.hierarchy_, classifier.ends_, pooled)


def measured_promise(classifier: Any, scores: Floats, own: csr_array, pooled: bool) -> Promise:
    """Measure on either half of the documents what the probabilities learned from the other half promise.

    The answers are those of the classifier's decision, whose thresholds, if any, are learned from both halves.
    """
    order = np.random.default_rng(0).permutation(own.shape[0])
    halves = order[: order.size // 2], order[order.size // 2 :]
    answers = (
        part
        for learned, asked in (halves, halves[::-1])
        for part in _answers_of_half(_calibrated_on(classifier, scores, own, pooled, learned), scores, own, asked)
    )
    return Promise.of(answers, classifier.hierarchy_)


def _calibrated_on(classifier: Any, scores: Floats, own: csr_array, pooled: bool, rows: RowNumbers) -> Any:
    """Give a copy of the classifier with the probabilities that some documents teach."""
    half = copy(classifier)
    half.calibrator_ = fitted_calibrator(classifier, scores[rows], csr_array(own[rows]), pooled)
    return half


def _answers_of_half(
    half: Any, scores: Floats, own: csr_array, asked: RowNumbers
) -> Iterator[tuple[csr_array, Floats, csr_array]]:
    """Give of some documents the label sets, the chances of the labels and the truth, some at a time."""
    hierarchy = half.hierarchy_
    for rows in half.batches(asked.size):
        some = asked[rows]
        labels = hierarchy.close(half.decide(scores[some]))
        yield labels, half.probabilities_of(scores[some])[labels.nonzero()], hierarchy.close(csr_array(own[some]))


def least_probability(classifier: Any, min_precision: float) -> float:
    """Give what labels must reach so that at least this share of them are right, as measured on held-out documents.

    Where nothing was measured, as with the own probabilities of naive Bayes, it is the same number.
    """
    check_values({"min_precision": min_precision}, {"min_precision": CONFIDENCE})
    if not hasattr(classifier, "predict_proba"):
        raise InputError(
            f"min_precision={min_precision:g} asks for probabilities, which the model does not give; train it with "
            f"calibration ({one_of(CALIBRATIONS)})"
        )
    return min_precision if classifier.promise_ is None else classifier.promise_.at(min_precision).probability
