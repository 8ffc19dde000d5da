"""MP-Boost: AdaBoost.MH with a pivot for every category in each round (Esuli, Fagni and Sebastiani, SPIRE 2006)."""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.boosting.booster import PREDICTIONS, Booster, BoostingEngine, Round
from classmark.boosting.committee import COMMITTEE, Committee, as_committee, is_single
from classmark.boosting.engine import Stumps
from classmark.boosting.mp_engine import MPEngine
from classmark.checks import Allowed, choice
from classmark.decision import Decision
from classmark.hierarchy import Hierarchy
from classmark.parallel import n_threads

NORMALISED = ("pairs", "label")


class MPBoost(Booster):
    """Boost decision stumps on the presence of terms; a term of its own for every category in each round.

    A rare category need not wait until a term that serves it is the best for all. Memory: two tables of categories ×
    terms and the categories × documents, in 8 bytes each.

    Parameters
    ----------
    n_rounds : int
        How many rounds.
    prediction, smoothing, hierarchy, decision, calibration, validation_share, patience, warm_start, callback, n_jobs, \
random_state
        As of `AdaBoostMH`.
    committee : str or Committee
        How many stumps a category takes in a round, as of `AdaBoostMHKR`; one by default.
    normalise : {"pairs", "label"}
        Whether the distribution is normalised over all pairs, or for every category by itself.

    Attributes
    ----------
    pivots_ : array of int, (n_stumps, n_ends)
        The columns of the pivots, a column for each of `ends_`.
    z_, n_rounds_
        As of `AdaBoostMH`; the product of the Z bounds the training loss where all pairs are normalised together.

    Examples
    --------
    >>> from classmark import MPBoost
    >>> X = [[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0], [0, 0, 1]]
    >>> model = MPBoost(n_rounds=1).fit(X, ["owl", "owl", "gull", "gull", "oak"])
    >>> dict(zip(model.classes_.tolist(), model.pivots_[0].tolist()))
    {'gull': 1, 'oak': 0, 'owl': 0}
    """

    # Every category goes through all terms.
    round_cost: ClassVar[float] = 2000.0
    pair_cost: ClassVar[float] = 1 / 2
    allowed: ClassVar[Allowed] = {**Booster.allowed, "committee": COMMITTEE, "normalise": choice(NORMALISED)}

    def __init__(
        self,
        n_rounds: int = 50,
        *,
        prediction: str = "real",
        smoothing: float = 1.0,
        committee: str | Committee = "constant,count=1",
        normalise: str = "pairs",
        hierarchy: Hierarchy | None = None,
        decision: Decision | str | None = None,
        calibration: str | None = None,
        validation_share: float | None = None,
        patience: int = 20,
        warm_start: bool = False,
        callback: Callable[[Round], object] | None = None,
        n_jobs: int | None = None,
        random_state: int | None = 0,
    ) -> None:
        self.n_rounds = n_rounds
        self.prediction = prediction
        self.smoothing = smoothing
        self.committee = committee
        self.normalise = normalise
        self.hierarchy = hierarchy
        self.decision = decision
        self.calibration = calibration
        self.validation_share = validation_share
        self.patience = patience
        self.warm_start = warm_start
        self.callback = callback
        self.n_jobs = n_jobs
        self.random_state = random_state

    def check(self) -> None:
        """Refuse parameters that cannot be."""
        super().check()
        as_committee(self.committee)

    def _policy(self) -> Committee:
        return as_committee(self.committee)

    def _engine(self, X: csr_array, labels: csr_array, weight: Floats, margins: Floats | None) -> MPEngine:
        return MPEngine(
            X,
            labels,
            weight,
            prediction=PREDICTIONS[self.prediction],
            epsilon=self._epsilon(weight, labels.shape[1]),
            normalise=self.normalise,
            margins=margins,
            merge=is_single(self._policy()),
            n_threads=n_threads(self.n_jobs),
        )

    def _pivot_shape(self) -> tuple[int, ...]:
        return (int(self.ends_.size),)

    def _boost(self, engine: BoostingEngine, first: int) -> Iterator[tuple[Stumps, Any, float]]:
        """Run the rounds from `first` on; every category says for itself how many stumps it takes."""
        policy = self._policy()
        for number in range(first, self.n_rounds + 1):
            stumps = engine.best(policy.most(number))
            sizes = np.array([policy.size(costs) for costs in stumps.costs.T])
            yield stumps, sizes, engine.apply(sizes)

    def _keep(self, stumps: Stumps, size: Any, z: float) -> None:
        most = size.max()
        taken = np.arange(most)[:, None] < size
        self._rounds.columns.append(stumps.columns[:most])
        self._rounds.answers.append(stumps.answers[:most] / size * taken[:, None, :])
        self._z.append(z)
