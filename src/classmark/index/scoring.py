"""How near two documents are: BM25 as lshtc_knn_2014 prints it, Okapi's BM25, and the share of common features.

The paper's symbols: TF(w, d) is a *frequency*, |d| a *length*, the sum of a document's frequencies, s (once a) the
*mean length*; N is the number of documents and N_0 the number of those with a term. Its section "Preliminaries" has

    BM25(d1, d2) = Σ TF_1(w, d1) · TF_1(w, d2) · IDF_1(w) over the common terms w,
    IDF_1(w)     = log((N - N_0 + 0.5) / (N_0 + 0.5)),
    TF_1(w, d)   = (k1 + 1) TF(w, d) / (k1 + 1 - b + b |d| / s).

`printed` is this. `okapi` has k1 (1 - b + b |d| / s) + TF(w, d) for the denominator, so that a term which a document
repeats counts less and less.

IDF_1 is Robertson's (`robertson`): half of the documents weigh a term at nothing, and where more have it, it would be
negative and counts as 0. So nothing is near anything among two documents, and little among a few. Lucene's (`lucene`)
has 1 more inside the logarithm, log(1 + (N - N_0 + 0.5) / (N_0 + 0.5)), which stays above 0.

`overlap` is "Basic K-nearest neighbours": documents with N_1 and N_2 features, C_f of them common, are at the distance
(N_1 + N_2 - 2 C_f) / (N_1 + N_2 - C_f). Here larger is nearer, so the score is 1 minus that: C_f / (N_1 + N_2 - C_f).

All three are made of local weights of one form, scale · TF / (saturation · TF + norm), with a *norm* for every
document: for `overlap` it is 0, which leaves 1 for every term that is there.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from classmark.arrays import Floats
from classmark.errors import InputError


class Scoring(NamedTuple):
    """One measure: the parts of a local weight, and whether common features are counted."""

    scale: Callable[[float], float]
    saturation: float
    norms: Callable[[Floats, float, float], Floats]
    is_overlap: bool = False


class Measure(NamedTuple):
    """How documents are scored: a name in `SCORINGS`, BM25's two parameters, and a name in `IDFS`."""

    scoring: str
    k1: float
    b: float
    idf: str


def robertson_idf(documents: int, frequencies: npt.NDArray[np.int64]) -> Floats:
    """Give IDF_1, 0 where it would be negative.

    >>> robertson_idf(3, np.array([1, 2])).round(4).tolist()  # ln(2.5 / 1.5), ln(1.5 / 2.5) < 0
    [0.5108, 0.0]
    """
    return np.asarray(np.maximum(np.log((documents - frequencies + 0.5) / (frequencies + 0.5)), 0.0))


def lucene_idf(documents: int, frequencies: npt.NDArray[np.int64]) -> Floats:
    """Give the IDF of Lucene, above 0 for any term.

    >>> lucene_idf(3, np.array([1, 2])).round(4).tolist()  # ln(1 + 2.5 / 1.5), ln(1 + 1.5 / 2.5)
    [0.9808, 0.47]
    """
    return np.asarray(np.log1p((documents - frequencies + 0.5) / (frequencies + 0.5)))


def plain_idf(documents: int, frequencies: npt.NDArray[np.int64]) -> Floats:
    """Give the IDF that chooses a query's heaviest terms, ln(N / N_0), and 0 for a term in no document.

    >>> plain_idf(4, np.array([1, 4, 0])).round(4).tolist()
    [1.3863, 0.0, 0.0]
    """
    return np.where(frequencies > 0, np.log(max(documents, 1) / np.maximum(frequencies, 1)), 0.0)


SCORINGS: dict[str, Scoring] = {
    "okapi": Scoring(lambda k1: k1 + 1, 1.0, lambda relative, k1, b: k1 * (1 - b + b * relative)),
    "printed": Scoring(lambda k1: k1 + 1, 0.0, lambda relative, k1, b: k1 + 1 - b + b * relative),
    "overlap": Scoring(lambda k1: 1.0, 1.0, lambda relative, k1, b: np.zeros_like(relative), is_overlap=True),
}
IDFS: dict[str, Callable[[int, npt.NDArray[np.int64]], Floats]] = {"robertson": robertson_idf, "lucene": lucene_idf}


def checked_measure(scoring: str, k1: float, b: float, idf: str) -> Measure:
    """Give a measure; refuse one that does not exist, and parameters that make no sense.

    >>> checked_measure("okapi", 1.2, 2, "lucene")
    Traceback (most recent call last):
    classmark.errors.InputError: k1=1.2 and b=2 are not allowed: give k1 from 0 and b from 0 to 1
    """
    if scoring not in SCORINGS:
        raise InputError(f"scoring={scoring!r} is not known: give one of {', '.join(SCORINGS)}")
    if idf not in IDFS:
        raise InputError(f"idf={idf!r} is not known: give one of {', '.join(IDFS)}")
    if not 0 <= k1 < np.inf or not 0 <= b <= 1:
        raise InputError(f"k1={k1!r} and b={b!r} are not allowed: give k1 from 0 and b from 0 to 1")
    return Measure(scoring, float(k1), float(b), idf)


def idf_of(documents: int, frequencies: npt.NDArray[np.int64], measure: Measure) -> Floats:
    """Give the weights of terms by the number of documents that have them: 1 where common features are counted.

    >>> idf_of(3, np.array([1, 2]), Measure("overlap", 1.2, 0.75, "lucene"))
    array([1., 1.])
    """
    if SCORINGS[measure.scoring].is_overlap:
        return np.ones(len(frequencies))
    return IDFS[measure.idf](documents, frequencies)


def norms_of(lengths: Floats, mean: float, measure: Measure) -> npt.NDArray[np.float32]:
    """Give the norms of documents; a length that is not a number is that of a deleted document, whose norm is ∞.

    >>> norms_of(np.array([2.0, 4.0, np.nan]), 2.0, Measure("okapi", 1.0, 0.5, "lucene")).tolist()
    [1.0, 1.5, inf]
    """
    norms = SCORINGS[measure.scoring].norms(lengths / (mean or 1.0), measure.k1, measure.b)
    return np.where(np.isnan(lengths), np.inf, norms).astype(np.float32)


def local_weights(
    frequencies: npt.NDArray[np.floating], norms: npt.NDArray[np.floating], measure: Measure
) -> npt.NDArray[np.float32]:
    """Give TF_1 of frequencies in documents with these norms.

    >>> local_weights(np.array([2.0]), np.array([1.5]), Measure("okapi", 1.0, 0.5, "lucene"))  # 2 · 2 / (2 + 1.5)
    array([1.1428572], dtype=float32)
    """
    chosen = SCORINGS[measure.scoring]
    weights = chosen.scale(measure.k1) * frequencies / (chosen.saturation * frequencies + norms)
    return np.asarray(weights, dtype=np.float32)
