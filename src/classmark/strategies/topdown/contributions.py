"""Which terms decided on the way down.

A score of the filter is one local margin, the least on the way, and its terms are the score's. Greedy, the terms of
the best other child count against it. The product of chances is no sum over terms: its terms are those of the least
certain local decision, and everything else is in the bias.

The terms of a node are those that distinguish it from its siblings.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack

from classmark.answers import Positions
from classmark.arrays import Floats
from classmark.base import Contributions
from classmark.errors import InputError
from classmark.strategies.topdown.descent import DESCENTS, Structure, localise
from classmark.strategies.topdown.linear_bank import LinearBank, LinearModel
from classmark.strategies.topdown.local_fit import MultiLabelModel

if TYPE_CHECKING:
    from classmark.strategies.topdown.classifier import TopDownClassifier

Slots: TypeAlias = npt.NDArray[np.intp]


class Way(NamedTuple):
    """How documents come to a node: what they have on arrival, and the slot with the least local value so far."""

    reach: Floats
    slot: Slots
    least: Floats
    rival: Slots


def contributions(model: "TopDownClassifier", X: csr_array, node: int, score: Floats) -> Contributions:
    """Give what the terms contribute to a node's score; the bias is what they do not sum to."""
    terms = csr_array(X.shape)
    known = np.isfinite(score)
    if known.all() and known.size:
        way = _Ways(model, X).to(node)
        factors = {model.margin_scale: way.slot} | ({-1.0: way.rival} if model.descent == "greedy" else {})
        for factor, slots in factors.items():
            for slot in np.unique(slots[slots >= 0]):
                terms = terms + factor * _of_slot(model, X, np.flatnonzero(slots == slot), int(slot))
    terms = csr_array(terms)
    with np.errstate(invalid="ignore"):
        return Contributions(terms, np.where(known, score - terms.sum(axis=1), score))


class _Ways:
    """The ways to a node and to the nodes above it, the best one for each document."""

    def __init__(self, model: "TopDownClassifier", X: csr_array) -> None:
        self.model, self.X = model, X
        self.soft = model.descent == "soft"
        self.known: dict[int, Way] = {}

    def to(self, node: int) -> Way:
        """Give the way to a node, down to staying there where documents can."""
        structure = self.model.structure_
        way = self.reaching(node)
        staying = np.flatnonzero(structure.slots == structure.nodes + node)
        return self.on(way, int(staying[0])) if staying.size else way

    def reaching(self, node: int) -> Way:
        """Give the best way to a node."""
        size = self.X.shape[0]
        if node < 0:
            nothing = np.full(size, -1, dtype=np.intp)
            return Way(np.full(size, 0.0 if self.soft else np.inf), nothing, np.full(size, np.inf), nothing)
        if node not in self.known:
            ways = [self.by(int(slot)) for slot in np.flatnonzero(self.model.structure_.slots == node)]
            best = np.argmax([way.reach for way in ways], axis=0), np.arange(size)
            self.known[node] = Way(*(np.array(part)[best] for part in zip(*ways, strict=True)))
        return self.known[node]

    def by(self, slot: int) -> Way:
        """Give the best way that ends with a slot."""
        structure = self.model.structure_
        return self.on(self.reaching(int(structure.parents[structure.problem_with(slot)])), slot)

    def on(self, way: Way, slot: int) -> Way:
        """Give the way that goes on by a slot."""
        structure: Structure = self.model.structure_
        problem = structure.problem_with(slot)
        margins = self.model.margin_scale * self.model.local_margins(self.X, problem, np.arange(self.X.shape[0]))
        others = margins.copy()
        others[:, slot - structure.starts[problem]] = -np.inf
        rival = np.argmax(others, axis=1) + int(structure.starts[problem])
        for row in margins:
            localise(row, 0, row.size, DESCENTS[self.model.descent], self.model.normalised_)
        value = margins[:, slot - structure.starts[problem]]
        reach = way.reach + value if self.soft else np.minimum(way.reach, value)
        lower = value < way.least
        return Way(
            reach,
            np.where(lower, slot, way.slot),
            np.where(lower, value, way.least),
            np.where(lower, rival, way.rival),
        )


def _of_slot(model: "TopDownClassifier", X: csr_array, rows: npt.NDArray[np.intp], slot: int) -> csr_array:
    """Give what terms contribute to the margin of one slot for some documents, as a matrix over all documents."""
    local = csr_array(X[rows])
    if model.bank_ is not None:
        weights = model.bank_.weights[:, [slot]].toarray().ravel().astype(np.float64)
        back = csr_array((np.ones(rows.size), (rows, np.arange(rows.size))), shape=(X.shape[0], rows.size))
        return csr_array(
            back @ csr_array((local.data * weights[local.indices], local.indices, local.indptr), local.shape)
        )
    problem = model.structure_.problem_with(slot)
    found = (model.models_ or [])[problem]
    if isinstance(found, LinearModel):
        return csr_array(X.shape)
    if not isinstance(found, MultiLabelModel):
        raise InputError(f"{type(model.local_learner()).__name__} is not linear: its scores are not sums over terms")
    name = int((~found.passed[: slot - int(model.structure_.starts[problem])]).sum())
    terms = found.classifier.contributions(csr_array(local[:, found.columns]), name).terms.tocoo()
    entries = (terms.data, (rows[terms.coords[0]], found.columns[terms.coords[1]]))
    return csr_array(entries, shape=X.shape)


if TYPE_CHECKING:
    from classmark.strategies.topdown.classifier import TopDownClassifier


def slot_weights(
    model: "TopDownClassifier", bank: LinearBank | None, blocks: Sequence[Positions]
) -> Iterator[csr_array]:
    """Give the weights of the slots that lead to each node of a block, their mean where there are several."""
    slots = model.structure_.slots
    leading = np.flatnonzero((slots >= 0) & (slots < model.structure_.nodes))
    ways = csr_array((np.ones(leading.size), (slots[leading], leading)), shape=(model.structure_.nodes, slots.size))
    weights = csr_array(bank.weights.T.astype(np.float64)) if bank is not None else _by_hypotheses(model)
    return (_means(csr_array(ways[nodes]), weights) for nodes in blocks)


def _means(ways: csr_array, weights: csr_array) -> csr_array:
    counts = np.maximum(np.diff(ways.indptr), 1)
    return csr_array((ways @ weights).multiply(1.0 / counts[:, None]))


def _by_hypotheses(model: "TopDownClassifier") -> csr_array:
    """Give the weights of all slots where classifiers of ours decide at the nodes."""
    rows = []
    for problem, found in enumerate(model.models_ or []):
        size = int(np.diff(model.structure_.starts)[problem])
        if not isinstance(found, MultiLabelModel):
            if hasattr(found, "margins"):
                raise InputError(f"{type(model.local_learner()).__name__} is not linear: it has no weights of terms")
            rows.append(csr_array((size, model.n_features_in_)))
            continue
        rows.append(_of_problem(found, size, model.n_features_in_))
    return csr_array(vstack(rows, format="csr"))


def _of_problem(found: MultiLabelModel, size: int, width: int) -> csr_array:
    """Give the weights of one problem's slots; nothing speaks for or against what is passed."""
    told: npt.NDArray[np.intp] = np.flatnonzero(~found.passed)
    (weights,) = found.classifier.term_weights([np.arange(told.size)])
    entries = csr_array(weights).tocoo()
    places = (told[entries.coords[0]], found.columns[entries.coords[1]])
    return csr_array((entries.data, places), shape=(size, width))
