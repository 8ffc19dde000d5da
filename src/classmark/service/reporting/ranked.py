"""Precision and recall at every threshold, from the best-scored pairs of a document and a category.

All pairs would be documents × categories many. The best ones are kept, as many as memory should hold: where some are
left out, the curve ends at the threshold from which on they would be needed, and is exact up to there.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats

MOST_PAIRS = 1 << 21
"""So many pairs are kept at least, where there are so many."""


class PrecisionRecall(NamedTuple):
    """What would come out at each threshold, from the highest one down."""

    thresholds: Floats
    precision: Floats
    recall: Floats

    @property
    def f1(self) -> Floats:
        """The harmonic mean of both; 0 where both are."""
        both = self.precision + self.recall
        return np.divide(2 * self.precision * self.recall, both, out=np.zeros_like(both), where=both > 0)


class RankedPairs:
    """Takes pairs in, a batch of documents at a time, and keeps the best.

    Examples
    --------
    >>> pairs = RankedPairs()
    >>> pairs.add(np.array([[0.9, 0.2], [0.6, 0.6]]), csr_array([[True, False], [False, True]]))
    >>> found = pairs.curve()
    >>> found.thresholds, found.precision, found.recall
    (array([0.9, 0.6, 0.2]), array([1. , 0.66666667, 0.5 ]), array([0.5, 1. , 1. ]))
    """

    def __init__(self, most: int = MOST_PAIRS) -> None:
        self._most = most
        self._values, self._right = np.empty(0), np.empty(0, dtype=bool)
        self._least = -np.inf
        self._positives = 0

    def add(self, values: Floats, true: csr_array) -> None:
        """Take in what documents score for categories, and which of these they have."""
        right = true.toarray().astype(bool)
        self._positives += int(right.sum())
        # Nothing is known of what scores minus infinity, and no threshold ever lets it in.
        kept = values > self._least
        self._values = np.concatenate([self._values, values[kept]])
        self._right = np.concatenate([self._right, right[kept]])
        if self._values.size > 2 * self._most:
            self._shorten()

    def _shorten(self) -> None:
        """Leave out the worse half; equals go together."""
        self._least = float(np.partition(self._values, -self._most)[-self._most])
        kept = self._values > self._least
        self._values, self._right = self._values[kept], self._right[kept]

    def curve(self) -> PrecisionRecall | None:
        """Give the curve; none where no category is right for any document, or nothing has a score."""
        if not self._positives or not self._values.size:
            return None
        order = np.argsort(-self._values, kind="stable")
        values, right = self._values[order], np.cumsum(self._right[order])
        ends: npt.NDArray[np.intp] = np.flatnonzero(np.append(values[1:] != values[:-1], True))
        return PrecisionRecall(values[ends], right[ends] / (ends + 1), right[ends] / self._positives)
