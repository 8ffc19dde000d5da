"""The kernels of the way down over a sparse matrix of weights.

`indptr`, `indices` and `data` are the documents' terms, `w_indptr`, `w_slots` and `w_values` the weights by term, its
slots in order; `parents`, `starts` and `slots` are those of a `Structure`. A kernel takes the documents from `first`
to `last`.
"""

from typing import Any

import numpy as np

from classmark.arrays import Floats, Integers
from classmark.compilation import kernel
from classmark.strategies.topdown.descent import SOFT, localise


@kernel
def add_all(columns: Any, values: Any, w_indptr: Any, w_slots: Any, w_values: Any, margins: Floats) -> None:
    """Add to every slot's margin the weights of a document's terms."""
    for at in range(columns.size):
        value = values[at]
        for entry in range(w_indptr[columns[at]], w_indptr[columns[at] + 1]):
            margins[w_slots[entry]] += value * w_values[entry]


@kernel
def add_some(
    columns: Any, values: Any, w_indptr: Any, w_slots: Any, w_values: Any, start: int, stop: int, margins: Floats
) -> None:
    """Add to the margins of the slots from `start` to `stop` the weights of a document's terms."""
    for at in range(columns.size):
        low, high = w_indptr[columns[at]], w_indptr[columns[at] + 1]
        end = high
        while low < high:
            middle = (low + high) // 2
            if w_slots[middle] < start:
                low = middle + 1
            else:
                high = middle
        while low < end and w_slots[low] < stop:
            margins[w_slots[low]] += values[at] * w_values[low]
            low += 1


@kernel
def arrive(above: float, value: float, mode: int) -> float:
    """Give what a document has after one more step: the least margin so far, or the product of chances."""
    return above + value if mode == SOFT else min(above, value)


@kernel
def descend_by_weights(
    indptr: Any,
    indices: Any,
    data: Any,
    w_indptr: Any,
    w_slots: Any,
    w_values: Any,
    intercepts: Floats,
    parents: Integers,
    starts: Integers,
    slots: Integers,
    mode: int,
    normalised: bool,
    floor: float,
    scores: Floats,
    first: int,
    last: int,
) -> None:
    """Score every node; where there is a floor, documents go down only as far as they are above it."""
    nodes = scores.shape[1]
    # A node's place, and after all of them the places for staying at one.
    reach = np.empty(2 * nodes)
    margins = np.empty(slots.size)
    lazily = floor != -np.inf
    staying = slots[slots >= nodes]
    for document in range(first, last):
        columns = indices[indptr[document] : indptr[document + 1]]
        values = data[indptr[document] : indptr[document + 1]]
        reach[:] = -np.inf
        copy(intercepts, margins)
        if not lazily:
            add_all(columns, values, w_indptr, w_slots, w_values, margins)
        for problem in range(parents.size):
            start, stop = starts[problem], starts[problem + 1]
            above = reach[parents[problem]] if parents[problem] >= 0 else (0.0 if mode == SOFT else np.inf)
            if above <= floor:
                margins[start:stop] = 0.0 if mode == SOFT else np.inf
            else:
                if lazily:
                    add_some(columns, values, w_indptr, w_slots, w_values, start, stop, margins)
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
    for place in range(source.size):
        target[place] = source[place]


@kernel
def dive(
    margins: Floats,
    starts: Integers,
    slots: Integers,
    problem_of: Integers,
    is_end: Any,
    done: Any,
    mode: int,
    normalised: bool,
) -> float:
    """Follow the best slot from the root as far as it goes, and give the best score of an end on this way."""
    nodes = is_end.size
    problem, above, best = 0, (0.0 if mode == SOFT else np.inf), -np.inf
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
    indptr: Any,
    indices: Any,
    data: Any,
    w_indptr: Any,
    w_slots: Any,
    w_values: Any,
    intercepts: Floats,
    parents: Integers,
    starts: Integers,
    slots: Integers,
    problem_of: Integers,
    is_end: Any,
    mode: int,
    normalised: bool,
    found: Integers,
    first: int,
    last: int,
) -> None:
    """Find each document's best end; nobody scores more below a node than at it, so what is behind is not visited."""
    reach = np.empty(is_end.size)
    margins = np.empty(slots.size)
    done = np.empty(parents.size, dtype=np.bool_)
    for document in range(first, last):
        columns = indices[indptr[document] : indptr[document + 1]]
        values = data[indptr[document] : indptr[document + 1]]
        reach[:] = -np.inf
        done[:] = False
        copy(intercepts, margins)
        add_all(columns, values, w_indptr, w_slots, w_values, margins)
        best = dive(margins, starts, slots, problem_of, is_end, done, mode, normalised)
        found[document] = is_end.size
        for problem in range(parents.size):
            above = reach[parents[problem]] if parents[problem] >= 0 else (0.0 if mode == SOFT else np.inf)
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
