"""The kernels that keep the weights of a round in which all categories share the pivots; see `merits` for the words."""

from typing import TYPE_CHECKING

import numpy as np

from classmark.boosting.merits import DISCRETE, REAL, Floats, Indices, Integers, least_merit
from classmark.compilation import kernel

if TYPE_CHECKING:
    from classmark.boosting.problem import Pairs, Terms


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
