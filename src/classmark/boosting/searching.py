"""The kernels that find the pivots which all categories share; see `merits` for the words."""

from typing import TYPE_CHECKING

import numpy as np

from classmark.arrays import Floats
from classmark.boosting.merits import REAL, Booleans, Integers, cost, merit, reach
from classmark.boosting.weights import sum_with
from classmark.compilation import kernel

if TYPE_CHECKING:
    from classmark.boosting.problem import Pairs, Rule, State, Terms

MOST = 0.99
"""Where a term has more than this share of a weight, the rest is summed, for a difference would lose its digits."""


@kernel(inline=True)
def term_merit(k: int, criterion: int, terms: "Terms", pairs: "Pairs", state: "State", sums: Floats) -> float:
    """Give a term's merit from its rows in the tables, or from its few documents."""
    if k < state.tables.shape[1]:
        return merit(criterion, state.tables[0, k], state.tables[1, k], state.totals, state.scales)
    sum_with(k, terms, pairs, sums[0], sums[1])
    return merit(criterion, sums[0], sums[1], state.totals, state.scales)


@kernel(inline=True)
def search(
    start: int,
    stop: int,
    rule: "Rule",
    terms: "Terms",
    pairs: "Pairs",
    state: "State",
    leaders: Integers,
    best: Floats,
    sums: Floats,
) -> None:
    """Find the merits of those terms that may be among the best.

    The best merits so far are `best`, the least of them first; a term that must lie below that one is passed over, its
    merit minus infinity. The terms `leaders` set the bar at the start, if they are as many. `sums` is room to work in.
    """
    bar = np.inf if leaders.size == best.size else -np.inf
    for k in leaders:
        bar = min(bar, term_merit(k, rule.criterion, terms, pairs, state, sums))
    best[:] = bar - rule.doubt
    state.merits[start:stop] = -np.inf
    n_frequent = state.tables.shape[1]
    search_frequent(start, min(stop, n_frequent), rule, state, best)
    search_rare(max(start, n_frequent), stop, rule, terms, pairs, state, best, sums)


@kernel(inline=True)
def search_frequent(start: int, stop: int, rule: "Rule", state: "State", best: Floats) -> None:
    """Find the merits of frequent terms, whose bounds come from their rows in the tables."""
    criterion, tables, doubt, floor = rule.criterion, state.tables, rule.doubt, state.limits[0]
    for k in range(start, stop):
        if criterion != REAL or reach(tables[0, k], tables[1, k], state.slopes) >= best[0] - doubt - floor:
            state.merits[k] = merit(criterion, tables[0, k], tables[1, k], state.totals, state.scales)
            enter(state.merits[k], best)


@kernel(inline=True)
def search_rare(
    start: int, stop: int, rule: "Rule", terms: "Terms", pairs: "Pairs", state: "State", best: Floats, sums: Floats
) -> None:
    """Find the merits of rare terms; only those whose kept bounds reach the bar are summed."""
    criterion, doubt, floor, stretch = rule.criterion, rule.doubt, state.limits[0], state.limits[1] * rule.certain
    for k in range(start, stop):
        if stretch * state.bounds[k] < best[0] - doubt - floor:
            continue
        sum_with(k, terms, pairs, sums[0], sums[1])
        if criterion != REAL or reach(sums[0], sums[1], state.slopes) >= best[0] - doubt - floor:
            state.merits[k] = merit(criterion, sums[0], sums[1], state.totals, state.scales)
            enter(state.merits[k], best)


@kernel
def enter(found: float, best: Floats) -> None:
    """Put a merit among the best, the least of them first."""
    if found > best[0]:
        rank = 0
        while rank + 1 < best.size and best[rank + 1] < found:
            best[rank] = best[rank + 1]
            rank += 1
        best[rank] = found


@kernel(inline=True)
def settle(
    rule: "Rule",
    terms: "Terms",
    pairs: "Pairs",
    state: "State",
    least: float,
    pivots: Integers,
    costs: Floats,
    all_sides: Floats,
) -> None:
    """Rank the terms whose merit is at least `least` by sums taken anew.

    The first go to `pivots`, their costs to `costs`, their weights to `all_sides`. Those within `tied` of the smallest
    cost left are tied, and the lowest column goes first. The merits of the pivots become minus infinity.
    """
    found = at_least(least, state.merits)
    fresh = np.empty(found.size)
    for position in range(found.size):
        sum_sides(found[position], terms, pairs, state.totals, state.scales, all_sides[0])
        fresh[position] = cost(rule.criterion, all_sides[0])
    for rank in range(pivots.size):
        chosen = first_of_best(found, fresh, rule.tied, terms.columns)
        pivots[rank], costs[rank] = found[chosen], fresh[chosen]
        if found.size > 1:
            sum_sides(found[chosen], terms, pairs, state.totals, state.scales, all_sides[rank])
        state.merits[found[chosen]] = -np.inf
        fresh[chosen] = np.inf


@kernel
def fresh_costs(
    rule: "Rule", found: Integers, terms: "Terms", pairs: "Pairs", state: "State", all_sides: Floats
) -> Floats:
    """Give the costs of some terms by sums taken anew; the sums of as many as there is room for are kept."""
    fresh, room = np.empty(found.size), np.empty((2, 2, state.totals.shape[1]))
    for position in range(found.size):
        sides = all_sides[position] if position < all_sides.shape[0] else room
        sum_sides(found[position], terms, pairs, state.totals, state.scales, sides)
        fresh[position] = cost(rule.criterion, sides)
    return fresh


@kernel(inline=True)
def first_of_best(found: Integers, costs: Floats, tied: float, columns: Integers) -> int:
    """Give the position of the term with the smallest cost; of those within `tied` of it, the one of lowest column."""
    limit, chosen = costs.min() + tied, -1
    for position in range(found.size):
        if costs[position] <= limit and (chosen < 0 or columns[found[position]] < columns[found[chosen]]):
            chosen = position
    return chosen


@kernel
def at_least(least: float, merits: Floats) -> Integers:
    """Give the terms whose merit is at least this."""
    found = np.empty(merits.size, dtype=np.int64)
    count = 0
    for k in range(merits.size):
        if merits[k] >= least:
            found[count] = k
            count += 1
    return found[:count]


@kernel(inline=True)
def follow(merits: Floats, leaders: Integers) -> None:
    """Put the terms of the largest merits at the end of `leaders`: the next round begins with them."""
    most = np.full(leaders.size, -np.inf)
    for k in range(merits.size):
        if merits[k] > most[0]:
            rank = 0
            while rank + 1 < most.size and most[rank + 1] < merits[k]:
                most[rank], leaders[rank] = most[rank + 1], leaders[rank + 1]
                rank += 1
            most[rank], leaders[rank] = merits[k], k


@kernel
def sum_sides(k: int, terms: "Terms", pairs: "Pairs", totals: Floats, scales: Floats, sides: Floats) -> None:
    """Sum the weights of all pairs with and without term k: `sides[x, b, j]`, b = 0 the positive ones."""
    sum_with(k, terms, pairs, sides[1, 0], sides[1, 1])
    missing = np.zeros(0, dtype=np.bool_)
    for b in range(2):
        for j in range(sides.shape[2]):
            inside = sides[1, b, j]
            sides[0, b, j] = totals[b, j] - inside
            if inside > MOST * totals[b, j]:
                if missing.size == 0:
                    missing = np.ones(pairs.negative.shape[0], dtype=np.bool_)
                    missing[terms.documents[terms.starts[k] : terms.starts[k + 1]]] = False
                sides[0, b, j] = sum_missing(b, j, missing, pairs)
            sides[0, b, j] *= scales[b, j]
            sides[1, b, j] *= scales[b, j]


@kernel(inline=True)
def sum_missing(b: int, j: int, missing: Booleans, pairs: "Pairs") -> float:
    """Sum the stored weights of the documents without a term, for one category and sign."""
    total = 0.0
    if b == 0:
        for p in pairs.by_label[pairs.label_starts[j] : pairs.label_starts[j + 1]]:
            if missing[pairs.documents[p]]:
                total += pairs.positive[p]
        return total
    for i in range(missing.size):
        if missing[i]:
            total += pairs.negative[i, j]
    return total
