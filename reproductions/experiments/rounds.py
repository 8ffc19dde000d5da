"""`rounds`: the learning curve of a booster, which is fitted once, at the greatest number of rounds.

A booster's hypothesis after S rounds is the sum of its first S weak hypotheses (adaboost_mh_kr_2000, Equation 6), so
one fit gives the answers at every smaller S. Times and the number of
simple hypotheses belong to a whole fit, so they are measured at the greatest alone.
"""

import time
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Meta
from scipy.sparse import csr_array, vstack

from classmark.decision import best_end
from classmark.errors import InputError
from classmark.registry import find_method
from reproductions.experiments.base import Experiment
from reproductions.experiments.learning import Learned, Learning, evaluate, learn
from reproductions.surroundings import Surroundings
from reproductions.verdicts import Measured

SCORES_IN_A_BATCH = 1 << 24
"""How many scores are held at a time: 128 MiB."""


class Rounds(Learning, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A booster after so many rounds."""

    rounds: Annotated[int, Meta(ge=1)]

    def check(self) -> None:
        """Refuse a method that has no rounds too."""
        super().check()
        find_method(self.method).configure({"n_estimators": self.rounds})


def run(conditions: Sequence[Rounds], surroundings: Surroundings) -> list[Measured]:
    """Measure a booster after several numbers of rounds."""
    wanted = [condition.rounds for condition in conditions]
    most = max(wanted)
    longest = msgspec.structs.replace(conditions[0], settings=conditions[0].settings | {"n_estimators": most})
    _compile(longest, surroundings)
    learned = learn(longest, surroundings)
    if learned.classifier.decision_.learns_from == "scores":
        raise InputError("a decision that learns is learned for the last round alone; use the experiment method")
    # What answers is compiled, or fetched from where that is kept, by the first document.
    learned.classifier.predict_indicator(learned.X[:1])
    start = time.process_time()
    learned.classifier.predict_indicator(learned.X)
    whole = {"train_seconds": learned.seconds, "test_seconds": time.process_time() - start}
    if hasattr(learned.classifier, "pivots_"):
        whole["hypotheses"] = float(np.size(learned.classifier.pivots_))
    answers = _answers(learned, wanted)
    return [evaluate(learned, *answers[rounds], whole if rounds == most else {}) for rounds in wanted]


def _answers(learned: Learned, wanted: Sequence[int]) -> dict[int, tuple[csr_array, npt.NDArray[np.int32]]]:
    """Give the label sets and the first categories after each number of rounds."""
    classifier: Any = learned.classifier
    hierarchy, ends = classifier.hierarchy_, classifier.ends_
    rising = sorted(set(wanted))
    size = max(1, SCORES_IN_A_BATCH // len(hierarchy))
    predicted: dict[int, list[csr_array]] = {rounds: [] for rounds in rising}
    first: dict[int, list[npt.NDArray[np.int32]]] = {rounds: [] for rounds in rising}
    for row in range(0, learned.X.shape[0], size):
        staged = classifier.node_scores_at(learned.X[row : row + size], rising)
        for rounds, scores in zip(rising, staged, strict=True):
            predicted[rounds].append(classifier.decision_.decide(scores, hierarchy, ends))
            first[rounds].append(best_end(scores, ends))
    return {
        rounds: (csr_array(vstack(predicted[rounds], format="csr")), np.concatenate(first[rounds])) for rounds in rising
    }


def _compile(parameters: Learning, surroundings: Surroundings) -> None:
    """Learn two documents by heart, so that the time of the fit is not that of compiling its kernels."""
    learner, _ = find_method(parameters.method).configure(parameters.settings | {"n_estimators": 1})
    learner.build(surroundings.seed, surroundings.jobs).fit(csr_array(np.eye(2)), ["a", "b"])


ROUNDS = Experiment(Rounds, run, varying="rounds")
