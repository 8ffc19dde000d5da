"""Rounds of boosting with pivots that all categories share: exact, and much cheaper than the textbook's products.

What a round of AdaBoost.MH asks for is the term with the smallest Z. Three things make that cheap.

- *Tables* of the weight of every term and category are kept from round to round. Only documents with the pivot change
  their stored weight (`problem`), and only their terms change their rows.
- *Bounds* spare most terms the square roots. With p = W₊/T₊ and n = W₋/T₋ the gain of a term in a category is at most
  2√(T₊T₋) (p - n)² / ((p + n) (2 - p - n)), by a term's rows. A rare term has none; its gain is at most the sum of
  2√(T₊T₋) (p + n), which is linear in the weights: one number for each of its documents. So these bounds are kept too:
  for slopes that have grown since they are stretched, and where that would be by much they are mended or found anew.
- *Equal columns* are searched once, where a round takes one stump.

The tables only make a short list, as their entries carry rounding errors. Who wins is settled among its terms by sums
taken anew: terms within `TIED` of the smallest Z are tied, and the lowest index wins. So the pivots are those of the
textbook, for any number of threads.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.boosting import merits, rounds, searching, weights
from classmark.boosting.problem import Rule, State, make_pairs, make_terms
from classmark.parallel import Range, balanced_ranges, even_ranges, in_turn, threads

TIED = 1e-12
"""Terms whose Z is within this of the smallest are tied."""
DOUBT = 1e-7
"""How far a merit found in the tables may be from the true one."""
FADED = 10.0
"""How far a total may fall below its peak, times its category's squared share of the distribution.

A table's entry is wrong by up to 1e-16 of that peak, and its category's Z by the square root of that: 3e-8 here."""
CERTAIN = 1.0 + 1e-9
"""Bounds are stretched by this, so that their own rounding errors pass nothing over."""
WIDEST_STRETCH = 1.5
"""Bounds may be looser than need be by this; beyond it they are mended or found again."""
SUNK = 0.25
"""Totals are kept by adding differences; one that falls to this share of itself is summed anew, to the last digits."""
RARE = 2, 8
"""Terms in no more documents than a tenth of the categories, but between these bounds, have no row in the tables.

To sum them anew costs no more: the fewer the categories, the less a row costs."""
FREQUENT_COST = 20
"""How many rare terms cost the search as much as a frequent one, for threads to have equal shares."""
BLOCKS = 8
"""Totals are summed in this many blocks of documents whatever the number of threads, so that they are the same."""
CHUNK_BYTES = 1 << 19
"""How large the differences of the documents changed at a time may be, for each thread: about a core's cache."""

ROOM = ("changes", "positive_changes", "block_starts")
"""What of the state is room to work in, or never changes."""


class Stumps(NamedTuple):
    """The weak hypotheses of a round, the best first.

    Attributes
    ----------
    columns : array of int, (n_stumps,)
        The pivots' columns in X.
    answers : array, (n_stumps, 2, n_labels)
        The values a_0j and a_1j of each.
    costs : array, (n_stumps,)
        What chose them: Z before smoothing, or 1 - F1.
    """

    columns: npt.NDArray[np.int64]
    answers: Floats
    costs: Floats


class Threaded:
    """What runs rounds on some threads, in turn unless they are kept running."""

    n_threads: int
    _run: Callable[..., list[Any]] = staticmethod(in_turn)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Keep the threads for the rounds inside the block."""
        with threads(self.n_threads) as run:
            self._run = run
            try:
                yield
            finally:
                del self._run


class Engine(Threaded):
    """The state of boosting between rounds.

    Parameters
    ----------
    X : csr_array, (n_documents, n_terms)
        Term values; a term is present where its value is not 0.
    labels : csr_array, (n_documents, n_labels)
        The positive pairs.
    weight : array, (n_documents,)
        The documents' weights, all above 0.
    prediction : int
        One of `merits.REAL`, `merits.ABSTAINING` and `merits.DISCRETE`.
    criterion : int
        What the pivot is chosen by: the same for its Z, or `merits.F1`.
    epsilon : float
        What is added to weights before their quotient is taken.
    margins : array, (n_documents, n_labels), optional
        The scores of the rounds gone before, to go on from.
    merge : bool
        Search equal columns once; for rounds of one stump, where the first of them wins.
    n_threads : int
        How many threads share a round; the result is the same for any number.
    blocks : list of ranges, optional
        The blocks of documents that totals are summed in, where X has some of the terms alone.
    """

    def __init__(
        self,
        X: csr_array,
        labels: csr_array,
        weight: Floats,
        *,
        prediction: int = merits.REAL,
        criterion: int = merits.REAL,
        epsilon: float,
        margins: Floats | None = None,
        merge: bool = False,
        n_threads: int = 1,
        blocks: list[Range] | None = None,
    ) -> None:
        self.rule = Rule(prediction, criterion, epsilon, TIED, DOUBT, CERTAIN, WIDEST_STRETCH, SUNK, FADED)
        self.n_threads = n_threads
        self.terms, n_frequent = make_terms(X, rare(labels.shape[1]), merge=merge)
        self.pairs = make_pairs(labels, weight, margins)
        blocks = balanced_ranges(self.terms.document_starts, BLOCKS) if blocks is None else blocks
        self._block_ranges = even_ranges(len(blocks), n_threads)
        # A frequent term costs the search a look at its rows, a rare one mostly a look at its bound.
        costs = np.where(np.arange(self.terms.columns.size) < n_frequent, FREQUENT_COST, 1)
        self._term_ranges = balanced_ranges(np.concatenate([[0], np.cumsum(costs)]), n_threads)
        self._frequent_ranges = balanced_ranges(self.terms.starts[: n_frequent + 1], n_threads)
        self._leaders = np.zeros(1, dtype=np.int64)
        n_documents, n_labels = labels.shape
        n_terms = self.terms.columns.size
        chunk = min(max(1, n_threads * CHUNK_BYTES // (8 * n_labels)), n_documents)
        self._sums = np.empty((n_threads, 2, n_labels))
        self._bounds = np.empty((len(self._block_ranges), n_terms))
        self.state = State(
            tables=np.empty((2, n_frequent, n_labels)),
            scales=np.ones((3, n_labels)),
            totals=np.zeros((2, n_labels)),
            swept_totals=np.full((2, n_labels), np.inf),
            shifts=np.zeros((2, n_labels)),
            peaks=np.zeros((2, n_labels)),
            slopes=np.zeros((3, n_labels)),
            used_slopes=np.zeros((3, n_labels)),
            limits=np.empty(2),
            merits=np.empty(n_terms),
            bounds=self._bounds[0],
            rises=np.empty(n_documents),
            block_starts=np.array([0, *(stop for _, stop in blocks)]),
            block_totals=np.empty((len(blocks), 2, n_labels)),
            changes=np.empty((chunk, n_labels)),
            positive_changes=np.empty_like(self.pairs.positive),
        )
        self._sum_up()
        self._fill_tables()

    def rounds(self, n_estimators: int) -> Iterator[tuple[Stumps, float]]:
        """Run some rounds of one stump each; give it and the normaliser Z of each round."""
        if self.n_threads > 1:
            for _ in range(n_estimators):
                yield self.best(1), self.apply(1)
            return
        n_labels = self.state.totals.shape[1]
        columns, answers = np.empty(n_estimators, dtype=np.int64), np.empty((n_estimators, 2, n_labels))
        costs, normalisers = np.empty(n_estimators), np.empty(n_estimators)
        found = (columns, answers, costs, normalisers)
        rounds.run_rounds(self.rule, self.terms, self.pairs, self.state, self._leaders[:1], *found)
        for s in range(n_estimators):
            yield Stumps(columns[s : s + 1], answers[s : s + 1], costs[s : s + 1]), float(normalisers[s])

    def best(self, count: int = 1) -> Stumps:
        """Find the best stumps under the present distribution."""
        state, rule = self.state, self.rule
        count = min(count, state.merits.size)
        n_labels = state.totals.shape[1]
        self._pivots, costs = np.empty(count, dtype=np.int64), np.empty(count)
        self._answers = np.empty((count, 2, n_labels))
        all_sides = np.empty((count, 2, 2, n_labels))
        bar = rounds.short_list_bar(rule, self._search(count))
        searching.settle(rule, self.terms, self.pairs, state, bar, self._pivots, costs, all_sides)
        for sides, values in zip(all_sides, self._answers, strict=True):
            merits.values(rule.prediction, sides, rule.epsilon, values)
        leaders = np.zeros(count, dtype=np.int64)
        searching.follow(state.merits, leaders)
        self._leaders = np.unique(leaders)
        return Stumps(self.terms.columns[self._pivots], self._answers, costs)

    def apply(self, count: int = 1) -> float:
        """Multiply the distribution by what the mean of the first of the best stumps says; give its normaliser Z.

        That is Equation 1 with the mean rule of Equation 7, and Z is Equation 2's.
        """
        return self._absorb(map(self._documents_of, self._pivots[:count]), self._answers[:count])

    def _documents_of(self, term: int) -> npt.NDArray[np.uint32]:
        return self.terms.documents[self.terms.starts[term] : self.terms.starts[term + 1]]

    def _absorb(self, documents: Iterable[npt.NDArray[np.uint32]], answers: Floats) -> float:
        """Multiply the distribution by what the mean of some stumps says, given the documents with their pivots."""
        ratios = np.empty_like(self.state.totals)
        for touched, values in zip(documents, answers, strict=True):
            weights.update_scales(values, 1.0 / len(answers), self.state.scales, ratios)
            self._change(touched, ratios)
        return self._sum_up()

    def to_state(self) -> dict[str, Any]:
        """Give the arrays that the next round depends on, as they are and not copied."""
        kept = {name: array for name, array in self.state._asdict().items() if name not in ROOM}
        return kept | {"positive": self.pairs.positive, "negative": self.pairs.negative, "leaders": self._leaders}

    def take_up(self, state: dict[str, Any]) -> None:
        """Go on from what `to_state` gave to an engine of the same problem, or one on a cluster did."""
        if "tables" in state:
            self._leaders = np.array(state["leaders"])
        for name, array in self.to_state().items():
            if name in state:
                array[...] = state[name]
        if "tables" not in state and "totals" in state:
            self._fill_tables()
            self._bound()
        for columns, answers in rounds_in(state):
            self._absorb(map(self._documents_of, terms_at(self.terms.columns, columns)), answers)

    def _search(self, count: int) -> float:
        """Find the merits of the terms that may be among the best, and the least merit that is."""
        data = (self.rule, self.terms, self.pairs, self.state, self._leaders)
        bests = np.empty((len(self._term_ranges), count))
        self._run(
            searching.search,
            [
                (*each, *data, best, sums)
                for each, best, sums in zip(self._term_ranges, bests, self._sums, strict=False)
            ],
        )
        return float(np.partition(bests, -count, axis=None)[-count])

    def _change(self, documents: npt.NDArray[np.uint32], ratios: Floats) -> None:
        """Multiply the stored weights of the documents with a pivot, and carry the differences into the tables."""
        data = (self.terms, self.pairs, self.state)
        for start in range(0, documents.size, self.state.changes.shape[0]):
            touched = rounds.reweigh(documents, start, *data, ratios)
            self._run(weights.add_changes, [(*each, touched, *data) for each in self._frequent_ranges])

    def _sum_up(self) -> float:
        """Take up the totals, normalize the distribution, see to the tables and the bounds; give the normaliser."""
        state = self.state
        if weights.update_totals(self.rule.sunk, self.pairs, state.totals, state.shifts, state.swept_totals):
            self._sweep()
        z, faded = rounds.normalize(self.rule, self.pairs, self.state)
        if faded:
            self._fill_tables()
        if rounds.widen_bounds(self.rule, self.terms, self.pairs, self.state):
            self._sweep()
        return float(z)

    def _sweep(self) -> None:
        """Sum the totals and bound the rare terms anew."""
        self._bound()
        weights.gather(self.state.block_totals, self.state.totals, self.state.swept_totals)

    def _bound(self) -> None:
        """Bound the rare terms anew, and sum the totals of blocks."""
        data = (self.terms, self.pairs, self.state)
        self._run(
            weights.sweep,
            [(*each, *data, bounds) for each, bounds in zip(self._block_ranges, self._bounds, strict=True)],
        )
        for other in self._bounds[1:]:
            self._bounds[0] += other

    def _fill_tables(self) -> None:
        self._run(
            weights.fill_tables,
            [(*each, self.terms, self.pairs, self.state.tables) for each in self._frequent_ranges],
        )


def rounds_in(state: dict[str, Any]) -> Iterator[tuple[npt.NDArray[np.int64], Floats]]:
    """Give the columns and the answers of each round that a state has in place of what they led to."""
    starts = np.cumsum([0, *state.get("sizes", ())])
    for start, stop in pairwise(starts):
        yield state["columns"][start:stop], state["answers"][start:stop]


def terms_at(columns: npt.NDArray[np.int64], wanted: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Give where columns stand among others in any order.

    >>> terms_at(np.array([5, 2, 9]), np.array([9, 5]))
    array([2, 0])
    """
    order = np.argsort(columns)
    return np.asarray(order[np.searchsorted(columns, wanted, sorter=order)])


def rare(n_labels: int) -> int:
    """Give the most documents that a term without a row in the tables is in."""
    return int(np.clip(n_labels // 10, *RARE))


def n_rows(X: csr_array, most: int, *, merge: bool) -> int:
    """Give how many terms are in more documents than `most`; equal ones count once, if they are merged, or less.

    >>> X = csr_array([[1.0, 1.0, 0.0]] * 3)
    >>> n_rows(X, 2, merge=False), n_rows(X, 2, merge=True)
    (2, 1)
    """
    found = np.bincount(X.indices, minlength=X.shape[1])
    frequent = np.flatnonzero(found > most)
    if not merge:
        return int(frequent.size)
    # Equal columns are in as many documents, first in the same one; others may be, too.
    first = np.full(X.shape[1], X.shape[0])
    np.minimum.at(first, X.indices, np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)))
    return int(np.unique(np.stack([found[frequent], first[frequent]]), axis=1).shape[1])
