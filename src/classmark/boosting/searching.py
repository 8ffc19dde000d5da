"""The kernels that find the pivots which all categories share; see `merits` for the words."""

from typing import TYPE_CHECKING

import numpy as np

from classmark.arrays import Floats
from classmark.boosting.merits import REAL, Booleans, Integers, cost, merit, reach
from classmark.boosting.weights import sum_with
from classmark.compilation import kernel

if TYPE_CHECKING:
    from classmark.boosting.problem import Pairs, Terms

MOST = 0.99
"""Where a term has more than this share of a weight, the rest is summed, for a difference would lose its digits."""


@kernel(inline=True)
def term_merit(
    k: int, choice: int, terms: "Terms", pairs: "Pairs", tables: Floats, totals: Floats, scales: Floats, sums: Floats
) -> float:
    """Give a term's merit from its rows in the tables, or from its few documents."""
    if k < tables.shape[1]:
        return merit(choice, tables[0, k], tables[1, k], totals, scales)
    sum_with(k, terms, pairs, sums[0], sums[1])
    return merit(choice, sums[0], sums[1], totals, scales)


@kernel(inline=True)
def search(
    start: int,
    stop: int,
    choice: int,
    terms: "Terms",
    pairs: "Pairs",
    tables: Floats,
    totals: Floats,
    scales: Floats,
    slopes: Floats,
    bounds: Floats,
    limits: tuple[float, float, float],
    leaders: Integers,
    best: Floats,
    merits: Floats,
    sums: Floats,
) -> None:
    """Find the merits of those terms that may be among the best.

    `limits` are the merit of a term in no document, the factor of the bounds, and how far a merit may be off. The best
    merits so far are `best`, the least of them first; a term that must lie below that one is passed over, its merit
    minus infinity. The terms `leaders` set the bar at the start, if they are as many.
    """
    floor, stretch, doubt = limits
    bar = np.inf if leaders.size == best.size else -np.inf
    for k in leaders:
        bar = min(bar, term_merit(k, choice, terms, pairs, tables, totals, scales, sums))
    best[:] = bar - doubt
    merits[start:stop] = -np.inf
    n_frequent = tables.shape[1]
    for k in range(start, min(stop, n_frequent)):
        if choice != REAL or reach(tables[0, k], tables[1, k], slopes) >= best[0] - doubt - floor:
            merits[k] = merit(choice, tables[0, k], tables[1, k], totals, scales)
            enter(merits[k], best)
    for k in range(max(start, n_frequent), stop):
        if stretch * bounds[k] < best[0] - doubt - floor:
            continue
        sum_with(k, terms, pairs, sums[0], sums[1])
        if choice != REAL or reach(sums[0], sums[1], slopes) >= best[0] - doubt - floor:
            merits[k] = merit(choice, sums[0], sums[1], totals, scales)
            enter(merits[k], best)


@kernel
def enter(found: float, best: Floats) -> None:
    """Put a merit among the best, the least of them first."""
    if found > best[0]:
        place = 0
        while place + 1 < best.size and best[place + 1] < found:
            best[place] = best[place + 1]
            place += 1
        best[place] = found


@kernel(inline=True)
def settle(
    choice: int,
    terms: "Terms",
    pairs: "Pairs",
    totals: Floats,
    scales: Floats,
    least: float,
    tied: float,
    merits: Floats,
    pivots: Integers,
    costs: Floats,
    all_sides: Floats,
) -> None:
    """Rank the terms whose merit is at least `least` by sums taken anew.

    The first places go to `pivots`, their costs to `costs`, their weights to `all_sides`. Those within `tied` of the
    smallest cost left are tied, and the lowest column goes first. The merits of the pivots become minus infinity.
    """
    found = at_least(least, merits)
    fresh = np.empty(found.size)
    for place in range(found.size):
        sum_sides(found[place], terms, pairs, totals, scales, all_sides[0])
        fresh[place] = cost(choice, all_sides[0])
    for rank in range(pivots.size):
        limit = np.inf
        for each in fresh:
            limit = min(limit, each + tied)
        chosen = -1
        for place in range(found.size):
            if fresh[place] <= limit and (chosen < 0 or terms.columns[found[place]] < terms.columns[found[chosen]]):
                chosen = place
        pivots[rank], costs[rank] = found[chosen], fresh[chosen]
        if found.size > 1:
            sum_sides(found[chosen], terms, pairs, totals, scales, all_sides[rank])
        merits[found[chosen]] = -np.inf
        fresh[chosen] = np.inf


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
    """Put the terms of the largest merits into the last places of `leaders`: the next round begins with them."""
    most = np.full(leaders.size, -np.inf)
    for k in range(merits.size):
        if merits[k] > most[0]:
            place = 0
            while place + 1 < most.size and most[place + 1] < merits[k]:
                most[place], leaders[place] = most[place + 1], leaders[place + 1]
                place += 1
            most[place], leaders[place] = merits[k], k


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
    for i in range(missing.size):
        if not missing[i]:
            continue
        if b == 1:
            total += pairs.negative[i, j]
            continue
        for p in range(pairs.starts[i], pairs.starts[i + 1]):
            if pairs.labels[p] == j:
                total += pairs.positive[p]
    return total
