"""MP-Boost: AdaBoost.MH with a pivot for every category in each round (Esuli, Fagni and Sebastiani, SPIRE 2006).

On a cluster the categories are spread over the workers. A category asks nothing of the others but the normaliser Z, a
sum over all of them. So a part has some categories with all terms, and a round is two questions: the parts choose
pivots under the normalised distribution, and take up how many of them count; what their categories weigh then is put
together in the order of the categories, and summed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.boosting.booster import PREDICTIONS, Booster, BoostingEngine, NumberOfRounds
from classmark.boosting.committee import Committee, CommitteeOfStumps, as_committee, is_single
from classmark.boosting.engine import Stumps, n_rows, terms_at
from classmark.boosting.mp_engine import MPEngine, mp_rounds_in, normalisers
from classmark.checks import choice
from classmark.limits import Needed
from classmark.parallel import Place, Range, Residents, elsewhere, even_ranges, n_threads
from classmark.parallel.places import Call

Chosen = tuple[npt.NDArray[np.int64], Floats, npt.NDArray[np.int64]]


class MPPart(MPEngine):
    """An engine with some of the categories, those of a range."""

    def __init__(
        self,
        X: csr_array,
        weight: Floats,
        settings: dict[str, Any],
        labels: csr_array,
        span: Range,
        margins: Floats | None,
        base: dict[str, Floats],
    ) -> None:
        super().__init__(X, labels, weight, margins=margins, **settings)
        self.span = slice(*span)
        self.take_up(base)
        # The threads stay as long as the part does.
        self._kept = self.running()
        self._kept.__enter__()

    def _normalise(self) -> float:
        """Leave that to who knows all categories."""
        return np.nan

    def divide(self, divisors: Floats) -> None:
        """Normalise the distribution."""
        self.state.scales[:] /= divisors[self.span]

    def choose(self, divisors: Floats | None, count: int) -> Stumps:
        """Normalise the distribution, unless that is done, and find the best stumps of every category."""
        if divisors is not None:
            self.divide(divisors)
        return self.best(count)

    def absorb(self, columns: npt.NDArray[np.int64], answers: Floats, counts: npt.NDArray[np.int64]) -> Floats:
        """Multiply the distribution by what the mean of the first stumps says; give what each category weighs."""
        self._pivots = np.ascontiguousarray(terms_at(self.terms.columns, columns[:, self.span]))
        self._answers = np.ascontiguousarray(answers[:, :, self.span])
        self.apply(counts[self.span])
        return self.masses()


class MPSpreadEngine:
    """Boosting on parts of the categories, each where its worker is; see `MPEngine` for the parameters."""

    def __init__(
        self,
        place: Place,
        X: csr_array,
        labels: csr_array,
        weight: Floats,
        *,
        normalize: str = "pairs",
        margins: Floats | None = None,
        **settings: Any,
    ) -> None:
        self._place, self._labels, self._margins, self._normalise = place, labels, margins, normalize
        given = {**settings, "normalize": normalize, "n_in_all": labels.shape[1], "n_threads": place.n_threads}
        self._shared = X, weight, given
        self._spans = even_ranges(labels.shape[1], place.n_workers)
        widest = max(stop - start for start, stop in self._spans)
        self._needed = 9.0 * widest * X.shape[0] + 16.0 * widest * X.shape[1] + 48.0 * X.nnz
        self._base: dict[str, Floats] = {}
        self._log: list[Chosen] = []
        self._calls: list[Call] = []

    def _parts(self) -> list[tuple[Any, ...]]:
        """Give what each part is made of."""
        by_category = {"weights": 0, "tables": 1, "totals": 1, "peaks": 1, "scales": 1}

        def cut(array: Floats, axis: int, span: Range) -> Floats:
            return np.array(array.take(np.arange(*span), axis=axis))

        return [
            (
                csr_array(self._labels[:, span[0] : span[1]]),
                span,
                None if self._margins is None else cut(self._margins, 1, span),
                {name: cut(self._base[name], axis, span) for name, axis in by_category.items() if name in self._base},
            )
            for span in self._spans
        ]

    @contextmanager
    def running(self) -> Iterator[None]:
        """Keep the parts on their workers for the rounds inside the block."""
        self._calls, done, self._log = list[Call](), self._log, []
        with self._place.residents(MPPart, self._parts(), self._shared, self._since, self._needed) as parts:
            self._residents: Residents = parts
            # What one machine has left is normalised already.
            self._divisors = None if self._base else self._weighed(parts.ask("masses"))[1]
            for one in done:
                self._divide()
                self._take(one)
            yield

    def _since(self, part: int) -> list[Call]:
        """Give the calls that bring a new part to where the others are."""
        return self._calls

    def _weighed(self, masses: list[Floats]) -> tuple[float, Floats]:
        return normalisers(np.concatenate(masses), self._normalise)

    def _divide(self) -> None:
        """Normalise what is to be gone on from without choosing."""
        if self._divisors is not None:
            self._residents.ask("divide", self._divisors)
            self._calls.append(("divide", (self._divisors,)))
            self._divisors = None

    def _take(self, one: Chosen) -> float:
        """Let the parts take up what was chosen; give the normaliser."""
        z, self._divisors = self._weighed(self._residents.ask("absorb", *one))
        self._calls.append(("absorb", one))
        self._log.append(one)
        return z

    def best(self, count: int = 1) -> Stumps:
        """Find the best stumps of every category."""
        found = self._residents.ask("choose", self._divisors, count)
        if self._divisors is not None:
            self._calls.append(("divide", (self._divisors,)))
            self._divisors = None
        columns, answers, costs = (np.concatenate(arrays, axis=-1) for arrays in zip(*found, strict=True))
        self._chosen = Stumps(columns, answers, costs)
        return self._chosen

    def apply(self, count: int | npt.NDArray[np.int64] = 1) -> float:
        """Multiply the distribution by what the mean of the first stumps says; give its normaliser Z."""
        counts = np.array(np.broadcast_to(np.asarray(count, dtype=np.int64), self._labels.shape[1:]))
        most = int(counts.max())
        return self._take((self._chosen.columns[:most], self._chosen.answers[:most], counts))

    def to_state(self) -> dict[str, Any]:
        """Give the rounds, by which an engine of the same problem comes to where this one is."""
        if not self._log:
            return dict(self._base)
        return {
            **self._base,
            "sizes": np.array([len(columns) for columns, _, _ in self._log]),
            "columns": np.concatenate([columns for columns, _, _ in self._log]),
            "answers": np.concatenate([answers for _, answers, _ in self._log]),
            "counts": np.stack([counts for _, _, counts in self._log]),
        }

    def take_up(self, state: dict[str, Any]) -> None:
        """Go on from what `to_state` gave to an engine of the same problem, here or on one machine."""
        self._log = list(mp_rounds_in(state))
        self._base = {name: state[name] for name in ("weights", "tables", "totals", "peaks", "scales") if name in state}


NORMALISED = ("pairs", "label")

COLUMN = 0.18
"""Entries of a linear learner that cost as much as a term or a document in a round of a category: 3 ns."""


class MPBoost(Booster):
    """Boost decision stumps on the presence of terms; a term of its own for every category in each round.

    A rare category need not wait until a term that serves it is the best for all. Memory: two tables of categories ×
    terms and the categories × documents, in 8 bytes each.

    Attributes
    ----------
    pivots_ : array of int, (n_stumps, n_ends)
        The columns of the pivots, a column for each of `ends_`.
    z_, n_estimators_
        As of `AdaBoostMH`; the product of the Z bounds the training loss where all pairs are normalised together.

    Examples
    --------
    >>> from classmark import MPBoost
    >>> X = [[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0], [0, 0, 1]]
    >>> model = MPBoost(n_estimators=1).fit(X, ["owl", "owl", "gull", "gull", "oak"])
    >>> dict(zip(model.classes_.tolist(), model.pivots_[0].tolist()))
    {'gull': 1, 'oak': 0, 'owl': 0}
    """

    round_cost: ClassVar[float] = 1500.0

    n_estimators: NumberOfRounds = field(default=50, kw_only=False)
    committee: CommitteeOfStumps = "constant,count=1"
    normalize: Annotated[
        str,
        choice(NORMALISED),
        "Whether the distribution is normalised over all pairs, or for every category by itself.",
    ] = "pairs"

    def check(self) -> None:
        """Refuse parameters that cannot be."""
        super().check()
        as_committee(self.committee)

    def _policy(self) -> Committee:
        return as_committee(self.committee)

    def _engine(self, X: csr_array, labels: csr_array, weight: Floats, margins: Floats | None) -> BoostingEngine:
        settings: dict[str, Any] = {
            "prediction": PREDICTIONS[self.prediction],
            "epsilon": self._epsilon(weight, labels.shape[1]),
            "normalize": self.normalize,
            "margins": margins,
            "merge": is_single(self._policy()),
        }
        place = elsewhere()
        if place is not None:
            return MPSpreadEngine(place, X, labels, weight, **settings)
        return MPEngine(X, labels, weight, **settings, n_threads=n_threads(self.n_jobs))

    def _rows_of_tables(self, X: csr_array) -> int:
        return n_rows(X, 0, merge=is_single(self._policy()))

    def work_of_round(self, shape: tuple[int, int], labels: float, entries_of_a_pivot: float) -> float:
        """Estimate a round: every category goes through all terms, and all documents."""
        return self.round_cost + COLUMN * labels * sum(shape)

    def _columns_of_rounds(self, X: csr_array) -> int:
        return self._rows_of_tables(X)

    def memory_to_learn(self, X: csr_array, own: csr_array) -> Needed:
        """Count the weights of documents and categories in both orders, while they are turned."""
        needed = super().memory_to_learn(X, own)
        return needed._replace(expected=needed.expected + X.shape[0] * self.ends_.size)

    def _pivot_shape(self) -> tuple[int, ...]:
        return (int(self.ends_.size),)

    def _boost(self, engine: BoostingEngine, first: int) -> Iterator[tuple[Stumps, Any, float]]:
        """Run the rounds from `first` on; every category says for itself how many stumps it takes."""
        policy = self._policy()
        for number in range(first, self.n_estimators + 1):
            stumps = engine.best(policy.most(number))
            sizes = np.array([policy.size(costs) for costs in stumps.costs.T])
            yield stumps, sizes, engine.apply(sizes)

    def _keep(self, stumps: Stumps, size: Any, z: float) -> None:
        most = size.max()
        taken = np.arange(most)[:, None] < size
        self._rounds.columns.append(stumps.columns[:most])
        self._rounds.answers.append(stumps.answers[:most] / size * taken[:, None, :])
        self._z.append(z)
