"""Whole rounds in compiled code: one stump a round, one thread.

A node of a large hierarchy has few documents, and a round there takes less time than a call from Python; so several
rounds are played in a call. Every step is a kernel of `searching` or `weights`,
in the order in which `engine` takes them.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from classmark.boosting import merits, searching, weights
from classmark.boosting.merits import DISCRETE, Floats, Indices, Integers
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
    totals, peaks : array, (2, n_labels)
        The sums of the stored weights, and the largest they have been since the tables were summed.
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
    offsets: Integers
    positive_labels: Indices
    positive_changes: Floats
    group_starts: Integers
    entries: Indices


class Rule(NamedTuple):
    """The constants of a game; see `engine` for what the last five are."""

    prediction: int
    choice: int
    epsilon: float
    tied: float
    doubt: float
    certain: float
    widest_stretch: float
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
    data = (state.totals, state.scales)
    for s in range(columns.size):
        limits = (state.limits[0], state.limits[1] * rule.certain, rule.doubt)
        searching.search(
            0, terms.columns.size, rule.choice, terms, pairs, state.tables, *data, state.slopes, state.bounds, limits,
            leaders, best, state.merits, sums,
        )  # fmt: skip
        least = lowered(rule.choice, best[0], rule.tied) - rule.doubt
        searching.settle(rule.choice, terms, pairs, *data, least, rule.tied, state.merits, pivots, cost, sides)
        merits.values(rule.prediction, sides[0], rule.epsilon, answers[s])
        searching.follow(state.merits, leaders)
        weights.turn(answers[s], 1.0, sides[0], state.scales, state.totals, ratios)
        change(pivots[0], terms, pairs, state, ratios)
        weights.find_slopes(rule.choice, state.totals, state.scales, 1.0, state.used_slopes)
        normalisers[s] = sum_up(rule, terms, pairs, state)
        columns[s], costs[s] = terms.columns[pivots[0]], cost[0]


@kernel
def lowered(choice: int, least: float, tied: float) -> float:
    """Lower the bar of the short list where terms are tied whose merits differ by more: Z = √(1 - r²) near r = 0."""
    return float(np.sqrt(max(least * least - 4.0 * tied, 0.0))) if choice == DISCRETE else least


@kernel
def change(pivot: int, terms: "Terms", pairs: "Pairs", state: State, ratios: Floats) -> None:
    """Multiply the stored weights of the documents with the pivot, and carry the differences into the tables."""
    documents = terms.documents[terms.starts[pivot] : terms.starts[pivot + 1]]
    size = state.changes.shape[0]
    for start in range(0, documents.size, size):
        touched = documents[start : start + size]
        weights.group_by_term(touched, terms, pairs, state.offsets, state.group_starts, state.entries)
        positive = (state.offsets, state.positive_labels, state.positive_changes)
        weights.change_weights(0, touched.size, touched, pairs, ratios, state.changes, *positive)
        places = (state.group_starts, state.entries, state.tables)
        weights.add_changes(0, state.tables.shape[1], state.changes, *positive, *places)


@kernel
def sum_up(rule: Rule, terms: "Terms", pairs: "Pairs", state: State) -> float:
    """Sum the totals, bound the rare terms, normalise the distribution; give the normaliser."""
    sweep = (0, state.block_totals.shape[0], state.block_starts, terms, pairs)
    weights.sweep(*sweep, state.used_slopes, state.block_totals, state.rises, state.bounds)
    z, stretch, floor, faded = weights.conclude(
        rule.choice, state.block_totals, state.used_slopes, state.totals, state.scales, state.peaks, state.slopes
    )
    if faded > rule.faded:
        rebase(pairs, state)
        weights.find_slopes(rule.choice, state.totals, state.scales, 1.0, state.slopes)
        weights.fill_tables(0, state.tables.shape[1], terms, pairs, state.tables)
        stretch = np.inf
    if stretch > rule.widest_stretch:
        state.used_slopes[:] = state.slopes
        weights.sweep(*sweep, state.used_slopes, state.block_totals, state.rises, state.bounds)
        stretch = 1.0
    state.limits[0], state.limits[1] = floor, stretch
    return z


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
            state.peaks[b, j] = state.totals[b, j]
    state.scales[:] = 1.0
