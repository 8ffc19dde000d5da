"""Rounds of boosting in which every category has pivots of its own (MP-Boost).

The tables and the rule for ties are those of `engine`; with a category by itself every term's merit is a few
operations, so there is nothing to bound. The categories share the threads.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.boosting import mp_kernels
from classmark.boosting.engine import TIED, Stumps, Threaded, rounds_in, terms_at
from classmark.boosting.mp_kernels import MPRule, MPState
from classmark.boosting.problem import make_pairs, make_terms
from classmark.parallel import even_ranges

DOUBT = 1e-6
"""How far a merit found in the tables may be from the true one."""
FADED = 1e3
"""How far a total may fall below its peak: the tables' merits are then wrong by no more than √(1e-16 · 1e3)."""


class MPEngine(Threaded):
    """The state of boosting between rounds.

    Parameters
    ----------
    X, labels, weight, prediction, epsilon, margins, merge, n_threads
        As of `Engine`.
    normalize : {"pairs", "label"}
        What Z makes a distribution again: all pairs together, or the pairs of every category, which then keeps its
        share of 1 / n_labels. It makes a difference by the smoothing alone.
    n_in_all : int, optional
        How many categories there are, where these are some alone.
    """

    def __init__(
        self,
        X: csr_array,
        labels: csr_array,
        weight: Floats,
        *,
        prediction: int,
        epsilon: float,
        normalize: str = "pairs",
        margins: Floats | None = None,
        merge: bool = False,
        n_threads: int = 1,
        n_in_all: int | None = None,
    ) -> None:
        self.rule = MPRule(prediction, epsilon, TIED, DOUBT, FADED)
        self.normalize, self.n_threads = normalize, n_threads
        self.terms, _ = make_terms(X, merge=merge)
        pairs = make_pairs(labels, weight, margins, n_in_all)
        n_documents, n_labels = labels.shape
        rows = np.repeat(np.arange(n_documents), np.diff(labels.indptr))
        self.state = MPState(
            weights=np.ascontiguousarray(pairs.negative.T),
            negative=np.ascontiguousarray(labels.toarray().T == 0).astype(np.uint8),
            tables=np.empty((2, n_labels, self.terms.columns.size)),
            totals=np.empty((2, n_labels)),
            peaks=np.empty((2, n_labels)),
            scales=np.ones((2, n_labels)),
        )
        self.state.weights[labels.indices, rows] = pairs.positive
        self._ranges = even_ranges(n_labels, min(n_threads, n_labels))
        self._run(mp_kernels.start_anew, [(*each, self.terms, self.state) for each in self._ranges])
        self._normalise()

    def best(self, count: int = 1) -> Stumps:
        """Find the best stumps of every category."""
        count = min(count, self.terms.columns.size)
        n_labels = self.state.scales.shape[1]
        self._pivots, costs = np.empty((count, n_labels), dtype=np.int64), np.empty((count, n_labels))
        self._answers = np.empty((count, 2, n_labels))
        data = (self.rule, self.terms, self.state, self._pivots, costs, self._answers)
        self._run(mp_kernels.choose, [(*each, *data) for each in self._ranges])
        return Stumps(self.terms.columns[self._pivots], self._answers, costs)

    def apply(self, count: int | npt.NDArray[np.int64] = 1) -> float:
        """Multiply the distribution by what the mean of the first stumps says; give its normaliser Z.

        The stumps are as many for every category, or a number for each.
        """
        counts = np.broadcast_to(np.asarray(count, dtype=np.int64), self.state.scales.shape[1:])
        data = (self.rule, self.terms, self.state, counts, self._pivots, self._answers)
        self._run(mp_kernels.change, [(*each, *data) for each in self._ranges])
        return self._normalise()

    def to_state(self) -> dict[str, Any]:
        """Give the arrays that the next round depends on, as they are and not copied."""
        return {name: array for name, array in self.state._asdict().items() if name != "negative"}

    def take_up(self, state: dict[str, Any]) -> None:
        """Go on from what `to_state` gave to an engine of the same problem."""
        for name, array in self.to_state().items():
            if name in state:
                array[...] = state[name]
        for columns, answers, counts in mp_rounds_in(state):
            self._pivots, self._answers = terms_at(self.terms.columns, columns), answers
            self.apply(counts)

    def _normalise(self) -> float:
        z, divisors = normalisers(self.masses(), self.normalize)
        self.state.scales[:] /= divisors
        return z

    def masses(self) -> Floats:
        """Give what each category weighs."""
        return np.asarray((self.state.scales * self.state.totals).sum(axis=0))


def normalisers(masses: Floats, normalize: str) -> tuple[float, Floats]:
    """Give Z, and what the scales of each category are divided by."""
    z = float(masses.sum())
    return z, masses * masses.size if normalize == "label" else np.full(masses.size, z)


def mp_rounds_in(state: dict[str, Any]) -> Iterator[tuple[npt.NDArray[np.int64], Floats, npt.NDArray[np.int64]]]:
    """Give the columns, answers and counts of each round that a state has in place of what they led to."""
    for (columns, answers), counts in zip(rounds_in(state), state.get("counts", ()), strict=True):
        yield columns, answers, counts
