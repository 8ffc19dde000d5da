"""From held-out scores to probabilities, and to what can be promised of the answers that reach one."""

from collections.abc import Iterator
from copy import copy
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.checks import check_values, real
from classmark.decision import LearnedDecision
from classmark.errors import InputError
from classmark.held_out import Task, check_size, held_out_scores
from classmark.probability import CALIBRATIONS, Calibrator, Promise
from classmark.wording import one_of

Rows: TypeAlias = npt.NDArray[np.intp]

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
        for part in _answers(_learned(classifier, scores, own, pooled, learned), scores, own, asked)
    )
    return Promise.of(answers, classifier.hierarchy_)


def _learned(classifier: Any, scores: Floats, own: csr_array, pooled: bool, rows: Rows) -> Any:
    """Give a copy of the classifier with the probabilities that some documents teach."""
    half = copy(classifier)
    half.calibrator_ = fitted_calibrator(classifier, scores[rows], csr_array(own[rows]), pooled)
    return half


def _answers(half: Any, scores: Floats, own: csr_array, asked: Rows) -> Iterator[tuple[csr_array, Floats, csr_array]]:
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
