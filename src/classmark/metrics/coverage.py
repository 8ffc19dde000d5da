"""How good answers are where the least sure ones are left out.

Documents come in the order of the confidence in their answers, the surest first, and the measures are taken of the
first of them: of a tenth, two tenths and so on (Y. Geifman and R. El-Yaniv, "Selective classification for deep neural
networks", 2017). Documents of equal confidence stand together, in no order: of such a group as much counts as the share
asks for, every document of it by the same part.

A share c of n documents is c n documents. With the sums over these, documents cut by the share counting by that part:

    accuracy  the share whose label set is exactly right, ancestors included; a document that belongs nowhere and has no
              label is right
    first     the share whose best-scored category is one of the own labels, of those with a true label
    hf        hF, micro-averaged
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.metrics.evaluation import Evaluation
from classmark.metrics.first import check_first
from classmark.metrics.flat import Counts

SHARES = tuple(tenth / 10 for tenth in range(1, 11))


@dataclass(frozen=True, kw_only=True)
class CoveragePoint:
    """How good the surest answers are."""

    coverage: float
    """The share of documents that are answered."""
    confidence: float
    """The least confidence among them."""
    accuracy: float
    """The share of them whose label set is exactly right."""
    first: float
    """The share of those with a true label whose first category is right."""
    hf: float
    """Their hF."""


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """How good answers are against the share of documents answered."""

    area: float
    """The mean accuracy over every number of documents answered, from one to all."""
    points: Sequence[CoveragePoint]
    """The figures at some shares."""


def coverage_curve(
    true: csr_array,
    predicted: csr_array,
    first: npt.ArrayLike,
    confidence: npt.ArrayLike,
    hierarchy: Hierarchy,
    shares: Sequence[float] = SHARES,
) -> Coverage:
    """Measure the surest answers, more and more of them.

    Parameters
    ----------
    true, predicted : csr_array of bool, (n_documents, n_nodes)
        The label sets; ancestors are added here.
    first : array of int, (n_documents,)
        The position of each document's best-scored category, -1 where there is none, which counts as wrong.
    confidence : array of float, (n_documents,)
        How sure each answer is; only the order counts, and what is equal.
    hierarchy : Hierarchy
        The categories.
    shares : sequence of float
        The shares of documents to answer, above 0 and up to 1.

    Examples
    --------
    >>> flat = Hierarchy.flat("ab")
    >>> true, predicted = csr_array([[True, False]] * 4), csr_array([[True, False]] * 3 + [[False, True]])
    >>> curve = coverage_curve(true, predicted, [0, 0, 0, 1], [0.9, 0.8, 0.8, 0.8], flat, [0.25, 0.5, 1])
    >>> [round(point.accuracy, 3) for point in curve.points]  # of the second share one third of (2 right of 3)
    [1.0, 0.833, 0.75]
    """
    found = Evaluation(true, predicted, hierarchy, first=np.asarray(first))
    sure = _checked(np.asarray(confidence, dtype=np.float64), found)
    order = np.argsort(-sure, kind="stable")
    # After how many documents a group of equals ends, 0 among these.
    ends = np.append(0, np.flatnonzero(np.append(sure[order][1:] != sure[order][:-1], True)) + 1)
    sums = _sums(found, order)[:, ends]
    answered = _checked_shares(shares)
    # Rounded: 0.07 of a hundred documents are seven, whatever their product.
    asked = np.round(answered * order.size, 9)
    hits, firsts, labelled, shared, labels = (np.interp(asked, ends, some) for some in sums)
    figures = {
        "coverage": answered,
        "confidence": sure[order][ends[np.searchsorted(ends, asked)] - 1],
        "accuracy": hits / asked,
        "first": _ratio(firsts, labelled),
        "hf": _ratio(2 * shared, labels),
    }
    rows = zip(*(some.tolist() for some in figures.values()), strict=True)
    points = [CoveragePoint(**dict(zip(figures, row, strict=True))) for row in rows]
    every = np.arange(1, order.size + 1)
    return Coverage(area=float((np.interp(every, ends, sums[0]) / every).mean()), points=points)


def _checked(confidence: Floats, found: Evaluation) -> Floats:
    """Refuse what is not a number a document."""
    documents = found.own_true.shape[0]
    if not documents:
        raise InputError("no document to evaluate: the indicators have no rows; give at least one document")
    if confidence.shape != (documents,) or np.isnan(confidence).any():
        raise InputError(f"confidence has shape {confidence.shape}; give {documents} numbers, none of them NaN")
    check_first(np.asarray(found.first), found.own_true.shape)
    return confidence


def _checked_shares(shares: Sequence[float]) -> Floats:
    values = np.asarray(shares, dtype=np.float64)
    if values.ndim != 1 or not ((values > 0) & (values <= 1)).all():
        raise InputError(f"shares are {shares!r}; give numbers above 0 and up to 1")
    return values


def _sums(found: Evaluation, order: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """Sum over the first so many documents, none included: what is exactly right, first right, and so on."""
    counts = Counts.per_document(found.closed_true, found.closed_predicted)
    first = np.asarray(found.first)
    rows = np.flatnonzero(first >= 0)
    best = csr_array((np.ones(rows.size, dtype=bool), (rows, first[rows])), shape=found.own_true.shape)
    hit = Counts.per_document(found.own_true, best).tp
    exact = (counts.tp == counts.predicted) & (counts.tp == counts.true)
    table = np.array([exact, hit, found.has_label, counts.tp, counts.predicted + counts.true], dtype=np.int64)
    return np.concatenate([np.zeros((5, 1), dtype=np.int64), np.cumsum(table[:, order], axis=1)], axis=1)


def _ratio(some: Floats, whole: Floats) -> Floats:
    return np.divide(some, whole, out=np.zeros_like(some), where=whole > 0)
