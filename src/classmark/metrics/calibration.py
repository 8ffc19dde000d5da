"""How far predicted probabilities can be believed.

`true` is a boolean indicator y, documents × nodes, and `probabilities` an array p of the same shape. There are two ways
to look at them, the argument `over`:

- `"pairs"`: each pair of a document and a node is a yes-or-no question of its own, as where a document may have any
  number of labels. All averages go over the pairs.
- `"rows"`: each document has exactly one label, and its row of p is a distribution over the nodes looked at (it is
  taken as it is and not rescaled). All averages go over the documents.

With N pairs or documents:

    Brier score, pairs:  Σ (p − y)² / N                            rows:  Σ over documents of Σ over nodes (p − y)² / N
    log loss, pairs:     −Σ (y log p + (1 − y) log(1 − p)) / N     rows:  −Σ over documents of log p[true label] / N
    ECE:                 Σ over bins of (n_b / N) |mean y of the bin − mean p of the bin|

The logarithm is natural, and p is first clipped to [clip, 1 − clip], so that one certain error does not make the loss
infinite. For the expected calibration error the predictions are put into bins by p; over rows, p is a document's
highest probability and y says whether that node is its label. A bin is open below and closed above; the first has its
lower edge too. In bins of equal mass, the prediction that s of N predictions are smaller than is in bin ⌊n_bins s / N⌋,
counted from 0: bins of different predictions differ by one at most, and equal ones stay together. No ratio here is ever
0/0: there is at least one document, and an empty bin weighs nothing.

`Reliability` computes the same metrics batch by batch.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.errors import InputError
from classmark.metrics.ranking import restrict

CLIP = float(np.finfo(np.float64).eps)


# eq=False: numpy compares arrays element by element, so a generated == could only raise.
@dataclass(frozen=True, eq=False)
class Calibration:
    """The expected calibration error, and the table of bins behind it, ready to be plotted.

    Attributes
    ----------
    error : float
        The expected calibration error.
    edges : array of float, (n_bins + 1,)
        The bins' lower and upper edges.
    counts : array of int, (n_bins,)
        The number of predictions in each bin.
    predicted, observed : arrays of float, (n_bins,)
        The mean probability and the share of true ones in each bin; NaN where a bin is empty.
    """

    error: float
    edges: Floats
    counts: npt.NDArray[np.int64]
    predicted: Floats
    observed: Floats


def brier_score(
    true: csr_array, probabilities: npt.ArrayLike, *, over: str = "pairs", nodes: npt.ArrayLike | None = None
) -> float:
    """Give the mean squared difference between probabilities and what is true.

    Parameters
    ----------
    true : csr_array of bool, (n_documents, n_nodes)
        The label sets, as they are.
    probabilities : array of float, (n_documents, n_nodes)
        Numbers from 0 to 1.
    over : "pairs" or "rows"
        Average over pairs of a document and a node, from 0 to 1; or sum over the nodes and average over the documents,
        from 0 to 2, for one label a document.
    nodes : array of int, optional
        The positions of the nodes to look at; all by default.

    Examples
    --------
    >>> true, probabilities = csr_array([[True, False]]), [[0.75, 0.5]]
    >>> brier_score(true, probabilities)  # (0.25² + 0.5²) / 2
    0.15625
    >>> brier_score(true, probabilities, over="rows")
    0.3125
    """
    labels, values = _check(true, probabilities, over, nodes)
    squares = (values - labels.toarray()) ** 2
    return float(squares.mean() if over == "pairs" else squares.sum(axis=1).mean())


def log_loss(
    true: csr_array,
    probabilities: npt.ArrayLike,
    *,
    over: str = "pairs",
    nodes: npt.ArrayLike | None = None,
    clip: float = CLIP,
) -> float:
    """Give the mean negative logarithm of the probability given to what is true.

    Parameters
    ----------
    true, probabilities, nodes
        As for `brier_score`.
    over : "pairs" or "rows"
        Average over pairs of a document and a node, or over documents with one label each.
    clip : float, above 0 and below 0.5
        Probabilities are moved into [clip, 1 − clip] first.

    Examples
    --------
    >>> true, probabilities = csr_array([[True, False]]), [[0.5, 0.25]]
    >>> round(log_loss(true, probabilities), 3)  # −(log 0.5 + log 0.75) / 2
    0.49
    >>> round(log_loss(true, probabilities, over="rows"), 3)  # −log 0.5
    0.693
    """
    if not 0 < clip < 0.5:
        raise InputError(f"clip={clip!r}: must be a number > 0 and < 0.5")
    labels, values = _check(true, probabilities, over, nodes)
    documents, columns = labels.tocoo().coords
    given = np.clip(values[documents, columns], clip, 1 - clip)
    if over == "rows":
        return float(-np.log(given).mean())
    # The logarithm of 1 − p for every pair, put right at the few pairs that are true.
    refused = np.log1p(-np.clip(values, clip, 1 - clip)).sum()
    return float(-(refused + (np.log(given) - np.log1p(-given)).sum()) / values.size)


def expected_calibration_error(
    true: csr_array,
    probabilities: npt.ArrayLike,
    *,
    n_bins: int = 10,
    bins: str = "width",
    over: str = "pairs",
    nodes: npt.ArrayLike | None = None,
) -> Calibration:
    """Compare probabilities with how often they come true, bin by bin.

    Parameters
    ----------
    true, probabilities, nodes
        As for `brier_score`.
    n_bins : int
        The number of bins.
    bins : "width" or "mass"
        Bins of equal width from 0 to 1, or with equally many predictions as far as equal probabilities, which stay
        together, allow.
    over : "pairs" or "rows"
        A prediction is a pair of a document and a node; or a document's most probable node, the first of equals, for
        one label a document.

    Examples
    --------
    >>> true, probabilities = csr_array([[True, False], [True, True]]), [[0.9, 0.2], [0.7, 0.8]]
    >>> found = expected_calibration_error(true, probabilities, n_bins=2)
    >>> found.counts, found.predicted, found.observed
    (array([1, 3]), array([0.2, 0.8]), array([0., 1.]))
    >>> round(found.error, 3)  # 1/4 · |0 − 0.2| + 3/4 · |1 − 0.8|
    0.2
    """
    if bins not in EDGES:
        raise InputError(f"bins={bins!r}: must be one of {', '.join(map(repr, EDGES))}")
    if n_bins < 1:
        raise InputError(f"n_bins={n_bins!r}: must be an integer >= 1")
    labels, values = _check(true, probabilities, over, nodes)
    given, right = PREDICTIONS[over](labels, values)
    edges = EDGES[bins](given, n_bins)
    places = np.searchsorted(edges[1:-1], given)
    counts = np.bincount(places, minlength=n_bins)
    expected = np.bincount(places, weights=given, minlength=n_bins)
    came_true = np.bincount(places[right], minlength=n_bins)
    # The bins' sizes cancel: n_b |mean y − mean p| = |sum of y − sum of p|.
    error = float(np.abs(came_true - expected).sum() / given.size)
    return Calibration(error, edges, counts, _means(expected, counts), _means(came_true, counts))


def _most_probable(labels: csr_array, values: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    best = values.argmax(axis=1)
    return values[np.arange(best.size), best], labels.indices == best


PREDICTIONS: dict[str, Callable[[csr_array, Floats], tuple[Floats, npt.NDArray[np.bool_]]]] = {
    "pairs": lambda labels, values: (values.ravel(), labels.toarray().ravel()),
    "rows": _most_probable,
}
"""For each way to look at probabilities, the predictions and whether each comes true."""


def _edges_by_mass(ranked: Floats, n_bins: int) -> Floats:
    """Give the least and then the last prediction of each bin: that of rank ⌈i n / n_bins⌉, ranks from 1."""
    last = -(-np.arange(1, n_bins + 1) * ranked.size // n_bins) - 1
    return np.append(ranked[0], ranked[last])


EDGES: dict[str, Callable[[Floats, int], Floats]] = {
    "width": lambda given, n_bins: np.linspace(0, 1, n_bins + 1),
    "mass": lambda given, n_bins: _edges_by_mass(np.sort(given), n_bins),
}
"""For each kind of bins their edges."""


def _means(sums: npt.NDArray[np.number], counts: npt.NDArray[np.int64]) -> Floats:
    result = np.full(counts.size, np.nan)
    np.divide(sums, counts, out=result, where=counts > 0)
    return result


def _check(
    true: csr_array, probabilities: npt.ArrayLike, over: str, nodes: npt.ArrayLike | None
) -> tuple[csr_array, Floats]:
    """Refuse what are no probabilities, and, over rows, documents that have not one label."""
    if over not in PREDICTIONS:
        raise InputError(f"over={over!r}: must be one of {', '.join(map(repr, PREDICTIONS))}")
    labels, values = restrict(true, probabilities, nodes)
    if values.min() < 0 or values.max() > 1:
        raise InputError(
            f"the probabilities go from {values.min():g} to {values.max():g}; give numbers from 0 to 1, not raw scores"
        )
    sizes = np.diff(labels.indptr)
    if over == "rows" and (sizes != 1).any():
        document = int(np.argmax(sizes != 1))
        raise InputError(
            f"document {document} has {sizes[document]} labels among the nodes looked at; "
            "leave such documents out, or use over='pairs'"
        )
    return labels, values


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
