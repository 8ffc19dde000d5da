"""AdaBoost.MH: boosting with decision stumps on single terms, all categories sharing the pivot of a round.

Schapire and Singer, "BoosTexter", Machine Learning 39 (2000); treeboost_mh_2006, section 2; adaboost_mh_kr_2000,
section 2.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.boosting import merits
from classmark.boosting.booster import PREDICTIONS, Booster, BoostingEngine, Round, presence
from classmark.boosting.committee import is_single
from classmark.boosting.engine import Engine, Stumps
from classmark.boosting.intervals import IntervalEngine, find_cuts, interval_columns
from classmark.checks import Allowed, choice, whole
from classmark.decision import Decision
from classmark.hierarchy import Hierarchy
from classmark.parallel import n_threads
from classmark.persistence import State, checked_array

CHOICES = ("z", "f1")


class AdaBoostMH(Booster):
    """Boost decision stumps on the presence of terms; one term a round, the same for all categories.

    Each round takes the term whose stump makes the normaliser Z of the distribution over (document, category) pairs
    smallest (Algorithm 1 of treeboost_mh_2006). The categories are those that some document has as its own label; a
    node above them scores the maximum below it.

    Parameters
    ----------
    n_rounds : int
        How many rounds.
    prediction : {"real", "abstaining", "discrete"}
        What a stump says: a real number on each side; nothing where the term is absent; or a sign on each side with
        one strength for all.
    smoothing : float
        What is added to the weights before their quotient is taken, in units of 1 / (total weight × categories).
    choice : {"z", "f1"}
        What a pivot is chosen by: the smallest Z, or the largest F1 under the distribution.
    intervals : int
        Into how many intervals the values of a term are cut, one of them 0; with 2 a term is present or absent. With
        more, predictions are real, pivots are chosen by Z, and a round costs as much as the textbook's.
    hierarchy : Hierarchy, optional
        The categories; a flat hierarchy over the labels seen by default.
    decision : Decision or str, optional
        How scores become label sets.
    calibration : "platt", "isotonic" or "softmax", optional
        How scores become probabilities, which `predict_proba` gives; learned by cross-validation.
    validation_share : float, optional
        Hold so many of the documents out, and keep the rounds up to the one that serves them best.
    patience : int
        With that, stop after so many rounds without gain.
    warm_start : bool
        Let `fit` go on from the rounds of the last `fit` on the same documents.
    callback : callable, optional
        Called with a `Round` after every round; stops the boosting by returning true.
    n_jobs : int, optional
        How many threads share a round. The result is the same for any number.
    random_state : int or None
        The seed of the choice of held-out documents.

    Attributes
    ----------
    pivots_ : array of int, (n_rounds,)
        The column of each round's pivot.
    z_ : array, (n_rounds,)
        The normaliser Z of each round under the answers as they are given, smoothed: a little above the
        2 Σ √(W₊ W₋) that the pivot was chosen by. The training Hamming loss is at most their product.
    n_rounds_ : int
        How many rounds were kept.

    Examples
    --------
    >>> from classmark import AdaBoostMH
    >>> X = [[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0]]
    >>> model = AdaBoostMH(n_rounds=3).fit(X, ["owl", "owl", "gull", "gull"])
    >>> model.predict([[0, 2, 0]])
    array(['gull'], dtype='<U4')
    >>> model.pivots_
    array([0, 0, 0], dtype=int32)
    """

    allowed: ClassVar[Allowed] = {**Booster.allowed, "choice": choice(CHOICES), "intervals": whole(2, 1000)}

    def __init__(
        self,
        n_rounds: int = 200,
        *,
        prediction: str = "real",
        smoothing: float = 1.0,
        choice: str = "z",
        intervals: int = 2,
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
        self.choice = choice
        self.intervals = intervals
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
        """Refuse parameters that cannot be, alone or together."""
        super().check()
        if self.intervals > 2 and (self.prediction, self.choice) != ("real", "z"):
            raise ValueError(f"{self.intervals} intervals go with real predictions and the choice by Z only")

    def _read(self, X: csr_array, *, learn: bool = False) -> csr_array:
        if self.intervals == 2:
            return presence(X)
        if learn:
            self.cuts_ = find_cuts(X, self.intervals)
        return interval_columns(X, self.cuts_)

    def _keep(self, stumps: Stumps, size: Any, z: float) -> None:
        if self.intervals > 2:
            # The branches of one stump are no committee: they are added, and the mean is that of stumps.
            width = self.intervals - 1
            stumps, size = stumps._replace(answers=stumps.answers * width), size * width
        super()._keep(stumps, size, z)

    def _conclude(self) -> None:
        super()._conclude()
        if self.intervals > 2:
            self.pivots_ = self.pivots_[:: self.intervals - 1] // (self.intervals - 1)

    def _learned_state(self) -> State:
        return super()._learned_state() | {
            "intervals": self.intervals,
            "cuts": self.cuts_ if self.intervals > 2 else [],
        }

    def _restore(self, learned: State) -> None:
        self.intervals = int(learned["intervals"])
        if self.intervals > 2:
            self.cuts_ = checked_array(learned, "cuts", np.float64, (self.intervals - 2,))
        super()._restore(learned)

    def _n_columns(self) -> int:
        return super()._n_columns() * (self.intervals - 1)

    def _engine(self, X: csr_array, labels: csr_array, weight: Floats, margins: Floats | None) -> BoostingEngine:
        epsilon = self._epsilon(weight, labels.shape[1])
        if self.intervals > 2:
            return IntervalEngine(X, labels, weight, width=self.intervals - 1, epsilon=epsilon, margins=margins)
        prediction = PREDICTIONS[self.prediction]
        return Engine(
            X,
            labels,
            weight,
            prediction=prediction,
            choice=merits.F1 if self.choice == "f1" else prediction,
            epsilon=epsilon,
            margins=margins,
            merge=is_single(self._policy()),
            n_threads=n_threads(self.n_jobs),
        )
