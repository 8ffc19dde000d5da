"""Real-valued terms: a stump with a branch for each of several intervals (adaboost_mh_kr_2000, section 5).

The values of a term, such as tf-idf weights, are cut into Y intervals: the first is 0, the term being absent, the
others hold equally many of all values above 0. Every interval but the first becomes a column of its own, and a stump on
a term has an answer for each. The rounds are the textbook's: two sparse products each, no tables.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.boosting.engine import DOUBT, TIED, Stumps


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

    @contextmanager
    def running(self) -> Iterator[None]:
        """Have no threads to keep."""
        yield

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
