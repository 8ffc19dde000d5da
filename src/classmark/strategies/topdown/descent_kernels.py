"""The kernels of the way down over a sparse matrix of weights, the entries of a row, a term, in the order of its slots.

A kernel takes the documents from `first` to `last`.
"""

from typing import Any

import numpy as np

from classmark.arrays import Floats, Integers, SparseRows
from classmark.bisection import first_from
from classmark.compilation import kernel
from classmark.strategies.topdown.descent import SOFT, Structure, localise


@kernel
def add_all(document: int, documents: SparseRows, weights: SparseRows, margins: Floats) -> None:
    """Add to every slot's margin the weights of a document's terms."""
    for at in range(documents.starts[document], documents.starts[document + 1]):
        term, value = documents.columns[at], documents.values[at]
        for entry in range(weights.starts[term], weights.starts[term + 1]):
            margins[weights.columns[entry]] += value * weights.values[entry]


@kernel
def add_some(document: int, documents: SparseRows, weights: SparseRows, start: int, stop: int, margins: Floats) -> None:
    """Add to the margins of the slots from `start` to `stop` the weights of a document's terms."""
    slots = weights.columns
    for at in range(documents.starts[document], documents.starts[document + 1]):
        term, value = documents.columns[at], documents.values[at]
        end = weights.starts[term + 1]
        entry = first_from(slots, weights.starts[term], end, start)
        while entry < end and slots[entry] < stop:
            margins[slots[entry]] += value * weights.values[entry]
            entry += 1


@kernel
def at_top(mode: int) -> float:
    """Give what a document has before the first step."""
    return 0.0 if mode == SOFT else np.inf


@kernel
def arrive(above: float, value: float, mode: int) -> float:
    """Give what a document has after one more step: the least margin so far, or the product of chances."""
    return above + value if mode == SOFT else min(above, value)


@kernel
def descend_by_weights(
    documents: SparseRows,
    weights: SparseRows,
    intercepts: Floats,
    structure: Structure,
    mode: int,
    normalised: bool,
    floor: float,
    scores: Floats,
    first: int,
    last: int,
) -> None:
    """Score every node; where there is a floor, documents go down only as far as they are above it."""
    parents, starts, slots, nodes = structure
    # What a document has at each node, and after all of them at the slots for staying at one.
    reach = np.empty(2 * nodes)
    margins = np.empty(slots.size)
    lazily = floor != -np.inf
    staying = slots[slots >= nodes]
    for document in range(first, last):
        reach[:] = -np.inf
        copy(intercepts, margins)
        if not lazily:
            add_all(document, documents, weights, margins)
        for problem in range(parents.size):
            start, stop = starts[problem], starts[problem + 1]
            above = reach[parents[problem]] if parents[problem] >= 0 else at_top(mode)
            if above <= floor:
                margins[start:stop] = at_top(mode)
            else:
                if lazily:
                    add_some(document, documents, weights, start, stop, margins)
                localise(margins, start, stop, mode, normalised)
            for slot in range(start, stop):
                if slots[slot] >= 0:
                    reach[slots[slot]] = max(reach[slots[slot]], arrive(above, margins[slot], mode))
        copy(reach[:nodes], scores[document])
        for slot in staying:
            scores[document, slot - nodes] = reach[slot]


@kernel
def copy(source: Floats, target: Floats) -> None:
    """Copy numbers; an assignment of arrays takes several seconds to compile, for the error that it may raise."""
    for position in range(source.size):
        target[position] = source[position]


@kernel
def dive(
    margins: Floats,
    structure: Structure,
    problem_of: Integers,
    is_end: Any,
    done: Any,
    mode: int,
    normalised: bool,
) -> float:
    """Follow the best slot from the root as far as it goes, and give the best score of an end on this way."""
    _, starts, slots, nodes = structure
    problem, above, best = 0, at_top(mode), -np.inf
    while problem >= 0:
        start, stop = starts[problem], starts[problem + 1]
        localise(margins, start, stop, mode, normalised)
        done[problem] = True
        chosen = start + np.argmax(margins[start:stop])
        above = arrive(above, margins[chosen], mode)
        slot = slots[chosen]
        if slot >= nodes or (slot >= 0 and is_end[slot]):
            best = max(best, above)
        problem = problem_of[slot] if 0 <= slot < nodes else -1
    return best


@kernel
def best_ends(
    documents: SparseRows,
    weights: SparseRows,
    intercepts: Floats,
    structure: Structure,
    problem_of: Integers,
    is_end: Any,
    mode: int,
    normalised: bool,
    found: Integers,
    first: int,
    last: int,
) -> None:
    """Find each document's best end; nobody scores more below a node than at it, so what is behind is not visited."""
    parents, starts, slots, nodes = structure
    reach = np.empty(nodes)
    margins = np.empty(slots.size)
    done = np.empty(parents.size, dtype=np.bool_)
    for document in range(first, last):
        reach[:] = -np.inf
        done[:] = False
        copy(intercepts, margins)
        add_all(document, documents, weights, margins)
        best = dive(margins, structure, problem_of, is_end, done, mode, normalised)
        found[document] = nodes
        for problem in range(parents.size):
            above = reach[parents[problem]] if parents[problem] >= 0 else at_top(mode)
            if above < best:
                continue
            if not done[problem]:
                localise(margins, starts[problem], starts[problem + 1], mode, normalised)
            for slot in range(starts[problem], starts[problem + 1]):
                best = visit(slots[slot], arrive(above, margins[slot], mode), best, reach, is_end, found, document)


@kernel
def visit(slot: int, score: float, best: float, reach: Floats, is_end: Any, found: Integers, document: int) -> float:
    """Take note of a document's score at a slot, and give the best score of an end so far."""
    nodes = is_end.size
    if slot < 0 or score < best:
        return best
    node = slot if slot < nodes else slot - nodes
    if slot < nodes:
        reach[slot] = max(reach[slot], score)
    if slot >= nodes or is_end[slot]:
        if score > best or node < found[document]:
            found[document] = node
        return score
    return best
