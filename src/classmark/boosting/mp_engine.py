"""Rounds of boosting in which every category has pivots of its own (MP-Boost).

The tables and the rule for ties are those of `engine`; with a category by itself every term's merit is a few
operations, so there is nothing to bound. The categories share the threads.

The kernels are as in `searching` and `weights`, but the categories are apart, each with its own part of the state.
Costs are relative to the category's share of the distribution.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.boosting.engine import TIED, Stumps, Threaded, rounds_in, terms_at
from classmark.boosting.merits import ABSTAINING, DISCRETE, REAL, Indices, Integers, values
from classmark.boosting.problem import make_pairs, make_terms
from classmark.boosting.searching import MOST, enter, first_of_best
from classmark.compilation import kernel
from classmark.parallel import even_ranges

if TYPE_CHECKING:
    from classmark.boosting.problem import Terms

Bytes: TypeAlias = npt.NDArray[np.uint8]


class MPRule(NamedTuple):
    """What does not change from round to round; see `mp_engine` for what the last two are."""

    prediction: int
    epsilon: float
    tied: float
    doubt: float
    faded: float


class MPState(NamedTuple):
    """What is kept from round to round.

    Attributes
    ----------
    weights : array, (n_labels, n_documents)
        The stored weight of each pair.
    negative : array of 0 and 1, (n_labels, n_documents)
        0 where the document has the category, otherwise 1: where the pair counts in what has two rows.
    tables : array, (2, n_labels, n_terms)
        The stored weights with every term, of the positive and of the negative pairs.
    totals, peaks, scales : array, (2, n_labels)
        The sums of the stored weights, the largest they have been since the tables were summed, and what makes stored
        weights those of the distribution.
    """

    weights: Floats
    negative: Bytes
    tables: Floats
    totals: Floats
    peaks: Floats
    scales: Floats


@kernel(reassociate=True)
def find_merits(
    prediction: int, positive: Floats, negative: Floats, totals: Floats, scales: Floats, merits: Floats
) -> None:
    """Give every term's merit in one category, the larger the smaller is Z; `totals` and `scales` are its own two."""
    mass = scales[0] * totals[0] + scales[1] * totals[1]
    if prediction == REAL:
        factor = -2.0 * np.sqrt(scales[0] * scales[1]) / mass
        for k in range(merits.size):
            inside = max(positive[k], 0.0) * max(negative[k], 0.0)
            outside = max(totals[0] - positive[k], 0.0) * max(totals[1] - negative[k], 0.0)
            merits[k] = factor * (np.sqrt(inside) + np.sqrt(outside))
    elif prediction == ABSTAINING:
        for k in range(merits.size):
            for_it, against = scales[0] * max(positive[k], 0.0), scales[1] * max(negative[k], 0.0)
            merits[k] = (for_it + against - 2.0 * np.sqrt(for_it * against)) / mass
    else:
        whole = scales[0] * totals[0] - scales[1] * totals[1]
        for k in range(merits.size):
            inside = scales[0] * positive[k] - scales[1] * negative[k]
            merits[k] = (abs(inside) + abs(whole - inside)) / mass


@kernel
def least_of_best(count: int, merits: Floats) -> float:
    """Give the least of the `count` largest merits."""
    best, least = np.full(count, -np.inf), -np.inf
    for each in merits:
        if each > least:
            enter(each, best)
            least = best[0]
    return float(least)


@kernel
def sum_sides(k: int, j: int, terms: "Terms", state: MPState, sides: Floats) -> None:
    """Sum the weights of category j with and without term k: `sides[x, b, 0]`, b = 0 the positive ones."""
    weights, negative, totals = state.weights[j], state.negative[j], state.totals[:, j]
    without, inside = sides[0, :, 0], sides[1, :, 0]
    documents = terms.documents[terms.starts[k] : terms.starts[k + 1]]
    inside[:] = 0.0
    for i in documents:
        inside[negative[i]] += weights[i]
    if inside[0] > MOST * totals[0] or inside[1] > MOST * totals[1]:
        sum_missing(documents, weights, negative, without)
    else:
        for b in range(2):
            without[b] = totals[b] - inside[b]
    for x in range(2):
        for b in range(2):
            sides[x, b, 0] *= state.scales[b, j]


@kernel
def sum_missing(documents: Indices, weights: Floats, negative: Bytes, sums: Floats) -> None:
    """Sum the stored weights of all documents but some, positive and negative pairs apart."""
    missing = np.ones(weights.size, dtype=np.bool_)
    missing[documents] = False
    sums[:] = 0.0
    for i in range(weights.size):
        if missing[i]:
            sums[negative[i]] += weights[i]


@kernel
def cost(prediction: int, sides: Floats) -> float:
    """Give Z before smoothing, relative to the category's share of the distribution."""
    without, inside = sides[0, :, 0], sides[1, :, 0]
    mass = without[0] + without[1] + inside[0] + inside[1]
    if prediction == DISCRETE:
        wrong = (min(without[0], without[1]) + min(inside[0], inside[1])) / mass
        return float(2.0 * np.sqrt(wrong * max(1.0 - wrong, 0.0)))
    outside = 2.0 * np.sqrt(without[0] * without[1]) if prediction == REAL else without[0] + without[1]
    return float((2.0 * np.sqrt(inside[0] * inside[1]) + outside) / mass)


@kernel
def choose(
    start: int,
    stop: int,
    rule: MPRule,
    terms: "Terms",
    state: MPState,
    pivots: Integers,
    costs: Floats,
    answers: Floats,
) -> None:
    """Rank the best terms of some categories: `pivots[q, j]` is the q-th of category j.

    The tables make a short list, and sums taken anew settle it: terms within `tied` of the smallest Z left are tied,
    and the lowest column goes first. That is Z as part of the whole, so a category's costs are tied within `near`.
    """
    totals, scales = state.totals, state.scales
    merits = np.empty(terms.columns.size)
    sides = np.empty((2, 2, 1))
    for j in range(start, stop):
        near = rule.tied / (scales[0, j] * totals[0, j] + scales[1, j] * totals[1, j])
        find_merits(rule.prediction, state.tables[0, j], state.tables[1, j], totals[:, j], scales[:, j], merits)
        least = least_of_best(len(pivots), merits)
        if rule.prediction == DISCRETE:
            # Z = √(1 - r²) is flat where r is near 0: there terms are tied whose r differ by more.
            least = np.sqrt(max(least * least - 4.0 * near, 0.0))
        found = np.flatnonzero(merits >= least - near - rule.doubt)
        fresh = np.empty(found.size)
        for position in range(found.size):
            sum_sides(found[position], j, terms, state, sides)
            fresh[position] = cost(rule.prediction, sides)
        for rank in range(len(pivots)):
            chosen = first_of_best(found, fresh, near, terms.columns)
            sum_sides(found[chosen], j, terms, state, sides)
            values(rule.prediction, sides, rule.epsilon, answers[rank, :, j : j + 1])
            pivots[rank, j], costs[rank, j] = found[chosen], fresh[chosen]
            fresh[chosen] = np.inf


@kernel
def change(
    start: int,
    stop: int,
    rule: MPRule,
    terms: "Terms",
    state: MPState,
    counts: Integers,
    pivots: Integers,
    answers: Floats,
) -> None:
    """Multiply the weights of some categories by what the mean of their first `counts[j]` stumps says."""
    totals, peaks = state.totals, state.peaks
    for j in range(start, stop):
        for rank in range(counts[j]):
            absent, present = answers[rank, 0, j] / counts[j], answers[rank, 1, j] / counts[j]
            state.scales[0, j] *= np.exp(-absent)
            state.scales[1, j] *= np.exp(absent)
            reweigh(j, pivots[rank, j], np.exp(present - absent), terms, state)
        sum_totals(state.weights[j], state.negative[j], totals[:, j])
        for b in range(2):
            peaks[b, j] = max(peaks[b, j], totals[b, j])
        if peaks[0, j] > rule.faded * totals[0, j] or peaks[1, j] > rule.faded * totals[1, j]:
            weigh_anew(j, terms, state)


@kernel
def reweigh(j: int, pivot: int, ratio: float, terms: "Terms", state: MPState) -> None:
    """Multiply the stored weights of the documents with the pivot, and carry the differences into the tables."""
    weights, negative = state.weights[j], state.negative[j]
    for i in terms.documents[terms.starts[pivot] : terms.starts[pivot + 1]]:
        new = weights[i] * ratio if negative[i] else weights[i] / ratio
        difference = new - weights[i]
        weights[i] = new
        row = state.tables[negative[i], j]
        for k in terms.of_documents[terms.document_starts[i] : terms.document_starts[i + 1]]:
            row[k] += difference


@kernel
def sum_totals(weights: Floats, negative: Bytes, totals: Floats) -> None:
    """Sum the stored weights of one category, positive and negative pairs apart."""
    totals[:] = 0.0
    for i in range(weights.size):
        totals[negative[i]] += weights[i]


@kernel
def weigh_anew(j: int, terms: "Terms", state: MPState) -> None:
    """Make the scales of a category part of its stored weights, and sum its tables anew."""
    weights, negative = state.weights[j], state.negative[j]
    for i in range(weights.size):
        weights[i] *= state.scales[negative[i], j]
    sum_totals(weights, negative, state.totals[:, j])
    for b in range(2):
        state.scales[b, j], state.peaks[b, j] = 1.0, state.totals[b, j]
        state.tables[b, j] = 0.0
    for i in range(weights.size):
        row = state.tables[negative[i], j]
        for k in terms.of_documents[terms.document_starts[i] : terms.document_starts[i + 1]]:
            row[k] += weights[i]


@kernel
def start_anew(start: int, stop: int, terms: "Terms", state: MPState) -> None:
    """Sum the tables of some categories."""
    for j in range(start, stop):
        weigh_anew(j, terms, state)


DOUBT = 1e-6
"""How far a merit found in the tables may be from the true one."""
FADED = 1e3
"""How far a total may fall below its peak: the tables' merits are then wrong by no more than √(1e-16 · 1e3)."""


class MPEngine(Threaded):
    """The state of boosting between rounds.

    Parameters
    ----------
    X, labels, weight, prediction, epsilon, margins, merge, n_threads
        As of `Engine`.
    normalize : {"pairs", "label"}
        What Z makes a distribution again: all pairs together, or the pairs of every category, which then keeps its
        share of 1 / n_labels. It makes a difference by the smoothing alone.
    n_in_all : int, optional
        How many categories there are, where these are some alone.
    """

    def __init__(
        self,
        X: csr_array,
        labels: csr_array,
        weight: Floats,
        *,
        prediction: int,
        epsilon: float,
        normalize: str = "pairs",
        margins: Floats | None = None,
        merge: bool = False,
        n_threads: int = 1,
        n_in_all: int | None = None,
    ) -> None:
        self.rule = MPRule(prediction, epsilon, TIED, DOUBT, FADED)
        self.normalize, self.n_threads = normalize, n_threads
        self.terms, _ = make_terms(X, merge=merge)
        pairs = make_pairs(labels, weight, margins, n_in_all)
        n_documents, n_labels = labels.shape
        rows = np.repeat(np.arange(n_documents), np.diff(labels.indptr))
        self.state = MPState(
            weights=np.ascontiguousarray(pairs.negative.T),
            negative=np.ascontiguousarray(labels.toarray().T == 0).astype(np.uint8),
            tables=np.empty((2, n_labels, self.terms.columns.size)),
            totals=np.empty((2, n_labels)),
            peaks=np.empty((2, n_labels)),
            scales=np.ones((2, n_labels)),
        )
        self.state.weights[labels.indices, rows] = pairs.positive
        self._ranges = even_ranges(n_labels, min(n_threads, n_labels))
        self._run(start_anew, [(*each, self.terms, self.state) for each in self._ranges])
        self._normalise()

    def best(self, count: int = 1) -> Stumps:
        """Find the best stumps of every category."""
        count = min(count, self.terms.columns.size)
        n_labels = self.state.scales.shape[1]
        self._pivots, costs = np.empty((count, n_labels), dtype=np.int64), np.empty((count, n_labels))
        self._answers = np.empty((count, 2, n_labels))
        data = (self.rule, self.terms, self.state, self._pivots, costs, self._answers)
        self._run(choose, [(*each, *data) for each in self._ranges])
        return Stumps(self.terms.columns[self._pivots], self._answers, costs)

    def apply(self, count: int | npt.NDArray[np.int64] = 1) -> float:
        """Multiply the distribution by what the mean of the first stumps says; give its normaliser Z.

        The stumps are as many for every category, or a number for each.
        """
        counts = np.broadcast_to(np.asarray(count, dtype=np.int64), self.state.scales.shape[1:])
        data = (self.rule, self.terms, self.state, counts, self._pivots, self._answers)
        self._run(change, [(*each, *data) for each in self._ranges])
        return self._normalise()

    def to_state(self) -> dict[str, Any]:
        """Give the arrays that the next round depends on, as they are and not copied."""
        return {name: array for name, array in self.state._asdict().items() if name != "negative"}

    def take_up(self, state: dict[str, Any]) -> None:
        """Go on from what `to_state` gave to an engine of the same problem."""
        for name, array in self.to_state().items():
            if name in state:
                array[...] = state[name]
        for columns, answers, counts in mp_rounds_in(state):
            self._pivots, self._answers = terms_at(self.terms.columns, columns), answers
            self.apply(counts)

    def _normalise(self) -> float:
        z, divisors = normalisers(self.masses(), self.normalize)
        self.state.scales[:] /= divisors
        return z

    def masses(self) -> Floats:
        """Give what each category weighs."""
        return np.asarray((self.state.scales * self.state.totals).sum(axis=0))


def normalisers(masses: Floats, normalize: str) -> tuple[float, Floats]:
    """Give Z, and what the scales of each category are divided by."""
    z = float(masses.sum())
    return z, masses * masses.size if normalize == "label" else np.full(masses.size, z)


def mp_rounds_in(state: dict[str, Any]) -> Iterator[tuple[npt.NDArray[np.int64], Floats, npt.NDArray[np.int64]]]:
    """Give the columns, answers and counts of each round that a state has in place of what they led to."""
    for (columns, answers), counts in zip(rounds_in(state), state.get("counts", ()), strict=True):
        yield columns, answers, counts
