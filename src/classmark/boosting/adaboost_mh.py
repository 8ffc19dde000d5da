"""AdaBoost.MH: boosting with decision stumps on single terms, all categories sharing the pivot of a round.

Schapire and Singer, "BoosTexter", Machine Learning 39 (2000); treeboost_mh_2006, section 2; adaboost_mh_kr_2000,
section 2.

For real-valued terms a stump has a branch for each of several intervals (section 5 of the latter). The values of a
term, such as tf-idf weights, are cut into Y intervals: the first is 0, the term being absent, the
others hold equally many of all values above 0. Every interval but the first becomes a column of its own, and a stump on
a term has an answer for each. The rounds are the textbook's: two sparse products each, no tables.
"""

from contextlib import nullcontext
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.boosting import merits
from classmark.boosting.booster import PREDICTIONS, Booster, BoostingEngine
from classmark.boosting.committee import is_single
from classmark.boosting.engine import DOUBT, TIED, Engine, Stumps, n_rows, rare
from classmark.boosting.spread import SpreadEngine
from classmark.checks import choice, integer
from classmark.errors import InputError
from classmark.parallel import elsewhere, n_threads
from classmark.persistence import State, checked_array


def find_cuts(X: csr_array, intervals: int) -> Floats:
    """Give the values between the intervals above 0.

    >>> find_cuts(csr_array([[0.1, 0.2], [0.0, 0.9]]), 3)
    array([0.2])
    """
    values = X.data[X.data > 0]
    if not values.size:
        return np.zeros(intervals - 2)
    return np.asarray(np.quantile(values, np.arange(1, intervals - 1) / (intervals - 1)))


def interval_columns(X: csr_array, cuts: Floats) -> csr_array:
    """Give every interval above 0 a column of 0 and 1, those of a term side by side.

    >>> interval_columns(csr_array([[0.1, 0.2], [0.0, 0.9]]), np.array([0.5])).toarray()
    array([[1., 0., 1., 0.],
           [0., 0., 0., 1.]])
    """
    X = X.copy()
    X.eliminate_zeros()
    width = cuts.size + 1
    columns = X.indices.astype(np.int64) * width + np.searchsorted(cuts, X.data, side="left")
    return csr_array((np.ones(X.nnz), columns, X.indptr), shape=(X.shape[0], X.shape[1] * width))


class IntervalEngine:
    """The state of boosting between rounds; X has `width` columns for each term, at most one of them 1."""

    def __init__(
        self, X: csr_array, labels: csr_array, weight: Floats, *, width: int, epsilon: float, margins: Floats | None
    ) -> None:
        self.width, self.epsilon = width, epsilon
        self.by_column = csr_array(X.T)
        self.positive = labels.toarray() != 0
        self.weights = np.repeat((weight / (weight.sum() * labels.shape[1]))[:, None], labels.shape[1], axis=1)
        if margins is not None:
            self.weights *= np.exp(np.where(self.positive, -margins, margins))
            self.weights /= self.weights.sum()

    running = nullcontext

    def best(self, count: int = 1) -> Stumps:
        """Find the terms whose branches make Z smallest; give each as stumps on its columns that sum to its answer.

        There is a cost for each term, and `width` columns and answers. With a_0 for an absent term and a_y for interval
        y, each of its columns says a_0 / width where it is 0; where column y is 1, the others' share of a_0 is taken
        from a_y.
        """
        sides = [self.weights * self.positive, self.weights * ~self.positive]
        inside = [(self.by_column @ side).reshape(-1, self.width, side.shape[1]) for side in sides]
        outside = [
            np.maximum(side.sum(axis=0) - found.sum(axis=1), 0.0) for side, found in zip(sides, inside, strict=True)
        ]
        z = 2.0 * (np.sqrt(inside[0] * inside[1]).sum(axis=(1, 2)) + np.sqrt(outside[0] * outside[1]).sum(axis=1))
        terms = self._ranked(z, count, sides, inside, outside)
        self._columns = (terms[:, None] * self.width + np.arange(self.width)).ravel()
        absent, present = (
            0.5 * np.log((found[0][terms] + self.epsilon) / (found[1][terms] + self.epsilon))
            for found in (outside, inside)
        )
        answers = np.empty((terms.size, self.width, 2, absent.shape[1]))
        answers[:, :, 0] = absent[:, None] / self.width
        answers[:, :, 1] = present - absent[:, None] * (self.width - 1) / self.width
        self._answers = answers.reshape(-1, 2, absent.shape[1])
        return Stumps(self._columns, self._answers, z[terms])

    def _ranked(
        self, z: Floats, count: int, sides: list[Floats], inside: list[Floats], outside: list[Floats]
    ) -> npt.NDArray[np.intp]:
        """Choose the best terms one after the other, of those tied the first; z and outside are mended on the way."""
        chosen: list[int] = []
        left, mended = z.copy(), np.zeros(z.size, dtype=bool)
        for _ in range(min(count, z.size)):
            # A difference loses digits: what is near the best is summed again over the documents without the term.
            for near in np.flatnonzero((left <= left.min() + DOUBT) & ~mended):
                without = np.ones(self.weights.shape[0], dtype=bool)
                without[self.by_column[near * self.width + np.arange(self.width)].indices] = False
                for found, side in zip(outside, sides, strict=True):
                    found[near] = side[without].sum(axis=0)
                parts = (np.sqrt(found[0][near] * found[1][near]).sum() for found in (inside, outside))
                left[near] = z[near] = 2.0 * sum(parts)
                mended[near] = True
            chosen.append(int(np.argmax(left <= left.min() + TIED)))
            left[chosen[-1]] = np.inf
        return np.array(chosen)

    def apply(self, count: int = 1) -> float:
        """Multiply the distribution by what the mean of the first terms found last says; give its normaliser Z."""
        columns = self._columns[: count * self.width]
        answers = self._answers[: count * self.width] / count
        values = np.repeat(answers[:, 0].sum(axis=0)[None, :], self.weights.shape[0], axis=0)
        for column, (absent, present) in zip(columns, answers, strict=True):
            documents: npt.NDArray[np.int32] = self.by_column[[column]].indices
            values[documents] += present - absent
        self.weights *= np.exp(np.where(self.positive, -values, values))
        z = float(self.weights.sum())
        self.weights /= z
        return z

    def to_state(self) -> dict[str, Floats]:
        """Give the distribution, on which the next round depends."""
        return {"weights": self.weights}

    def take_up(self, state: dict[str, Floats]) -> None:
        """Go on from what `to_state` gave to an engine of the same problem."""
        self.weights[...] = state["weights"]


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
