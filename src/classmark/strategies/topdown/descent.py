"""The way down: from local margins to a score for every node.

Three ways, of the table `DESCENTS`:

- filter: a node scores the least local margin on its way down. Above 0 is then what treeboost_mh_2006, section 3.1,
  lets through, and a child never scores above its parent.
- greedy: the same, with each margin less that of the best other slot, so that exactly one way has a score above 0: the
  one that takes the best child every time.
- soft: the log-odds of the product of the local chances on the way; above 0 is a chance above one half.

In a DAG a node takes the best of its ways. A node that documents can stay at scores as staying there.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from classmark.arrays import Floats, Integers
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
