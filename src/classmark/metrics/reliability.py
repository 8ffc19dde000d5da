"""Probabilities judged a batch of documents at a time: the same figures as over all of them at once."""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.metrics.calibration import Calibration, brier_score, expected_calibration_error, log_loss


class Reliability:
    """The Brier score, the log loss and the calibration error (ten bins of equal width) over all pairs added.

    Examples
    --------
    >>> found = Reliability()
    >>> found.add(csr_array([[True, False]]), [[0.75, 0.5]])
    >>> found.add(csr_array([[True, False]]), [[1.0, 0.5]])
    >>> found.figures()["brier_score"]  # (0.25² + 0.5² + 0² + 0.5²) / 4
    0.140625
    """

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._means: list[tuple[float, float]] = []
        self._tables: list[Calibration] = []

    @classmethod
    def of(cls, true: csr_array, probabilities: npt.ArrayLike) -> "Reliability":
        """Judge all documents at once."""
        found = cls()
        found.add(true, probabilities)
        return found

    def add(self, true: csr_array, probabilities: npt.ArrayLike) -> None:
        """Take in some documents: their label sets, as they are, and a number >= 0 and <= 1 for every node."""
        self._means.append((brier_score(true, probabilities), log_loss(true, probabilities)))
        self._tables.append(expected_calibration_error(true, probabilities))
        self._sizes.append(true.shape[0] * true.shape[1])

    def figures(self) -> dict[str, float]:
        """Give `brier_score`, `log_loss` and `calibration_error` over everything that was added."""
        if len(self._sizes) == 1:
            return _named(*self._means[0], self._tables[0].error)
        sizes = np.array(self._sizes)
        brier, loss = (sizes @ np.array(self._means)) / sizes.sum()
        return _named(float(brier), float(loss), self.table().error)

    def table(self) -> Calibration:
        """Give the table of bins over everything that was added.

        >>> found = Reliability.of(csr_array([[True, False]]), [[0.75, 0.25]]).table()
        >>> found.counts[[2, 7]], found.observed[[2, 7]]
        (array([1, 1]), array([0., 1.]))
        """
        counts = np.array([table.counts for table in self._tables])
        # The mean of an empty bin is NaN, and weighs nothing.
        expected, came_true = (
            np.nansum(counts * np.array([getattr(table, name) for table in self._tables]), axis=0)
            for name in ("predicted", "observed")
        )
        sums, error = counts.sum(axis=0), float(np.abs(came_true - expected).sum() / counts.sum())
        means = (
            np.divide(some, sums, out=np.full(sums.size, np.nan), where=sums > 0) for some in (expected, came_true)
        )
        return Calibration(error, self._tables[0].edges, sums, *means)


def _named(brier: float, loss: float, error: float) -> dict[str, float]:
    return {"brier_score": brier, "log_loss": loss, "calibration_error": error}
