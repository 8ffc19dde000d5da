"""AdaBoost.MH: boosting with decision stumps on single terms, all categories sharing the pivot of a round.

Schapire and Singer, "BoosTexter", Machine Learning 39 (2000); treeboost_mh_2006, section 2; adaboost_mh_kr_2000,
section 2.
"""

from typing import Annotated, Any

import numpy as np
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.boosting import merits
from classmark.boosting.booster import PREDICTIONS, Booster, BoostingEngine
from classmark.boosting.committee import is_single
from classmark.boosting.engine import Engine, Stumps, n_rows, rare
from classmark.boosting.intervals import IntervalEngine, find_cuts, interval_columns
from classmark.boosting.spread import SpreadEngine
from classmark.checks import choice, integer
from classmark.errors import InputError
from classmark.parallel import elsewhere, n_threads
from classmark.persistence import State, checked_array

ChosenBy = Annotated[
    str, choice(["z", "f1"]), "What a pivot is chosen by: the smallest Z, or the largest F1 under the distribution."
]


class AdaBoostMH(Booster):
    """Boost decision stumps on the presence of terms; one term a round, the same for all categories.

    Each round takes the term whose stump makes the normaliser Z of the distribution over (document, category) pairs
    smallest (Algorithm 1 of treeboost_mh_2006). The categories are those that some document has as its own label; a
    node above them scores the maximum below it. With more than two intervals predictions are real, pivots are chosen by
    Z, and a round costs as much as the textbook's.

    Attributes
    ----------
    pivots_ : array of int, (n_estimators,)
        The column of each round's pivot.
    z_ : array, (n_estimators,)
        The normaliser Z of each round under the answers as they are given, smoothed: a little above the
        2 Σ √(W₊ W₋) that the pivot was chosen by. The training Hamming loss is at most their product.
    n_estimators_ : int
        How many rounds were kept.

    Examples
    --------
    >>> from classmark import AdaBoostMH
    >>> X = [[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0]]
    >>> model = AdaBoostMH(n_estimators=3).fit(X, ["owl", "owl", "gull", "gull"])
    >>> model.predict([[0, 2, 0]])
    array(['gull'], dtype='<U4')
    >>> model.pivots_
    array([0, 0, 0], dtype=int32)
    """

    criterion: ChosenBy = "z"
    intervals: Annotated[
        int,
        integer(ge=2, le=1000),
        "Into how many intervals the values of a term are cut, one of them 0; with 2 a term is present or absent.",
    ] = 2

    def check(self) -> None:
        """Refuse parameters that cannot be, alone or together."""
        super().check()
        if self.intervals > 2 and (self.prediction, self.criterion) != ("real", "z"):
            raise InputError(f"{self.intervals} intervals go with real predictions and the choice by Z only")

    def _read(self, X: csr_array, *, learn: bool = False) -> csr_array:
        if self.intervals == 2:
            return super()._read(X)
        if learn:
            self.cuts_ = find_cuts(X, self.intervals)
        return interval_columns(X, self.cuts_)

    @property
    def learns_in_parts(self) -> bool:
        """Whether rows may be in parts elsewhere: not where some are held out or looked at by their values."""
        return self.intervals == 2 and self.validation_fraction is None and not self.warm_start

    def _rows_of_tables(self, X: csr_array) -> int:
        if self.intervals > 2:
            return X.shape[1] * (self.intervals - 1)
        return n_rows(X, rare(self.ends_.size), merge=is_single(self._policy()))

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
        prediction, place = PREDICTIONS[self.prediction], elsewhere()
        settings: dict[str, Any] = {
            "prediction": prediction,
            "criterion": merits.F1 if self.criterion == "f1" else prediction,
            "epsilon": epsilon,
            "margins": margins,
            "merge": is_single(self._policy()),
        }
        if place is not None:
            return SpreadEngine(place, X, labels, weight, **settings)
        return Engine(X, labels, weight, **settings, n_threads=n_threads(self.n_jobs))
