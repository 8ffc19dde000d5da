"""What scores of documents held out are worth by a measure, under the decision that makes the most of them."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.decision import Decision, LearnedDecision, parse_decision
from classmark.decision.auto import CANDIDATES, FEW_SCORES
from classmark.hierarchy import Hierarchy
from classmark.metrics.evaluation import Evaluation
from classmark.metrics.table import chosen_figure

Rows = npt.NDArray[np.intp]
HARDLY_MORE = 1.3
STEADY = 2
"""How many decisions are tried where trying all would take minutes: the steadier ones."""


class Said(NamedTuple):
    """What was said of documents held out: scores of nodes, and of own labels."""

    nodes: Floats
    own: Floats


class Truth(NamedTuple):
    """What is true of them."""

    own: csr_array
    closed: csr_array
    hierarchy: Hierarchy
    ends: npt.NDArray[np.int32]

    def of(self, rows: Rows) -> "Truth":
        """Give that of some documents."""
        return self._replace(own=csr_array(self.own[rows]), closed=csr_array(self.closed[rows]))


class Verdict(NamedTuple):
    """The best decision, what it is worth, and its answers."""

    decision: str
    score: float
    answers: csr_array
    first: npt.NDArray[np.int32]


def sensible_decisions(labels: float, one_label: bool, scores: int) -> list[str]:
    """Name the decisions to try: the best path where every document has one label, or else those of `auto`.

    Where documents have hardly more than one label in the mean, the best path is tried beside these.
    """
    if one_label:
        return ["best-path"]
    learned = list(CANDIDATES)[: None if scores <= FEW_SCORES else STEADY]
    return [*learned, *(["best-path"] if labels < HARDLY_MORE else [])]


def judge(said: Said, truth: Truth, decisions: list[str], measure: str) -> Verdict:
    """Give the best of some decisions; what it learns, it learns from the other half of the documents.

    One that leaves most documents without an answer is not taken, unless most belong nowhere or all others do too.
    """
    best_ends = said.own[:, truth.ends].argmax(axis=1) if truth.ends.size else np.zeros(len(said.own), dtype=np.intp)
    first = truth.ends[best_ends].astype(np.int32)
    verdicts = []
    for name in decisions:
        answers = crossed_answers(parse_decision(name), said, truth)
        found = Evaluation(truth.own, answers, truth.hierarchy, first=first)
        without = float((np.diff(answers.indptr) == 0).mean())
        verdicts.append((without, Verdict(name, chosen_figure(measure, found), answers, first)))
    nowhere = float((np.diff(truth.own.indptr) == 0).mean())
    allowed = [one for without, one in verdicts if without <= max(0.5, nowhere)] or [one for _, one in verdicts]
    return max(allowed, key=lambda one: one.score)


def crossed_answers(decision: Decision, said: Said, truth: Truth) -> csr_array:
    """Decide; a decision that learns decides about either half of the documents as the other half has taught it."""
    given = said.own if decision.ranks_ends else said.nodes
    if not isinstance(decision, LearnedDecision):
        return csr_array(decision.decide(given, truth.hierarchy, truth.ends))
    rows, cols = [], []
    for learned, asked in _halves(len(given)):
        known = truth.closed[learned].nonzero()
        if not np.isfinite(given[learned][known]).any():
            continue
        fitted = decision.fit(given[learned], csr_array(truth.closed[learned]), truth.hierarchy)
        found = fitted.decide(given[asked], truth.hierarchy, truth.ends).tocoo()
        rows.append(asked[found.coords[0]])
        cols.append(found.coords[1])
    places = (np.concatenate([*rows, np.empty(0, np.intp)]), np.concatenate([*cols, np.empty(0, np.intp)]))
    ones = np.ones(places[0].size, dtype=bool)
    return csr_array((ones, places), shape=truth.closed.shape)


def _halves(documents: int) -> Iterator[tuple[Rows, Rows]]:
    order = np.random.default_rng(0).permutation(documents)
    halves = order[: documents // 2], order[documents // 2 :]
    yield halves
    yield halves[::-1]
