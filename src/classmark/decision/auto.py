"""The decision that does best on held-out documents, where nobody has named one."""

from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.checks import integer, real
from classmark.decision.base import Decision, LearnedDecision
from classmark.decision.thresholds import PCut, SCut, Threshold, TunedThreshold
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.metrics.flat import micro_f1
from classmark.progress import track

CANDIDATES: dict[str, LearnedDecision] = {
    "tuned": TunedThreshold(),
    "tuned,consistency=average": TunedThreshold(consistency="average"),
    "scut": SCut(),
    "scut,consistency=average": SCut(consistency="average"),
    "pcut": PCut(),
    "pcut,consistency=filter": PCut(consistency="filter"),
}
"""What is tried, the steadier first: of equals the first is taken."""
FEW_SCORES = 1 << 22
"""So many are judged in a second or two."""


class Auto(Decision):
    """Take what the training documents ask for; `fit` of a classifier puts another decision in its place.

    Where every document has exactly one own label that is the best path. Otherwise the held-out scores of a few folds
    say which of a tuned threshold, S-cut and P-cut is best, as far as the folds are not too long or too large; then,
    and where documents are few, it is a threshold.
    """

    learns_from = "trials"

    folds: Annotated[int, integer(ge=2), "How many parts cross-validation has."] = 5
    seconds: Annotated[
        float,
        real(ge=0),
        "How long the folds may take, as estimated from the size of the problem: the answer is the same on any "
        "machine.",
    ] = 60.0

    def decide(self, scores: Floats, hierarchy: Hierarchy, ends: npt.NDArray[np.int32]) -> csr_array:
        """Refuse: what decides is found by `fit`."""
        raise InputError("the decision auto has not been learned; fit a classifier with it")


class Choice(NamedTuple):
    """A decision, and why it was taken."""

    decision: Decision
    reason: str


def choose(scores: Floats, labels: csr_array, hierarchy: Hierarchy, ends: npt.NDArray[np.int32]) -> Choice:
    """Give the decision with the best hF on held-out scores, learned from all of them.

    What is learned from one half of the documents is measured on the other, so that a decision with a threshold for
    each node does not win by knowing them by heart. One that leaves most documents without an answer is never taken,
    unless most belong nowhere.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> scores = np.array([[-0.2, -0.9], [-0.9, -0.3], [-0.1, -0.2], [-0.8, -0.2]] * 3)
    >>> labels = csr_array(np.array([[1, 0], [0, 1], [1, 1], [0, 1]] * 3, dtype=bool))
    >>> choice = choose(scores, labels, Hierarchy.flat("ab"), np.array([0, 1], dtype=np.int32))
    >>> choice.decision
    TunedThreshold(on='held-out', folds=10, value=-0.55, consistency='close', otherwise=None)
    >>> choice.reason
    'held-out hF: tuned 1.000, tuned,consistency=average 1.000, scut 1.000, ...'
    """
    truth = hierarchy.close(labels)
    held_out = HeldOut(scores, truth, hierarchy, ends)
    tried = track(CANDIDATES.items(), "decisions", len(CANDIDATES))
    answers = {name: crossed_answers(candidate, held_out) for name, candidate in tried}
    hf = {name: micro_f1(truth, sets) for name, sets in answers.items()}
    allowed = [name for name, sets in answers.items() if empty_fraction(sets) <= max(0.5, empty_fraction(truth))]
    listed = ", ".join(f"{name} {value:.3f}" for name, value in hf.items())
    if not allowed:
        return Choice(
            Threshold(otherwise="nearest"), f"anything else leaves most documents without an answer: {listed}"
        )
    best = max(allowed, key=lambda name: hf[name])
    return Choice(CANDIDATES[best].fit(scores, labels, hierarchy), f"held-out hF: {listed}")


def worth(decision: Decision, held_out: "HeldOut") -> float:
    """Give the hF that a decision reaches on held-out scores; of what it learns from them it learns one half at a time.

    `auto` is worth what the best of its candidates is, and with thousands of categories the steadiest: to try all of
    them would take minutes.

    >>> from classmark import Hierarchy
    >>> truth = csr_array(np.array([[1, 0], [0, 1]], dtype=bool))
    >>> scores = np.array([[0.9, 0.1], [0.8, 0.2]])
    >>> worth(Threshold(0.5), HeldOut(scores, truth, Hierarchy.flat("ab"), np.array([0, 1], dtype=np.int32)))
    0.5
    """
    if decision.learns_from == "trials":
        tried = list(CANDIDATES.values())[: None if held_out.scores.size <= FEW_SCORES else 1]
        return max(worth(candidate, held_out) for candidate in tried)
    return micro_f1(held_out.truth, crossed_answers(decision, held_out))


class HeldOut(NamedTuple):
    """Held-out scores of documents, and what is true of them."""

    scores: Floats
    truth: csr_array
    hierarchy: Hierarchy
    ends: npt.NDArray[np.int32]


def empty_fraction(labels: csr_array) -> float:
    """Return the fraction of documents without a label."""
    return float((np.diff(labels.indptr) == 0).mean())


def crossed_answers(decision: Decision, held_out: HeldOut) -> csr_array:
    """Return the label sets of held-out documents; a decision that learns is fitted on one half for the other half."""
    scores, truth, hierarchy, ends = held_out
    if not isinstance(decision, LearnedDecision):
        return csr_array(decision.decide(scores, hierarchy, ends))
    order = np.random.default_rng(0).permutation(len(scores))
    halves = order[: order.size // 2], order[order.size // 2 :]
    pairs = [np.empty((2, 0), dtype=np.intp)]
    for learned, asked in (halves, halves[::-1]):
        # Nothing is learned where no label of these documents has a score.
        if np.isfinite(scores[learned][truth[learned].nonzero()]).any():
            fitted = decision.fit(scores[learned], csr_array(truth[learned]), hierarchy)
            rows, nodes = fitted.decide(scores[asked], hierarchy, ends).nonzero()
            pairs.append(np.stack([asked[rows], nodes]))
    rows, nodes = np.hstack(pairs)
    return csr_array((np.ones(rows.size, dtype=bool), (rows, nodes)), shape=truth.shape)
