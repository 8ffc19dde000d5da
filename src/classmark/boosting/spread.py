"""Rounds with shared pivots whose terms are spread over workers (adaboost_mh_kr_2000, section 4.3).

Each part has some of the terms, and the whole distribution, which it changes as all others do: in a round it takes up
the pivots, documents and answers that were chosen in the last one, and proposes the best of its own terms (`step`).
Whoever asked chooses among all proposals by the rule of `engine`: terms within `TIED` of the smallest cost are tied,
and the lowest column wins. A part proposes its best and all that might be tied with them, so that the choice is that
of an engine with all terms.

What is summed over documents is summed by every part alike, in the blocks of all terms together. So a round has the
same bits for any number of parts.

`Together` has all documents of a matrix here; `Elsewhere` has them in parts on workers, and knows no more than sums.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.boosting import engine, merits, rounds, searching
from classmark.boosting.engine import TIED, Engine, Stumps, rare, rounds_in
from classmark.boosting.problem import codes_of, frequent_first, make_terms
from classmark.parallel import Place, Residents, balanced_ranges
from classmark.parallel.places import Call
from classmark.parted import PartedMatrix, Rows, by_rows, columns_of

Columns = npt.NDArray[np.int64]
Documents = npt.NDArray[np.uint32]
Ask = Callable[[int], Documents]


class Together:
    """The terms of a matrix that is here.

    Attributes
    ----------
    columns : array of int, (n_terms,)
        The columns, the rare ones last; the first of equal ones alone, if they are merged.
    sizes : array of int, (n_terms,)
        In how many documents each is.
    document_starts : array of int, (n_documents + 1,)
        How many entries the documents before each have in these columns.
    n_frequent : int
        How many are in over `rare` documents.
    """

    def __init__(self, X: csr_array, rare: int, merge: bool) -> None:
        terms, self.n_frequent = make_terms(X, rare, merge=merge)
        self._X, self._documents, self._starts = X, terms.documents, terms.starts
        self.columns, self.sizes, self.document_starts = terms.columns, np.diff(terms.starts), terms.document_starts
        self._place_of = np.empty(X.shape[1], dtype=np.int64)
        self._place_of[terms.columns] = np.arange(terms.columns.size)

    def part(self, columns: Columns) -> tuple[csr_array | None, Columns]:
        """Give what a part is made of."""
        return csr_array(self._X[:, columns]), columns

    def rows(self, columns: Columns) -> Iterator[Call]:
        """Give what a part is told of the rows afterwards: nothing."""
        return iter(())

    def documents_with(self, column: int, ask: Ask) -> Documents:
        """Give the documents that have the term of a column."""
        place = self._place_of[column]
        return self._documents[self._starts[place] : self._starts[place + 1]]


class Elsewhere:
    """The terms of a matrix that is in parts on workers; the attributes are those of `Together`."""

    def __init__(self, X: PartedMatrix, rare: int, merge: bool) -> None:
        self._X = X
        codes = codes_of(X.shape[0])
        found = X.reduced(_sizes_and_codes, np.add, aligned=(codes,))
        sizes, sums = found if found is not None else np.zeros((2, X.shape[1]), np.uint64)
        firsts = _first_of_alike(sizes, sums) if merge else np.arange(X.shape[1])
        self.columns, self.n_frequent = frequent_first(firsts, sizes[firsts], rare)
        self.sizes = sizes[self.columns].astype(np.int64)
        there = np.zeros(X.shape[1], dtype=bool)
        there[self.columns] = True
        self.document_starts = np.concatenate([[0], np.cumsum(by_rows(X, _count_of, there))])

    def part(self, columns: Columns) -> tuple[csr_array | None, Columns]:
        """Give what a part is made of; its rows follow."""
        return None, columns

    def rows(self, columns: Columns) -> Iterator[Call]:
        """Send a part the rows of its terms, some at a time."""
        for rows in self._X.mapped(columns_of, columns, n_columns=len(columns)).pieces():
            yield "take", (rows,)
        yield "begin", ()

    def documents_with(self, column: int, ask: Ask) -> Documents:
        """Ask who has the term of a column which documents have it."""
        return ask(column)


def _sizes_and_codes(X: csr_array, codes: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Give in how many rows each column is, and the sum of the numbers of these rows, which may run over."""
    by_column = X.tocsc()
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(codes[by_column.indices], dtype=np.uint64)])
    return np.stack([np.diff(by_column.indptr).astype(np.uint64), np.diff(sums[by_column.indptr])])


def _first_of_alike(sizes: npt.NDArray[Any], sums: npt.NDArray[np.uint64]) -> Columns:
    """Give the columns that are like no earlier one.

    As many documents with the same sum of random numbers are the same ones, but for one case in 10^19.

    >>> _first_of_alike(np.array([2, 1, 2]), np.array([7, 7, 7], dtype=np.uint64))
    array([0, 1])
    """
    order = np.lexsort((np.arange(sizes.size), sums, sizes))
    new = np.ones(sizes.size, dtype=bool)
    new[1:] = [(sizes[a], sums[a]) != (sizes[b], sums[b]) for a, b in pairwise(order)]
    return np.sort(order[new])


def _count_of(X: csr_array, there: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Count the entries of each row in some columns."""
    found = np.concatenate([[0], np.cumsum(there[X.indices])])
    return np.diff(found[X.indptr])


WithPivots: TypeAlias = list[npt.NDArray[np.uint32] | None]
"""The documents that have each pivot; None where whoever is told has that term."""
REPLICATED = ("scales", "totals", "swept_totals", "peaks", "slopes", "used_slopes", "limits", "positive", "negative")
"""What of an engine's state all parts have alike."""


SIDES_KEPT = 4
"""For how many terms of the short list, for each stump asked for, the sums are kept and not taken again."""


class Proposal(NamedTuple):
    """What a part would choose.

    Attributes
    ----------
    columns, costs : array, (n_candidates,)
        Terms, the first ones its own criterion, and those that may be tied with them; and what they cost.
    answers : array, (count, 2, n_labels)
        What the first ones say.
    """

    columns: Columns
    costs: Floats
    answers: Floats


class EnginePart(Engine):
    """An engine with some of the terms; `columns` are those of X among all.

    Without X, rows of it are taken one after the other, and `begin` makes the engine of them.
    """

    def __init__(
        self, labels: csr_array, weight: Floats, settings: dict[str, Any], X: csr_array | None, columns: Columns
    ) -> None:
        self._given = labels, weight, settings, columns
        self._rows: list[csr_array] = []
        if X is not None:
            self._begin(X)

    def take(self, rows: csr_array) -> None:
        """Take rows of X, those that follow."""
        present = np.ones(rows.nnz, dtype=np.int8)
        self._rows.append(csr_array((present, rows.indices, rows.indptr), shape=rows.shape))

    def begin(self) -> None:
        """Make the engine of the rows that were taken."""
        sizes = [np.diff(rows.indptr) for rows in self._rows]
        indices = np.concatenate([rows.indices for rows in self._rows])
        self._rows = []
        indptr = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
        present = np.ones(len(indices), dtype=np.int8)
        self._begin(csr_array((present, indices, indptr), shape=(len(indptr) - 1, len(self._given[3]))))

    def _begin(self, X: csr_array) -> None:
        labels, weight, settings, columns = self._given
        super().__init__(X, labels, weight, **settings)
        self.terms = self.terms._replace(columns=columns[self.terms.columns])
        self._place_of = {int(column): term for term, column in enumerate(self.terms.columns)}
        self.state.merits[:] = -np.inf
        # The threads stay as long as the part does.
        self._kept = self.running()
        self._kept.__enter__()

    def propose(self, count: int) -> Proposal:
        """Give the best terms, and those that may be tied with them."""
        state, rule = self.state, self.rule
        count = min(count, state.merits.size)
        found = searching.at_least(rounds.short_list_bar(rule, self._search(count)), state.merits)
        all_sides = np.empty((min(found.size, SIDES_KEPT * count), 2, *state.totals.shape))
        fresh = searching.fresh_costs(rule, found, self.terms, self.pairs, state, all_sides)
        columns = self.terms.columns[found]
        first = ranked(columns, fresh, count)
        # Whatever else is chosen before one of these, nothing that costs more can be tied with it.
        others = np.flatnonzero(fresh <= fresh[first].max() + TIED)
        order = np.append(first, np.setdiff1d(others, first))
        answers = [
            self._said(all_sides[place]) if place < len(all_sides) else self._values(found[place]) for place in first
        ]
        return Proposal(columns[order], fresh[order], np.stack(answers))

    def answers_of(self, column: int) -> Floats:
        """Give what the stump on a column says."""
        return self._values(self._place_of[column])

    def _values(self, term: int) -> Floats:
        sides = np.empty((2, *self.state.totals.shape))
        searching.sum_sides(term, self.terms, self.pairs, self.state.totals, self.state.scales, sides)
        return self._said(sides)

    def _said(self, sides: Floats) -> Floats:
        """Give what a stump says, by the weights on its two sides."""
        values = np.empty_like(self.state.totals)
        merits.values(self.rule.prediction, sides, self.rule.epsilon, values)
        return values

    def documents_of(self, column: int) -> npt.NDArray[np.uint32]:
        """Give the documents that have the term of a column."""
        return self._documents_of(self._place_of[column])

    def absorb(self, columns: Columns, documents: WithPivots, answers: Floats) -> float:
        """Multiply the distribution by what the mean of the chosen stumps says; give its normaliser.

        The documents of a pivot that is one of these terms need not be given.
        """
        with_pivots = (
            self.documents_of(int(column)) if some is None else some
            for column, some in zip(columns, documents, strict=True)
        )
        z = self._absorb(with_pivots, answers)
        # What was chosen has said what it had to say; the next search begins with the best of the others.
        mine = [self._place_of[column] for column in columns.tolist() if column in self._place_of]
        self.state.merits[mine] = -np.inf
        leaders = np.zeros(min(len(columns), self.state.merits.size), dtype=np.int64)
        searching.follow(self.state.merits, leaders)
        self._leaders = np.unique(leaders)
        return z

    def step(self, columns: Columns, documents: WithPivots, answers: Floats, count: int) -> tuple[float, Proposal]:
        """Take up what was chosen, and propose what comes next."""
        return self.absorb(columns, documents, answers), self.propose(count)


class SpreadEngine:
    """Boosting on parts of the terms, each where its worker is; see `Engine` for the parameters."""

    def __init__(
        self,
        place: Place,
        X: Rows,
        labels: csr_array,
        weight: Floats,
        *,
        merge: bool = False,
        **settings: Any,
    ) -> None:
        make = Elsewhere if isinstance(X, PartedMatrix) else Together
        self._terms = terms = make(X, rare(labels.shape[1]), merge)  # type: ignore[arg-type]
        self._place, self._labels, self._weight = place, labels, weight
        blocks = balanced_ranges(terms.document_starts, engine.BLOCKS)
        self._settings = {**settings, "blocks": blocks, "n_threads": place.n_threads}
        self._columns = terms.columns
        self._dealt = [np.sort(terms.columns[some]) for some in deal(terms.sizes, place.n_workers)]
        self._owner = np.full(X.shape[1], -1, dtype=np.int64)
        for part, columns in enumerate(self._dealt):
            self._owner[columns] = part
        cells = labels.shape[0] + 2 * terms.n_frequent / len(self._dealt)
        self._needed = 8.0 * labels.shape[1] * cells + 32.0 * float(terms.sizes.sum()) / len(self._dealt)
        self._base: dict[str, Any] = {}
        self._log: list[tuple[Columns, Floats]] = []
        self._proposals: list[Proposal] = []
        self._count = 0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Keep the parts on their workers for the rounds inside the block."""
        shared = self._labels, self._weight, self._settings
        made = [self._terms.part(columns) for columns in self._dealt]
        with self._place.residents(EnginePart, made, shared, self._since, self._needed) as parts:
            self._residents: Residents = parts
            yield

    def _since(self, part: int) -> Iterator[Call]:
        """Give the calls that bring a new part to where the others are."""
        yield from self._terms.rows(self._dealt[part])
        if self._base:
            yield "take_up", (self._base,)
        for columns, answers in self._log:
            yield "absorb", (columns, self._documents_with(columns, part), answers)

    def _documents_with(self, columns: Columns, told: int | None = None) -> WithPivots:
        """Give the documents with some pivots, but for those that the part that is told them has itself."""
        return [
            None if self._owner[column] == told else self._terms.documents_with(column, self._ask_owner)
            for column in columns.tolist()
        ]

    def _ask_owner(self, column: int) -> npt.NDArray[np.uint32]:
        return np.asarray(self._residents.ask_one(int(self._owner[column]), "documents_of", column))

    def best(self, count: int = 1) -> Stumps:
        """Find the best stumps under the present distribution."""
        count = min(count, self._columns.size)
        if self._count < count:
            self._count, self._proposals = count, self._residents.ask("propose", count)
        columns = np.concatenate([one.columns for one in self._proposals])
        costs = np.concatenate([one.costs for one in self._proposals])
        starts = np.cumsum([0, *(len(one.columns) for one in self._proposals)])
        chosen = ranked(columns, costs, count)
        self._chosen = Stumps(columns[chosen], np.stack([self._said(starts, place) for place in chosen]), costs[chosen])
        return self._chosen

    def _said(self, starts: npt.NDArray[np.int64], place: int) -> Floats:
        """Give what a proposed stump says; of one that its part had ranked further down, ask for it."""
        part = int(np.searchsorted(starts, place, side="right")) - 1
        proposal, rank = self._proposals[part], place - starts[part]
        if rank < len(proposal.answers):
            return np.asarray(proposal.answers[rank])
        return np.asarray(self._residents.ask_one(part, "answers_of", int(proposal.columns[rank])))

    def apply(self, count: int = 1) -> float:
        """Multiply the distribution by what the mean of the first of the best stumps says; give its normaliser Z."""
        columns, answers = self._chosen.columns[:count], self._chosen.answers[:count]
        given = (columns, self._documents_with(columns), answers)
        found = self._residents.ask("step", *given, self._count)
        self._log.append((columns, answers))
        normalisers = {z for z, _ in found}
        if len(normalisers) > 1:
            raise RuntimeError(f"the workers disagree about Z: {sorted(normalisers)}; take processors of one kind")
        self._proposals = [proposal for _, proposal in found]
        return float(normalisers.pop())

    def to_state(self) -> dict[str, Any]:
        """Give the rounds, by which an engine of the same problem comes to where this one is."""
        if not self._log:
            return dict(self._base)
        return {
            **self._base,
            "sizes": np.array([len(columns) for columns, _ in self._log]),
            "columns": np.concatenate([columns for columns, _ in self._log]),
            "answers": np.concatenate([answers for _, answers in self._log]),
        }

    def take_up(self, state: dict[str, Any]) -> None:
        """Go on from what `to_state` gave to an engine of the same problem, here or on one machine."""
        self._base = {name: np.array(state[name]) for name in REPLICATED if name in state}
        self._log = list(rounds_in(state))


def ranked(columns: Columns, costs: Floats, count: int) -> npt.NDArray[np.int64]:
    """Give the places of the best, one after the other: of those within `TIED` of the smallest cost, the lowest column.

    >>> ranked(np.array([7, 3, 5]), np.array([0.5, 0.5, 0.4]), 2)
    array([2, 1])
    """
    left, places = costs.copy(), np.empty(min(count, costs.size), dtype=np.int64)
    for rank in range(places.size):
        tied = np.flatnonzero(left <= left.min() + TIED)
        places[rank] = tied[np.argmin(columns[tied])]
        left[places[rank]] = np.inf
    return places


def deal(sizes: npt.NDArray[np.int64], parts: int) -> list[npt.NDArray[np.int64]]:
    """Deal terms to parts, the largest first and back and forth, so that all have as many, and as many entries.

    >>> [part.tolist() for part in deal(np.array([9, 1, 5, 6, 2]), 2)]
    [[0, 4, 1], [3, 2]]
    """
    order = np.argsort(-sizes, kind="stable")
    parts = max(1, min(parts, sizes.size))
    laps, within = np.divmod(np.arange(sizes.size), parts)
    owner = np.where(laps % 2 == 0, within, parts - 1 - within)
    return [order[owner == part] for part in range(parts)]
