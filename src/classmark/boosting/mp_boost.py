"""MP-Boost: AdaBoost.MH with a pivot for every category in each round (Esuli, Fagni and Sebastiani, SPIRE 2006)."""

from collections.abc import Iterator
from dataclasses import field
from typing import Annotated, Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.boosting.booster import PREDICTIONS, Booster, BoostingEngine, NumberOfRounds
from classmark.boosting.committee import Committee, CommitteeOfStumps, as_committee, is_single
from classmark.boosting.engine import Stumps, n_rows
from classmark.boosting.mp_engine import MPEngine
from classmark.boosting.mp_spread import MPSpreadEngine
from classmark.checks import choice
from classmark.limits import Needed
from classmark.parallel import elsewhere, n_threads

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
