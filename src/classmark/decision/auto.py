"""The decision that does best on held-out documents, where nobody has named one."""

from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.checks import integer, real
from classmark.decision.base import Decision, LearnedDecision
from classmark.decision.pcut import PCut
from classmark.decision.scut import SCut
from classmark.decision.thresholds import Threshold, TunedThreshold
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.progress import track

Rows: TypeAlias = npt.NDArray[np.intp]

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
    found = {name: _crossed(candidate, held_out) for name, candidate in tried}
    belong_nowhere = float((np.diff(truth.indptr) == 0).mean())
    allowed = [name for name, (_, without) in found.items() if without <= max(0.5, belong_nowhere)]
    listed = ", ".join(f"{name} {hf:.3f}" for name, (hf, _) in found.items())
    if not allowed:
        return Choice(
            Threshold(otherwise="nearest"), f"anything else leaves most documents without an answer: {listed}"
        )
    best = max(allowed, key=lambda name: found[name][0])
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
        return max(_crossed(candidate, held_out)[0] for candidate in tried)
    if isinstance(decision, LearnedDecision):
        return _crossed(decision, held_out)[0]
    answers = decision.decide(held_out.scores, held_out.hierarchy, held_out.ends)
    right = answers.astype(np.int64).multiply(held_out.truth.astype(np.int64)).sum()
    return float(2 * right / max(answers.nnz + held_out.truth.nnz, 1))


class HeldOut(NamedTuple):
    """Held-out scores of documents, and what is true of them."""

    scores: Floats
    truth: csr_array
    hierarchy: Hierarchy
    ends: npt.NDArray[np.int32]


def _crossed(candidate: LearnedDecision, held_out: HeldOut) -> tuple[float, float]:
    """Learn from either half of the documents, and give hF and the share without an answer on the other."""
    order = np.random.default_rng(0).permutation(held_out.truth.shape[0])
    halves = order[: order.size // 2], order[order.size // 2 :]
    parts = [_measured(candidate, held_out, *halves[::way]) for way in (1, -1)]
    hits, answered, asked, without = np.sum(parts, axis=0)
    return 2 * hits / max(answered + asked, 1), without / order.size


def _measured(candidate: LearnedDecision, held_out: HeldOut, learned: Rows, asked: Rows) -> tuple[int, int, int, int]:
    """Learn from some documents, and count on others: right labels, labels given, true labels, and no answers."""
    scores, truth, hierarchy, ends = held_out
    # Nothing is learned where no label of these documents has a score.
    known = truth[learned].nonzero()
    if not np.isfinite(scores[learned][known]).any():
        return 0, 0, int(truth[asked].nnz), asked.size
    fitted = candidate.fit(scores[learned], csr_array(truth[learned]), hierarchy)
    answers = fitted.decide(scores[asked], hierarchy, ends)
    right = answers.astype(np.int64).multiply(truth[asked].astype(np.int64)).sum()
    return int(right), int(answers.nnz), int(truth[asked].nnz), int((np.diff(answers.indptr) == 0).sum())
