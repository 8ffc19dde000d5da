"""The kernels that keep the weights of a round in which all categories share the pivots; see `merits` for the words."""

from typing import TYPE_CHECKING

import numpy as np

from classmark.arrays import Floats
from classmark.bisection import first_from
from classmark.boosting.merits import DISCRETE, REAL, Indices, least_merit
from classmark.compilation import kernel

if TYPE_CHECKING:
    from classmark.boosting.problem import Pairs, State, Terms


@kernel(reassociate=True)
def sum_negative(negative: Floats, slope: Floats, total: Floats, rises: Floats) -> None:
    """Sum the rows of negative pairs, and how far each lets the merit of a term rise."""
    for r in range(negative.shape[0]):
        row = negative[r]
        rise = 0.0
        for j in range(row.size):
            rise += slope[j] * row[j]
            total[j] += row[j]
        rises[r] = rise


@kernel
def add_up(
    documents: Indices,
    negative: Floats,
    positive: Floats,
    terms: "Terms",
    pairs: "Pairs",
    slopes: Floats,
    totals: Floats,
    rises: Floats,
    bounds: Floats,
) -> None:
    """Add what some documents weigh, or by how much that has changed, to the totals and the bounds of the rare terms.

    `negative` has a row for each of the documents, `positive` a number for every positive pair.
    """
    sum_negative(negative, slopes[1], totals[1], rises)
    for r in range(documents.size):
        i = documents[r]
        rise = rises[r]
        for p in range(pairs.starts[i], pairs.starts[i + 1]):
            j = pairs.labels[p]
            rise += slopes[0, j] * positive[p]
            totals[0, j] += positive[p]
        for k in terms.of_documents[terms.frequent_stops[i] : terms.document_starts[i + 1]]:
            bounds[k] += rise


@kernel
def sweep(start: int, stop: int, terms: "Terms", pairs: "Pairs", state: "State", bounds: Floats) -> None:
    """Sum the stored weights of some blocks of documents, and bound by them how far a rare term's merit can rise."""
    bounds[:] = 0.0
    state.block_totals[start:stop] = 0.0
    for block in range(start, stop):
        first, last = state.block_starts[block], state.block_starts[block + 1]
        documents = np.arange(first, last).astype(np.uint32)
        weights = (pairs.negative[first:last], pairs.positive)
        sums = (state.used_slopes, state.block_totals[block], state.rises[first:last], bounds)
        add_up(documents, *weights, terms, pairs, *sums)


@kernel
def gather(block_totals: Floats, totals: Floats, swept_totals: Floats) -> None:
    """Take up the totals of all blocks."""
    # By loops, as everywhere here: to assign arrays to each other takes longer to compile than all the rest.
    for b in range(2):
        for j in range(totals.shape[1]):
            total = 0.0
            for block in range(block_totals.shape[0]):
                total += block_totals[block, b, j]
            totals[b, j] = swept_totals[b, j] = total


@kernel
def update_totals(sunk: float, pairs: "Pairs", totals: Floats, shifts: Floats, swept_totals: Floats) -> bool:
    """Add the differences of a round to the totals; where one fell to the part `sunk` of itself, sum it anew.

    That is done here for positive pairs; the answer says whether the negative ones of a category ask for it.
    """
    found = False
    for j in range(totals.shape[1]):
        for b in range(2):
            totals[b, j] += shifts[b, j]
            shifts[b, j] = 0.0
        found |= totals[1, j] < sunk * swept_totals[1, j]
        if totals[0, j] < sunk * swept_totals[0, j]:
            totals[0, j] = 0.0
            for p in pairs.by_label[pairs.label_starts[j] : pairs.label_starts[j + 1]]:
                totals[0, j] += pairs.positive[p]
            swept_totals[0, j] = totals[0, j]
    return found


@kernel(inline=True)
def mend(widest: float, terms: "Terms", pairs: "Pairs", state: "State") -> float:
    """Raise the bounds where the slope of a category's positive pairs has grown by more than the widest stretch.

    `used` are the slopes that the bounds were found with, `slopes` the true ones. Gives the factor by which the bounds
    must be stretched after that; infinity where they should be found anew, as on average they are loose by more.
    """
    totals, slopes, used = state.totals, state.slopes, state.used_slopes
    stretch, tight, loose = 1.0, 0.0, 0.0
    for j in range(totals.shape[1]):
        if slopes[0, j] > widest * used[0, j]:
            raise_bounds(j, slopes[0, j] - used[0, j], terms, pairs, state.bounds)
            used[0, j] = slopes[0, j]
        for b in range(2):
            if slopes[b, j] > stretch * used[b, j]:
                stretch = slopes[b, j] / used[b, j]
            tight += slopes[b, j] * totals[b, j]
            loose += used[b, j] * totals[b, j]
    return stretch if loose <= widest * tight else np.inf


@kernel(inline=True)
def raise_bounds(j: int, slope: float, terms: "Terms", pairs: "Pairs", bounds: Floats) -> None:
    """Raise the bounds of the rare terms by what the positive pairs of category j weigh, times a slope."""
    for p in pairs.by_label[pairs.label_starts[j] : pairs.label_starts[j + 1]]:
        i = pairs.documents[p]
        rise = slope * pairs.positive[p]
        for k in terms.of_documents[terms.frequent_stops[i] : terms.document_starts[i + 1]]:
            bounds[k] += rise


@kernel(inline=True)
def update_slopes(criterion: int, state: "State") -> tuple[float, float]:
    """Normalise the distribution, and find the slopes and the merit of a term in no document anew.

    Gives the normaliser Z and how far the tables have faded.
    """
    totals, scales, peaks = state.totals, state.scales, state.peaks
    z = 0.0
    for b in range(2):
        for j in range(totals.shape[1]):
            z += scales[b, j] * totals[b, j]
    find_slopes(criterion, 1.0 / z, totals, scales, state.slopes)
    faded = 0.0
    for j in range(totals.shape[1]):
        part = scales[0, j] * totals[0, j] + scales[1, j] * totals[1, j]
        for b in range(2):
            scales[b, j] /= z
            peaks[b, j] = max(peaks[b, j], totals[b, j])
            if totals[b, j] > 0.0:
                faded = max(faded, peaks[b, j] / totals[b, j] * (part / z) ** 2)
        scales[2, j] = np.sqrt(scales[0, j] * scales[1, j])
    state.limits[0] = least_merit(criterion, totals, scales)
    return z, faded


@kernel
def find_slopes(criterion: int, factor: float, totals: Floats, scales: Floats, slopes: Floats) -> None:
    """Find by how much a stored weight can raise the merit of a term that has it, for each sign and category.

    For real predictions the gain is at most 2√(T₊T₋) (W₊/T₊ + W₋/T₋), and the third row is 2√(T₊T₋). The scales are
    still to be multiplied by a factor.
    """
    steepness = 2.0 if criterion == DISCRETE else 1.0
    for j in range(totals.shape[1]):
        positive, negative = (
            factor * scales[0, j] * max(totals[0, j], 0.0),
            factor * scales[1, j] * max(totals[1, j], 0.0),
        )
        if criterion != REAL:
            slopes[0, j] = steepness * factor * scales[0, j]
            slopes[1, j] = steepness * factor * scales[1, j]
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


@kernel(inline=True)
def update_scales(answers: Floats, part: float, scales: Floats, ratios: Floats) -> None:
    """Carry a part of a stump's answers into the scales; give the ratios still to come.

    Documents without the pivot have their weight multiplied by e^(∓a_0j): that goes into the scales. Those with it
    have it multiplied by e^(∓a_1j), so their stored weight by the ratio e^(∓(a_1j - a_0j)).
    """
    for j in range(answers.shape[1]):
        without = np.exp(part * answers[0, j])
        ratio = np.exp(part * (answers[1, j] - answers[0, j]))
        scales[0, j] /= without
        scales[1, j] *= without
        ratios[0, j], ratios[1, j] = 1.0 / ratio, ratio


@kernel
def change_weights(touched: Indices, pairs: "Pairs", ratios: Floats, changes: Floats, positive_changes: Floats) -> None:
    """Multiply the stored weights of documents with a pivot, and keep the differences.

    `ratios[b, j]` is e^(∓(a_1j - a_0j)); the factor of the documents without the pivot went into the scales.
    The differences of touched document r go to `changes[r]`, those of positive pair p to `positive_changes[p]`.
    """
    ratio = ratios[1]
    for r in range(touched.size):
        i = touched[r]
        row = pairs.negative[i]
        change = changes[r]
        for j in range(row.size):
            new = row[j] * ratio[j]
            change[j] = new - row[j]
            row[j] = new
        for p in range(pairs.starts[i], pairs.starts[i + 1]):
            old = pairs.positive[p]
            pairs.positive[p] = old * ratios[0, pairs.labels[p]]
            positive_changes[p] = pairs.positive[p] - old


@kernel(inline=True)
def add_changes(start: int, stop: int, touched: Indices, terms: "Terms", pairs: "Pairs", state: "State") -> None:
    """Add the differences of the touched documents to the rows of some terms."""
    changes, positive_changes, tables = state.changes, state.positive_changes, state.tables
    for r in range(touched.size):
        i = touched[r]
        mine = terms.of_documents[terms.document_starts[i] : terms.frequent_stops[i]]
        if stop - start < tables.shape[1]:
            mine = mine[first_from(mine, 0, mine.size, start) : first_from(mine, 0, mine.size, stop)]
        change = changes[r]
        for k in mine:
            row = tables[1, k]
            for j in range(row.size):
                row[j] += change[j]
        for p in range(pairs.starts[i], pairs.starts[i + 1]):
            j = pairs.labels[p]
            for k in mine:
                tables[0, k, j] += positive_changes[p]


@kernel
def fill_tables(start: int, stop: int, terms: "Terms", pairs: "Pairs", tables: Floats) -> None:
    """Sum the rows of some terms anew."""
    for k in range(start, stop):
        sum_with(k, terms, pairs, tables[0, k], tables[1, k])
