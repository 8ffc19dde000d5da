"""The steps of a round with shared pivots, and whole rounds of one stump on one thread.

A node of a large hierarchy has few documents, and a round there takes less time than a call from Python; so several
rounds are run in a call. With more threads, or more stumps a round, `engine` calls the same steps, and shares among
its threads what goes through many terms or documents: `searching.search`, `weights.add_changes`, `weights.sweep` and
`weights.fill_tables`.
"""

from typing import TYPE_CHECKING

import numpy as np

from classmark.arrays import Floats
from classmark.boosting import merits, searching, weights
from classmark.boosting.merits import DISCRETE, Indices, Integers
from classmark.compilation import kernel

if TYPE_CHECKING:
    from classmark.boosting.problem import Pairs, Rule, State, Terms


@kernel
def run_rounds(
    rule: "Rule",
    terms: "Terms",
    pairs: "Pairs",
    state: "State",
    leaders: Integers,
    columns: Integers,
    answers: Floats,
    costs: Floats,
    normalisers: Floats,
) -> None:
    """Run as many rounds as there is room for in the last four arrays."""
    best, cost, pivots = np.empty(1), np.empty(1), np.empty(1, dtype=np.int64)
    sums = np.empty_like(state.totals)
    sides = np.empty((1, 2, *state.totals.shape))
    ratios = np.empty_like(state.totals)
    for s in range(columns.size):
        searching.search(0, terms.columns.size, rule, terms, pairs, state, leaders, best, sums)
        searching.settle(rule, terms, pairs, state, short_list_bar(rule, best[0]), pivots, cost, sides)
        merits.values(rule.prediction, sides[0], rule.epsilon, answers[s])
        searching.follow(state.merits, leaders)
        weights.update_scales(answers[s], 1.0, state.scales, ratios)
        change(pivots[0], terms, pairs, state, ratios)
        normalisers[s] = sum_up(rule, terms, pairs, state)
        columns[s], costs[s] = terms.columns[pivots[0]], cost[0]


@kernel
def short_list_bar(rule: "Rule", least: float) -> float:
    """Give the merit from which a term is on the short list, where `least` is the smallest that wins by the tables.

    Near r = 0, where Z = √(1 - r²) is flat, terms are tied whose merits r differ by more.
    """
    if rule.criterion == DISCRETE:
        least = float(np.sqrt(max(least * least - 4.0 * rule.tied, 0.0)))
    return least - rule.doubt


@kernel(inline=True)
def change(pivot: int, terms: "Terms", pairs: "Pairs", state: "State", ratios: Floats) -> None:
    """Multiply the stored weights of the documents with the pivot, and carry the differences into the tables."""
    documents = terms.documents[terms.starts[pivot] : terms.starts[pivot + 1]]
    for start in range(0, documents.size, state.changes.shape[0]):
        touched = reweigh(documents, start, terms, pairs, state, ratios)
        weights.add_changes(0, state.tables.shape[1], touched, terms, pairs, state)


@kernel(inline=True)
def reweigh(documents: Indices, start: int, terms: "Terms", pairs: "Pairs", state: "State", ratios: Floats) -> Indices:
    """Multiply the stored weights of documents with a pivot, those from `start` on, as many as there is room for.

    The differences go into the totals and bounds; gives the documents, whose differences the tables still want.
    """
    touched = documents[start : start + state.changes.shape[0]]
    changes = (state.changes[: touched.size], state.positive_changes)
    weights.change_weights(touched, pairs, ratios, *changes)
    sums = (state.used_slopes, state.shifts, state.rises, state.bounds)
    weights.add_up(touched, *changes, terms, pairs, *sums)
    return touched


@kernel(inline=True)
def sum_up(rule: "Rule", terms: "Terms", pairs: "Pairs", state: "State") -> float:
    """Take up the totals, normalize the distribution, see to the tables and the bounds; give the normaliser."""
    if weights.update_totals(rule.sunk, pairs, state.totals, state.shifts, state.swept_totals):
        sweep(terms, pairs, state)
    z, faded = normalize(rule, pairs, state)
    if faded:
        weights.fill_tables(0, state.tables.shape[1], terms, pairs, state.tables)
    if widen_bounds(rule, terms, pairs, state):
        sweep(terms, pairs, state)
    return z


@kernel
def normalize(rule: "Rule", pairs: "Pairs", state: "State") -> tuple[float, bool]:
    """Normalise the distribution; give its normaliser, and whether the tables have faded and must be filled anew.

    Then the scales become part of the stored weights, and no bound holds.
    """
    z, faded = weights.update_slopes(rule.criterion, state)
    if faded <= rule.faded:
        return z, False
    rebase(pairs, state)
    weights.find_slopes(rule.criterion, 1.0, state.totals, state.scales, state.slopes)
    state.used_slopes[:] = 0.0
    return z, True


@kernel
def widen_bounds(rule: "Rule", terms: "Terms", pairs: "Pairs", state: "State") -> bool:
    """Let the bounds hold for slopes that have grown; say whether they are too loose then, and must be found anew."""
    stretch = weights.mend(rule.widest_stretch, terms, pairs, state)
    loose = stretch > rule.widest_stretch
    if loose:
        # By loops: to assign arrays to each other takes longer to compile than all the rest.
        for b in range(3):
            for j in range(state.slopes.shape[1]):
                state.used_slopes[b, j] = state.slopes[b, j]
    state.limits[1] = 1.0 if loose else stretch
    return loose


@kernel(inline=True)
def sweep(terms: "Terms", pairs: "Pairs", state: "State") -> None:
    """Sum the totals and bound the rare terms anew."""
    weights.sweep(0, state.block_totals.shape[0], terms, pairs, state, state.bounds)
    weights.gather(state.block_totals, state.totals, state.swept_totals)


@kernel(inline=True)
def rebase(pairs: "Pairs", state: "State") -> None:
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
