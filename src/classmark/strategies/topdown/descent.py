"""The way down: from local margins to a score for every node.

Three ways, of the table `DESCENTS`:

- filter: a node scores the least local margin on its way down. Above 0 is then what treeboost_mh_2006, section 3.1,
  lets through, and a child never scores above its parent.
- greedy: the same, with each margin less that of the best other slot, so that exactly one way has a score above 0: the
  one that takes the best child every time.
- soft: the log-odds of the product of the local chances on the way; above 0 is a chance above one half.

In a DAG a node takes the best of its ways. A node that documents can stay at scores as staying there.

The kernels read a sparse matrix of weights, the entries of a row, a term, in the order of its slots, for the documents
from `first` to `last`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from classmark.arrays import Floats, Integers, SparseRows
from classmark.bisection import first_from
from classmark.compilation import kernel
from classmark.errors import InputError

LocalMargins: TypeAlias = Callable[[int, npt.NDArray[np.intp]], Floats]

DESCENTS = {"filter": 0, "greedy": 1, "soft": 2}
GREEDY, SOFT = DESCENTS["greedy"], DESCENTS["soft"]
CERTAIN = 1.0
"""The least score of a node that nothing stands in the way of, as with the only top-level category."""
ROUNDING = 1.0 + 1e-12
"""What a log-chance is multiplied by to be lower by more than rounding errors."""


class Structure(NamedTuple):
    """Which slots the local problems have: problem i those from `starts[i]` to `starts[i + 1]`.

    Attributes
    ----------
    parents : array of int, (n_problems,)
        The node of each problem, -1 for the root; parents stand before their children.
    starts : array of int, (n_problems + 1,)
        Where each problem's slots begin.
    slots : array of int, (n_slots,)
        A node, or the number of nodes plus a node for staying there, or -1 for a slot that leads nowhere.
    nodes : int
        The number of nodes.
    """

    parents: Integers
    starts: Integers
    slots: Integers
    nodes: int

    def of(self, problem: int) -> slice:
        """Give where a problem's slots are."""
        return slice(int(self.starts[problem]), int(self.starts[problem + 1]))

    def problem_with(self, slot: int) -> int:
        """Give the problem that a slot belongs to."""
        return int(np.searchsorted(self.starts, slot, side="right")) - 1

    def below(self, node: int) -> Integers:
        """Give the nodes below a node that something was learned of."""
        problem_of = self.problem_of()
        found: set[int] = set()
        waiting = [node]
        while waiting:
            problem = problem_of[waiting.pop()]
            slots = self.slots[self.of(problem)] if problem >= 0 else self.slots[:0]
            new = set(slots[(slots >= 0) & (slots < self.nodes)].tolist()) - found
            found |= new
            waiting += new
        return np.array(sorted(found), dtype=np.int32)

    def problem_of(self) -> Integers:
        """Give the problem of each node, -1 where it has none."""
        found = np.full(self.nodes, -1, dtype=np.int32)
        inner = self.parents >= 0
        found[self.parents[inner]] = np.flatnonzero(inner)
        return found

    def check(self) -> None:
        """Refuse what a model file may say and cannot be."""
        starts, slots = self.starts, self.slots
        if starts[0] != 0 or starts[-1] != slots.size or (np.diff(starts) < 1).any():
            raise InputError("the model's local problems do not fit their slots")
        if (self.parents < -1).any() or (self.parents >= self.nodes).any() or (np.diff(self.parents) <= 0).any():
            raise InputError("the model's local problems belong to no nodes, or are not in node order")
        above = np.repeat(self.parents, np.diff(starts))
        child = (slots > above) & (slots < self.nodes)
        if not (child | (slots == self.nodes + above) & (above >= 0) | (slots == -1)).all():
            raise InputError("the model's local problems have slots that are not below their nodes")


def walk(
    structure: Structure,
    local: LocalMargins,
    documents: int,
    descent: str,
    *,
    normalised: bool = False,
    floor: float = -np.inf,
    least: float = CERTAIN,
) -> Floats:
    """Score every node by local margins that are asked for problem by problem.

    Parameters
    ----------
    local : callable
        Gives the margins of a problem's slots for some documents: `local(problem, rows)`, `(n_rows, n_slots)`.
    normalised : bool
        Whether the margins of a problem are the logits of one distribution.
    floor : float
        Documents that score no more at a node are not asked about further down; everything below takes that score.
    least : float
        The least score of a node that nothing stands in the way of.

    Returns
    -------
    array, (n_documents, n_nodes)

    Examples
    --------
    >>> chain = Structure(*(np.array(part, dtype=np.int32) for part in ([-1, 0], [0, 2, 3], [0, 1, 2])), 3)
    >>> margins = [np.array([[3.0, -1.0]]), np.array([[2.0]])]
    >>> walk(chain, lambda problem, rows: margins[problem][rows], 1, "filter")
    array([[ 3., -1.,  2.]])
    """
    mode = DESCENTS[descent]
    bar = lowest(floor, descent)
    reach = np.full((2 * structure.nodes, documents), -np.inf)
    for problem, parent in enumerate(structure.parents):
        slots = structure.slots[structure.of(problem)]
        above = np.full(documents, 0.0 if mode == SOFT else np.inf) if parent < 0 else reach[parent]
        best = np.repeat(above[:, None], slots.size, axis=1)
        rows = np.flatnonzero(above > bar)
        if rows.size:
            values = local(problem, rows).copy()
            for margins in values:
                localise(margins, 0, slots.size, mode, normalised)
            best[rows] = above[rows, None] + values if mode == SOFT else np.minimum(above[rows, None], values)
        leading = slots >= 0
        np.maximum.at(reach, slots[leading], best.T[leading])
    scores = reach[: structure.nodes]
    staying = structure.slots[structure.slots >= structure.nodes]
    scores[staying - structure.nodes] = reach[staying]
    return finished(np.ascontiguousarray(scores.T), structure, descent, least)


def finished(scores: Floats, structure: Structure, descent: str, least: float = CERTAIN) -> Floats:
    """Turn sums of log-chances into log-odds, and give a finite score to what nothing stands in the way of.

    Such a node scores `least`, or as much as the best below it, so that nothing below is above it.
    """
    if DESCENTS[descent] == SOFT:
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = np.where(np.isneginf(scores), scores, scores - np.log(-np.expm1(scores)))
    for node in np.flatnonzero(np.isposinf(scores).any(axis=0))[::-1]:
        best = np.max(scores[:, structure.below(node)], axis=1, initial=least)
        scores[:, node] = np.where(np.isposinf(scores[:, node]), best, scores[:, node])
    return scores


def lowest(floor: float, descent: str) -> float:
    """Give a floor in the figures that the way down adds up: log-chances for soft, margins otherwise.

    A log-chance and the log-odds of it round apart: the floor of the one is put where the other is surely below its.
    """
    return -float(np.logaddexp(0.0, -floor)) * ROUNDING if DESCENTS[descent] == SOFT else floor


@kernel
def localise(margins: Floats, start: int, stop: int, mode: int, normalised: bool) -> None:
    """Turn the margins of one problem into what the way down takes, in place."""
    if mode == GREEDY:
        _relative(margins, start, stop)
    elif normalised:
        _log_softmax(margins, start, stop)
        if mode != SOFT:
            for slot in range(start, stop):
                margins[slot] -= np.log(-np.expm1(margins[slot]))
    elif mode == SOFT:
        for slot in range(start, stop):
            # log σ(m), from the side on which the exponential is small.
            m = margins[slot]
            margins[slot] = -np.log1p(np.exp(-m)) if m > 0 else m - np.log1p(np.exp(m))


@kernel
def _relative(margins: Floats, start: int, stop: int) -> None:
    """Take from each margin that of the best other one; the first of equals counts as the better."""
    first, second = start, -1
    for slot in range(start + 1, stop):
        if margins[slot] > margins[first]:
            first, second = slot, first
        elif second < 0 or margins[slot] > margins[second]:
            second = slot
    best = margins[first]
    runner_up = margins[second] if second >= 0 else -np.inf
    for slot in range(start, stop):
        margins[slot] -= runner_up if slot == first else best
    # Of two equal ones the first is taken: its margin must be above 0, however little.
    if margins[first] == 0.0:
        margins[first] = np.nextafter(0.0, 1.0)


@kernel
def _log_softmax(margins: Floats, start: int, stop: int) -> None:
    highest = -np.inf
    for slot in range(start, stop):
        highest = max(highest, margins[slot])
    total = 0.0
    for slot in range(start, stop):
        margins[slot] = 0.0 if np.isinf(highest) else margins[slot] - highest
        total += np.exp(margins[slot])
    for slot in range(start, stop):
        margins[slot] -= np.log(total)


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
