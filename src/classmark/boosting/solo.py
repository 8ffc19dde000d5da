"""Whole rounds in compiled code: one stump a round, one thread.

A node of a large hierarchy has few documents, and a round there takes less time than a call from Python; so several
rounds are played in a call. Every step is a kernel of `searching` or `weights`, in the order in which `engine` takes
them.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from classmark.arrays import Floats
from classmark.boosting import merits, searching, weights
from classmark.boosting.merits import DISCRETE, Indices, Integers
from classmark.compilation import kernel

if TYPE_CHECKING:
    from classmark.boosting.problem import Pairs, Terms


class State(NamedTuple):
    """What an engine keeps from round to round, and room to work in.

    Attributes
    ----------
    tables : array, (2, n_frequent, n_labels)
        The stored weights with every frequent term, of the positive and of the negative pairs.
    scales : array, (3, n_labels)
        What makes stored weights those of the distribution, for positive and negative pairs; √ of their product.
    totals, swept_totals, peaks : array, (2, n_labels)
        The sums of the stored weights, what they were when last summed, and the largest they have been since the tables
        were summed.
    shifts : array, (2, n_labels)
        By how much the totals have changed in this round.
    slopes, used_slopes : array, (3, n_labels)
        How far a stored weight can raise a merit, and what the bounds were found with.
    limits : array, (2,)
        The merit of a term in no document, and the factor by which the bounds must be stretched.
    merits, bounds : array, (n_terms,)
        Found by the search, and for the rare terms before it.
    """

    tables: Floats
    scales: Floats
    totals: Floats
    swept_totals: Floats
    shifts: Floats
    peaks: Floats
    slopes: Floats
    used_slopes: Floats
    limits: Floats
    merits: Floats
    bounds: Floats
    rises: Floats
    block_starts: Integers
    block_totals: Floats
    changes: Floats
    positive_changes: Floats


class Rule(NamedTuple):
    """The constants of a game; see `engine` for what the last six are."""

    prediction: int
    choice: int
    epsilon: float
    tied: float
    doubt: float
    certain: float
    widest_stretch: float
    sunk: float
    faded: float


@kernel
def play(
    rule: Rule,
    terms: "Terms",
    pairs: "Pairs",
    state: State,
    leaders: Integers,
    columns: Integers,
    answers: Floats,
    costs: Floats,
    normalisers: Floats,
) -> None:
    """Play as many rounds as there is room for in the last four arrays."""
    best, cost, pivots = np.empty(1), np.empty(1), np.empty(1, dtype=np.int64)
    sums = np.empty_like(state.totals)
    sides = np.empty((1, 2, *state.totals.shape))
    ratios = np.empty_like(state.totals)
    totals, scales, found = state.totals, state.scales, state.merits
    for s in range(columns.size):
        limits = (state.limits[0], state.limits[1] * rule.certain, rule.doubt)
        searching.search(
            0, terms.columns.size, rule.choice, terms, pairs, state.tables, totals, scales, state.slopes, state.bounds,
            limits, leaders, best, found, sums,
        )  # fmt: skip
        least = lowered(rule.choice, best[0], rule.tied) - rule.doubt
        searching.settle(rule.choice, terms, pairs, totals, scales, least, rule.tied, found, pivots, cost, sides)
        merits.values(rule.prediction, sides[0], rule.epsilon, answers[s])
        searching.follow(found, leaders)
        weights.turn(answers[s], 1.0, scales, ratios)
        change(pivots[0], terms, pairs, state, ratios)
        normalisers[s] = sum_up(rule, terms, pairs, state)
        columns[s], costs[s] = terms.columns[pivots[0]], cost[0]


@kernel
def lowered(choice: int, least: float, tied: float) -> float:
    """Lower the bar of the short list where terms are tied whose merits differ by more: Z = √(1 - r²) near r = 0."""
    return float(np.sqrt(max(least * least - 4.0 * tied, 0.0))) if choice == DISCRETE else least


@kernel(inline=True)
def change(pivot: int, terms: "Terms", pairs: "Pairs", state: State, ratios: Floats) -> None:
    """Multiply the stored weights of the documents with the pivot, and carry the differences into the tables."""
    documents = terms.documents[terms.starts[pivot] : terms.starts[pivot + 1]]
    size = state.changes.shape[0]
    for start in range(0, documents.size, size):
        touched = documents[start : start + size]
        reweigh(touched, terms, pairs, state, ratios)
        weights.add_changes(
            0, state.tables.shape[1], touched, terms, pairs, state.changes, state.positive_changes, state.tables
        )


@kernel(inline=True)
def reweigh(touched: Indices, terms: "Terms", pairs: "Pairs", state: State, ratios: Floats) -> None:
    """Multiply the stored weights of documents with the pivot, and carry the differences into totals and bounds."""
    changes = (state.changes[: touched.size], state.positive_changes)
    weights.change_weights(touched, pairs, ratios, *changes)
    sums = (state.used_slopes, state.shifts, state.rises, state.bounds)
    weights.add_up(touched, *changes, terms, pairs, *sums)


@kernel(inline=True)
def sum_up(rule: Rule, terms: "Terms", pairs: "Pairs", state: State) -> float:
    """Take up the totals, normalise the distribution, see to the bounds and the tables; give the normaliser."""
    if weights.shift(pairs, state.totals, state.shifts, state.swept_totals, rule.sunk):
        sweep(terms, pairs, state)
    z, floor, faded = weights.conclude(rule.choice, state.totals, state.scales, state.peaks, state.slopes)
    if faded > rule.faded:
        rebase(pairs, state)
        weights.find_slopes(rule.choice, state.totals, state.scales, 1.0, state.slopes)
        for k in range(state.tables.shape[1]):
            weights.sum_with(k, terms, pairs, state.tables[0, k], state.tables[1, k])
        state.used_slopes[:] = 0.0
    bounding = (state.totals, state.slopes, state.used_slopes, state.bounds)
    stretch = weights.mend(rule.widest_stretch, terms, pairs, *bounding)
    if stretch > rule.widest_stretch:
        for b in range(3):
            for j in range(state.slopes.shape[1]):
                state.used_slopes[b, j] = state.slopes[b, j]
        sweep(terms, pairs, state)
        stretch = 1.0
    state.limits[0], state.limits[1] = floor, stretch
    return z


@kernel
def sweep(terms: "Terms", pairs: "Pairs", state: State) -> None:
    """Sum the totals and bound the rare terms anew."""
    found = (state.block_totals, state.rises, state.bounds)
    weights.sweep(0, state.block_totals.shape[0], state.block_starts, terms, pairs, state.used_slopes, *found)
    weights.gather(state.block_totals, state.totals, state.swept_totals)


@kernel
def rebase(pairs: "Pairs", state: State) -> None:
    """Make the scales part of the stored weights."""
    for i in range(pairs.negative.shape[0]):
        for j in range(pairs.negative.shape[1]):
            pairs.negative[i, j] *= state.scales[1, j]
        for p in range(pairs.starts[i], pairs.starts[i + 1]):
            pairs.positive[p] *= state.scales[0, pairs.labels[p]]
    for j in range(state.totals.shape[1]):
        for b in range(2):
            state.totals[b, j] *= state.scales[b, j]
            state.swept_totals[b, j] *= state.scales[b, j]
            state.peaks[b, j] = state.totals[b, j]
    state.scales[:] = 1.0
