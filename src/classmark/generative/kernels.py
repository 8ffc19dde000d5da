"""The loops of every mixture of multinomials, over rows of a CSR matrix given as its three arrays.

Symbols of path_prediction_2019: x_it is `data`, log P(p_j) and log P(w_t | p_j) are `log_prior` and `log_terms`, a
document's scores S_ij of the components are a row of `responsibilities`. The columns of the matrix are the rows of the
tables.
"""

import numpy as np
import numpy.typing as npt

from classmark.arrays import Floats
from classmark.compilation import kernel

Integers = npt.NDArray[np.integer]

NEGLIGIBLE = 1e-12
"""The posterior under which a document does not count for a component: a million of them are a millionth of one."""
LOG_NEGLIGIBLE = float(np.log(NEGLIGIBLE))


@kernel
def restrict(
    data: Floats,
    indices: Integers,
    indptr: Integers,
    rows: Integers,
    new_data: Floats,
    new_indices: Integers,
    new_indptr: Integers,
) -> None:
    """Copy the entries of terms that have a row, under that row's number; -1 is no row.

    Every entry is written, and one that is not kept is written over: no branch that the processor could guess wrong.
    The new arrays have room for one entry more than is kept.
    """
    filled = 0
    for document in range(indptr.size - 1):
        for entry in range(indptr[document], indptr[document + 1]):
            row = rows[indices[entry]]
            new_data[filled] = data[entry]
            new_indices[filled] = row
            filled += row >= 0
        new_indptr[document + 1] = filled


@kernel
def log_joint(
    data: Floats,
    indices: Integers,
    indptr: Integers,
    start: int,
    stop: int,
    log_prior: Floats,
    log_terms: Floats,
    joint: Floats,
) -> None:
    """Write log P(p_j) P(x_i | p_j), the logarithm of Equation 5's numerator, for the rows from `start` to `stop`.

    `joint` has a row for each of them, a column for each component. Four terms are added at a time, so that a sum is
    loaded and stored a quarter as often.
    """
    components = log_prior.size
    for document in range(start, stop):
        row = joint[document - start]
        for component in range(components):
            row[component] = log_prior[component]
        entry, last = indptr[document], indptr[document + 1]
        while entry + 4 <= last:
            a, b, c, d = data[entry], data[entry + 1], data[entry + 2], data[entry + 3]
            # Unsigned, so that no index is looked at for being negative.
            first, second = np.uintp(indices[entry]), np.uintp(indices[entry + 1])
            third, fourth = np.uintp(indices[entry + 2]), np.uintp(indices[entry + 3])
            for component in range(components):
                row[component] += (
                    a * log_terms[first, component]
                    + b * log_terms[second, component]
                    + c * log_terms[third, component]
                    + d * log_terms[fourth, component]
                )
            entry += 4
        while entry < last:
            count, term = data[entry], np.uintp(indices[entry])
            for component in range(components):
                row[component] += count * log_terms[term, component]
            entry += 1


@kernel
def posteriors(joint: Floats, evidence: Floats) -> None:
    """Turn log P(p_j) P(x_i | p_j) into Equation 5's posteriors, in place, and write log Σ_j P(p_j) P(x_i | p_j).

    A posterior under `NEGLIGIBLE` becomes 0: it counts for nothing that is counted, and most of them are.
    """
    for document in range(len(joint)):
        row = joint[document]
        highest = row[0]
        for component in range(1, row.size):
            highest = max(highest, row[component])
        total = 0.0
        for component in range(row.size):
            distance = row[component] - highest
            row[component] = np.exp(distance) if distance > LOG_NEGLIGIBLE else 0.0
            total += row[component]
        for component in range(row.size):
            row[component] /= total
        evidence[document] = highest + np.log(total)


@kernel
def add_four(
    data: Floats,
    indices: Integers,
    begin: int,
    end: int,
    components: Integers,
    weights: Floats,
    counts: Floats,
) -> None:
    """Add the entries of a document to the columns of four components."""
    first, second, third, fourth = components[0], components[1], components[2], components[3]
    a, b, c, d = weights[0], weights[1], weights[2], weights[3]
    for entry in range(begin, end):
        count, row = data[entry], counts[np.uintp(indices[entry])]
        row[first] += count * a
        row[second] += count * b
        row[third] += count * c
        row[fourth] += count * d


@kernel
def add_one(
    data: Floats,
    indices: Integers,
    begin: int,
    end: int,
    component: int,
    weight: float,
    counts: Floats,
) -> None:
    """Add the entries of a document to the column of one component."""
    for entry in range(begin, end):
        counts[np.uintp(indices[entry]), component] += data[entry] * weight


@kernel
def accumulate(
    data: Floats,
    indices: Integers,
    indptr: Integers,
    start: int,
    stop: int,
    weight: Floats,
    responsibilities: Floats,
    first: int,
    last: int,
    counts: Floats,
    totals: Floats,
) -> None:
    """Add Σ_i S_ij x_it to `counts` and Σ_i S_ij to `totals`, the sums of Equations 6 and 7, for some components.

    Every document counts by its weight.

    The components are those from `first` to `last`: threads share the table by its columns, so every cell is summed
    in the order of the documents by whoever has its column. Most documents belong to few components for certain, so
    each is passed over once for every four of its components, with their responsibilities at hand, and not once for an
    entry.
    """
    active, weights = np.empty(last - first, np.uintp), np.empty(last - first)
    for document in range(start, stop):
        row = responsibilities[document - start]
        n_active = 0
        for component in range(first, last):
            responsibility = row[component] * weight[document]
            if responsibility != 0.0:
                active[n_active], weights[n_active] = component, responsibility
                n_active += 1
                totals[component] += responsibility
        begin, end = indptr[document], indptr[document + 1]
        at = 0
        while at + 4 <= n_active:
            add_four(data, indices, begin, end, active[at : at + 4], weights[at : at + 4], counts)
            at += 4
        while at < n_active:
            add_one(data, indices, begin, end, active[at], weights[at], counts)
            at += 1
