"""The kernels of a round in which all categories share the pivots.

`W_b^{xjk}` of the papers, the weight of the documents with (x = 1) or without (x = 0) term k that are positive (b = 1)
or negative (b = -1) for category j, is here a pair of rows over the categories: `positive` and `negative`, the weights
*with* the term. The totals minus these are the weights without it. Weights are stored ones; the scales of a category,
the first for its positive pairs, the second for its negative ones, make them those of the distribution.
"""

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from classmark.compilation import kernel

if TYPE_CHECKING:
    from classmark.boosting.problem import Pairs, Terms

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
Indices: TypeAlias = npt.NDArray[np.uint32]
Booleans: TypeAlias = npt.NDArray[np.bool_]

REAL, ABSTAINING, DISCRETE, F1 = 0, 1, 2, 3
"""The three predictions of Schapire and Singer (2000), each chosen by its Z, and the choice by F1."""
CLEARLY = 1.0 + 1e-9
"""A sign, or a prediction by F1, is positive where the positive weight is larger by more than rounding errors."""
TINY = 1e-300
"""Added to a divisor that may be 0 where the dividend is."""
MOST = 0.99
"""Where a term has more than this share of a weight, the rest is summed, for a difference would lose its digits."""


@kernel(reassociate=True)
def sum_negative(start: int, stop: int, negative: Floats, slope: Floats, total: Floats, rises: Floats) -> None:
    """Sum the stored weights of the negative pairs of some documents, and how far they let the merit of a term rise."""
    for i in range(start, stop):
        row = negative[i]
        rise = 0.0
        for j in range(row.size):
            rise += slope[j] * row[j]
            total[j] += row[j]
        rises[i] = rise


@kernel
def sweep(
    start: int,
    stop: int,
    block_starts: Integers,
    terms: "Terms",
    pairs: "Pairs",
    slopes: Floats,
    totals: Floats,
    rises: Floats,
    bounds: Floats,
) -> None:
    """Sum the stored weights of some blocks of documents, and bound by them how far a rare term's merit can rise."""
    bounds[:] = 0.0
    for block in range(start, stop):
        positive_total, negative_total = totals[block, 0], totals[block, 1]
        positive_total[:] = 0.0
        negative_total[:] = 0.0
        first, last = block_starts[block], block_starts[block + 1]
        sum_negative(first, last, pairs.negative, slopes[1], negative_total, rises)
        for i in range(first, last):
            rise = rises[i]
            for p in range(pairs.starts[i], pairs.starts[i + 1]):
                j = pairs.labels[p]
                rise += slopes[0, j] * pairs.positive[p]
                positive_total[j] += pairs.positive[p]
            for k in terms.of_documents[terms.frequent_stops[i] : terms.document_starts[i + 1]]:
                bounds[k] += rise


@kernel
def conclude(
    choice: int, block_totals: Floats, used: Floats, totals: Floats, scales: Floats, peaks: Floats, slopes: Floats
) -> tuple[float, float, float, float]:
    """Take up the totals of all blocks: normalise the distribution, give its normaliser and the terms of the search.

    `used` are the slopes that the bounds were found with. Writes the true slopes and 2√(T₊T₋) to `slopes`; gives Z, the
    factor by which the bounds must be stretched, the merit of a term in no document, and whether the tables have faded.
    """
    totals[:] = 0.0
    for block in range(block_totals.shape[0]):
        totals += block_totals[block]
    z = 0.0
    for b in range(2):
        for j in range(totals.shape[1]):
            z += scales[b, j] * totals[b, j]
    find_slopes(choice, totals, scales, 1.0 / z, slopes)
    stretch = 1.0
    faded = 0.0
    for j in range(totals.shape[1]):
        part = scales[0, j] * totals[0, j] + scales[1, j] * totals[1, j]
        for b in range(2):
            scales[b, j] /= z
            peaks[b, j] = max(peaks[b, j], totals[b, j])
            if slopes[b, j] > stretch * used[b, j]:
                stretch = slopes[b, j] / used[b, j]
            if totals[b, j] > 0.0:
                faded = max(faded, peaks[b, j] / totals[b, j] * (part / z) ** 2)
        scales[2, j] = np.sqrt(scales[0, j] * scales[1, j])
    return z, stretch, least_merit(choice, totals, scales), faded


@kernel
def least_merit(choice: int, totals: Floats, scales: Floats) -> float:
    """Give the merit of a term that is in no document; for F1, which has no bounds, infinity."""
    if choice == ABSTAINING:
        return 0.0
    if choice == F1:
        return np.inf
    total = 0.0
    for j in range(totals.shape[1]):
        positive, negative = scales[0, j] * totals[0, j], scales[1, j] * totals[1, j]
        total += abs(positive - negative) if choice == DISCRETE else -2.0 * np.sqrt(positive * negative)
    return total


@kernel
def find_slopes(choice: int, totals: Floats, scales: Floats, share: float, slopes: Floats) -> None:
    """Give by how much a stored weight can raise the merit of a term that has it, for each sign and category.

    For real predictions the gain is at most 2√(T₊T₋) (W₊/T₊ + W₋/T₋), and the third row is 2√(T₊T₋).
    """
    for j in range(totals.shape[1]):
        positive, negative = (
            share * scales[0, j] * max(totals[0, j], 0.0),
            share * scales[1, j] * max(totals[1, j], 0.0),
        )
        if choice != REAL:
            slopes[0, j] = (2.0 if choice == DISCRETE else 1.0) * share * scales[0, j]
            slopes[1, j] = (2.0 if choice == DISCRETE else 1.0) * share * scales[1, j]
        elif positive > 0.0 and negative > 0.0:
            slopes[2, j] = 2.0 * np.sqrt(positive * negative)
            slopes[0, j] = slopes[2, j] / totals[0, j]
            slopes[1, j] = slopes[2, j] / totals[1, j]
        else:
            slopes[:, j] = 0.0


@kernel(reassociate=True)
def sum_with(k: int, terms: "Terms", pairs: "Pairs", positive: Floats, negative: Floats) -> None:
    """Sum the stored weights of the documents with term k."""
    positive[:] = 0.0
    negative[:] = 0.0
    for i in terms.documents[terms.starts[k] : terms.starts[k + 1]]:
        row = pairs.negative[i]
        for j in range(row.size):
            negative[j] += row[j]
        for p in range(pairs.starts[i], pairs.starts[i + 1]):
            positive[pairs.labels[p]] += pairs.positive[p]


@kernel(reassociate=True)
def merit_real(positive: Floats, negative: Floats, totals: Floats, scales: Floats) -> float:
    """Give -Z = -2 Σ_j Σ_x √(W₊ W₋), where each a_xj is the best (Equation 3)."""
    positive_total, negative_total, factor = totals[0], totals[1], scales[2]
    total = 0.0
    for j in range(positive.size):
        # An entry of a table may lie a rounding error below nothing, or above the total.
        inside = max(positive[j], 0.0) * max(negative[j], 0.0)
        outside = max(positive_total[j] - positive[j], 0.0) * max(negative_total[j] - negative[j], 0.0)
        total -= factor[j] * (np.sqrt(inside) + np.sqrt(outside))
    return 2.0 * total


@kernel(reassociate=True)
def merit_abstaining(positive: Floats, negative: Floats, totals: Floats, scales: Floats) -> float:
    """Give 1 - Z = Σ_j (√W₊ - √W₋)² over the documents with the term, where a_0j = 0."""
    positive_scale, negative_scale = scales[0], scales[1]
    total = 0.0
    for j in range(positive.size):
        for_it, against = positive_scale[j] * max(positive[j], 0.0), negative_scale[j] * max(negative[j], 0.0)
        total += for_it + against - 2.0 * np.sqrt(for_it * against)
    return total


@kernel(reassociate=True)
def merit_discrete(positive: Floats, negative: Floats, totals: Floats, scales: Floats) -> float:
    """Give r = Σ_j Σ_x |W₊ - W₋|, of which Z = √(1 - r²)."""
    positive_total, negative_total = totals[0], totals[1]
    positive_scale, negative_scale = scales[0], scales[1]
    total = 0.0
    for j in range(positive.size):
        inside = positive_scale[j] * positive[j] - negative_scale[j] * negative[j]
        outside = positive_scale[j] * positive_total[j] - negative_scale[j] * negative_total[j] - inside
        total += abs(inside) + abs(outside)
    return total


@kernel(reassociate=True)
def merit_f1(positive: Floats, negative: Floats, totals: Floats, scales: Floats) -> float:
    """Give the F1 of predicting, on each side of the term, the categories with more positive than negative weight."""
    hits = answers = 0.0
    for j in range(positive.size):
        for x in range(2):
            for_it = scales[0, j] * (positive[j] if x == 1 else totals[0, j] - positive[j])
            against = scales[1, j] * (negative[j] if x == 1 else totals[1, j] - negative[j])
            answers += for_it
            if for_it > CLEARLY * against:
                hits += for_it
                answers += for_it + against
    return 2.0 * hits / answers if answers > 0.0 else 0.0


@kernel
def merit(choice: int, positive: Floats, negative: Floats, totals: Floats, scales: Floats) -> float:
    """Give what a pivot is chosen for, the larger the better."""
    if choice == REAL:
        return merit_real(positive, negative, totals, scales)
    if choice == ABSTAINING:
        return merit_abstaining(positive, negative, totals, scales)
    if choice == DISCRETE:
        return merit_discrete(positive, negative, totals, scales)
    return merit_f1(positive, negative, totals, scales)


@kernel(reassociate=True)
def reach(positive: Floats, negative: Floats, slopes: Floats) -> float:
    """Bound the gain of a term in all categories without a square root.

    With c = 2√(T₊T₋) the gain in one is c (1 - √(pn) - √((1-p)(1-n))), which is c/2 (p-n)² (1/(√p+√n)² +
    1/(√(1-p)+√(1-n))²), and so at most c (p-n)² / ((p+n) (2-p-n)). Here u = cp and v = cn.
    """
    positive_slope, negative_slope, twice = slopes[0], slopes[1], slopes[2]
    total = 0.0
    for j in range(positive.size):
        u, v = positive_slope[j] * positive[j], negative_slope[j] * negative[j]
        both = u + v
        total += twice[j] * (u - v) * (u - v) / (both * (2.0 * twice[j] - both) + TINY)
    return total


@kernel
def term_merit(
    k: int, choice: int, terms: "Terms", pairs: "Pairs", tables: Floats, totals: Floats, scales: Floats, sums: Floats
) -> float:
    """Give a term's merit from its rows in the tables, or from its few documents."""
    if k < tables.shape[1]:
        return merit(choice, tables[0, k], tables[1, k], totals, scales)
    sum_with(k, terms, pairs, sums[0], sums[1])
    return merit(choice, sums[0], sums[1], totals, scales)


@kernel
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
    positive, negative = sums[0], sums[1]
    for k in range(start, stop):
        merits[k] = -np.inf
        gain = best[0] - doubt - floor
        if k < tables.shape[1]:
            positive, negative = tables[0, k], tables[1, k]
        else:
            if stretch * bounds[k] < gain:
                continue
            positive, negative = sums[0], sums[1]
            sum_with(k, terms, pairs, positive, negative)
        if choice == REAL and reach(positive, negative, slopes) < gain:
            continue
        found = merit(choice, positive, negative, totals, scales)
        merits[k] = found
        if found > best[0]:
            place = 0
            while place + 1 < best.size and best[place + 1] < found:
                best[place] = best[place + 1]
                place += 1
            best[place] = found


@kernel
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
    found = np.flatnonzero(merits >= least)
    fresh = np.empty(found.size)
    for place in range(found.size):
        sum_sides(found[place], terms, pairs, totals, scales, all_sides[0])
        fresh[place] = cost(choice, all_sides[0])
    for rank in range(pivots.size):
        limit = fresh.min() + tied
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
def turn(answers: Floats, share: float, sides: Floats, scales: Floats, totals: Floats, ratios: Floats) -> None:
    """Carry a share of a stump's answers into the scales and the expected totals; give the ratios still to come.

    Documents without the pivot have their weight multiplied by e^(∓a_0j): that goes into the scales. Those with it
    have it multiplied by e^(∓a_1j), so their stored weight by the ratio e^(∓(a_1j - a_0j)).
    """
    for j in range(answers.shape[1]):
        without = np.exp(share * answers[0, j])
        ratio = np.exp(share * (answers[1, j] - answers[0, j]))
        scales[0, j] /= without
        scales[1, j] *= without
        ratios[0, j], ratios[1, j] = 1.0 / ratio, ratio
        for b in range(2):
            whole = sides[0, b, j] + sides[1, b, j]
            if whole > 0.0:
                totals[b, j] *= (sides[0, b, j] + sides[1, b, j] * ratios[b, j]) / whole


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


@kernel
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


@kernel
def cost_f1(sides: Floats) -> float:
    """Give 1 - F1 from the weights of both sides, as `merit_f1`."""
    hits = answers = 0.0
    for x in range(2):
        for j in range(sides.shape[2]):
            answers += sides[x, 0, j]
            if sides[x, 0, j] > CLEARLY * sides[x, 1, j]:
                hits += sides[x, 0, j]
                answers += sides[x, 0, j] + sides[x, 1, j]
    return 1.0 - (2.0 * hits / answers if answers > 0.0 else 0.0)


@kernel
def cost(choice: int, sides: Floats) -> float:
    """Give what the pivot makes smallest: Z before smoothing, or 1 - F1."""
    if choice == F1:
        return cost_f1(sides)
    total = 0.0
    if choice == DISCRETE:
        # 1 - r is twice the weight on the wrong side: no difference of large numbers.
        for x in range(2):
            for j in range(sides.shape[2]):
                total += min(sides[x, 0, j], sides[x, 1, j])
        return float(2.0 * np.sqrt(total * max(1.0 - total, 0.0)))
    for j in range(sides.shape[2]):
        total += 2.0 * np.sqrt(sides[1, 0, j] * sides[1, 1, j])
        if choice == REAL:
            total += 2.0 * np.sqrt(sides[0, 0, j] * sides[0, 1, j])
        else:
            total += sides[0, 0, j] + sides[0, 1, j]
    return total


@kernel
def values(prediction: int, sides: Floats, epsilon: float, answers: Floats) -> None:
    """Give the values a_xj of a stump, smoothed by ε (Equation 3)."""
    n_labels = sides.shape[2]
    if prediction == DISCRETE:
        wrong = right = 0.0
        for x in range(2):
            for j in range(n_labels):
                wrong += min(sides[x, 0, j], sides[x, 1, j])
                right += max(sides[x, 0, j], sides[x, 1, j])
        strength = 0.5 * np.log((right + epsilon) / (wrong + epsilon))
        for x in range(2):
            for j in range(n_labels):
                answers[x, j] = strength if sides[x, 0, j] > CLEARLY * sides[x, 1, j] else -strength
        return
    for x in range(2):
        for j in range(n_labels):
            answers[x, j] = 0.5 * np.log((sides[x, 0, j] + epsilon) / (sides[x, 1, j] + epsilon))
    if prediction == ABSTAINING:
        answers[0] = 0.0


@kernel
def change_weights(
    start: int,
    stop: int,
    touched: Indices,
    pairs: "Pairs",
    ratios: Floats,
    changes: Floats,
    offsets: Integers,
    positive_labels: Indices,
    positive_changes: Floats,
) -> None:
    """Multiply the stored weights of some of the documents with a pivot, and keep the differences.

    `ratios[b, j]` is e^(∓(a_1j - a_0j)); the factor of the documents without the pivot went into the scales.
    The differences of touched document r go to `changes[r]` and from `positive_changes[offsets[r]]` on.
    """
    ratio = ratios[1]
    for r in range(start, stop):
        i = touched[r]
        row = pairs.negative[i]
        change = changes[r]
        for j in range(row.size):
            new = row[j] * ratio[j]
            change[j] = new - row[j]
            row[j] = new
        place = offsets[r]
        for p in range(pairs.starts[i], pairs.starts[i + 1]):
            old = pairs.positive[p]
            pairs.positive[p] = old * ratios[0, pairs.labels[p]]
            positive_labels[place] = pairs.labels[p]
            positive_changes[place] = pairs.positive[p] - old
            place += 1


@kernel
def group_by_term(
    touched: Indices, terms: "Terms", pairs: "Pairs", offsets: Integers, starts: Integers, entries: Indices
) -> None:
    """Sort the frequent terms of the touched documents, so that each row of the tables is changed at one go.

    The touched documents of term k are then `entries[starts[k]:starts[k + 1]]`, and the positive pairs of touched
    document r will lie from `offsets[r]` to `offsets[r + 1]`.
    """
    starts[:] = 0
    offsets[0] = 0
    for r in range(touched.size):
        i = touched[r]
        offsets[r + 1] = offsets[r] + pairs.starts[i + 1] - pairs.starts[i]
        for k in terms.of_documents[terms.document_starts[i] : terms.frequent_stops[i]]:
            starts[k + 2] += 1
    for k in range(2, starts.size):
        starts[k] += starts[k - 1]
    for r in range(touched.size):
        i = touched[r]
        for k in terms.of_documents[terms.document_starts[i] : terms.frequent_stops[i]]:
            entries[starts[k + 1]] = r
            starts[k + 1] += 1


@kernel
def add_negative(start: int, stop: int, changes: Floats, starts: Integers, entries: Indices, table: Floats) -> None:
    """Add the differences of the touched documents' negative pairs to the rows of some terms, each row at one go."""
    for k in range(start, stop):
        mine = entries[starts[k] : starts[k + 1]]
        row = table[k]
        for q in range(mine.size // 4):
            one, two = changes[mine[4 * q]], changes[mine[4 * q + 1]]
            three, four = changes[mine[4 * q + 2]], changes[mine[4 * q + 3]]
            for j in range(row.size):
                row[j] += (one[j] + two[j]) + (three[j] + four[j])
        for r in mine[mine.size - mine.size % 4 :]:
            one = changes[r]
            for j in range(row.size):
                row[j] += one[j]


@kernel
def add_changes(
    start: int,
    stop: int,
    changes: Floats,
    offsets: Integers,
    positive_labels: Indices,
    positive_changes: Floats,
    starts: Integers,
    entries: Indices,
    tables: Floats,
) -> None:
    """Add the differences of the touched documents to the rows of some terms."""
    add_negative(start, stop, changes, starts, entries, tables[1])
    for k in range(start, stop):
        row = tables[0, k]
        for r in entries[starts[k] : starts[k + 1]]:
            for p in range(offsets[r], offsets[r + 1]):
                row[positive_labels[p]] += positive_changes[p]


@kernel
def fill_tables(start: int, stop: int, terms: "Terms", pairs: "Pairs", tables: Floats) -> None:
    """Sum the rows of some terms anew."""
    for k in range(start, stop):
        sum_with(k, terms, pairs, tables[0, k], tables[1, k])
