"""From counts to weights: what a term says in its document, times what it says in the collection.

A scheme is an entry of `SCHEMES`: a *local* function, which turns the counts of a matrix into the weights of
its entries, and a *global* one, which learns one weight a term from the training matrix. Both get the whole
matrix, because some schemes need more than one entry at a time (the lengths of documents, for example).

The symbols: tf is a term's count in a document, df the number of documents with the term, N the number of
all, and idf = ln((1 + N) / (1 + df)) + 1, scikit-learn's smooth idf: as if one more document had every term.

BM25 has the idf ln((N - df + 1/2) / (df + 1/2)), 0 where that is negative, and with a document's length l over the
mean length the local weight (k1 + 1) tf / (tf + k1 (1 - b + b l)), Okapi's, which saturates; lshtc_knn_2014 prints
(k1 + 1) tf / (k1 + 1 - b + b l), which does not (`bm25-printed`). Log-entropy is ln(1 + tf) times 1 minus the term's
entropy over the documents divided by ln N.
"""

from collections.abc import Callable
from dataclasses import field
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from classmark.arrays import Floats
from classmark.checks import BOOLEAN
from classmark.parameters import Parameterized
from classmark.parted import PartedMatrix, Rows, added, by_rows, here
from classmark.text.settings import K1, B, Norm, Weighting

__all__ = ["SCHEMES", "TermWeighting"]


class Lengths(NamedTuple):
    """What BM25 knows of lengths: those of the documents over the mean, their entries, and its two parameters."""

    documents: Floats
    entries: NDArray[np.integer]
    k1: float
    b: float

    @property
    def relative(self) -> Floats:
        """The relative length of each entry's document."""
        return np.repeat(self.documents, self.entries)


class Scheme(NamedTuple):
    """A way to weigh: `entries` gives the new data of a matrix, `terms` one weight a column."""

    entries: Callable[[Floats, Lengths], Floats]
    terms: Callable[[Rows], Floats]


def _as_is(tf: Floats, lengths: Lengths) -> Floats:
    return tf


def _okapi(tf: Floats, lengths: Lengths) -> Floats:
    k1, b = lengths.k1, lengths.b
    return np.asarray((k1 + 1) * tf / (tf + k1 * (1 - b + b * lengths.relative)))


def _as_printed(tf: Floats, lengths: Lengths) -> Floats:
    k1, b = lengths.k1, lengths.b
    return np.asarray((k1 + 1) * tf / (k1 + 1 - b + b * lengths.relative))


def _none(counts: Rows) -> Floats:
    return np.ones(counts.shape[1])


def _df(counts: Rows) -> NDArray[np.int64]:
    """Give how many documents each term is in."""
    return np.asarray(added(counts, _df_here))


def _df_here(counts: csr_array) -> NDArray[np.int64]:
    return np.bincount(counts.indices, minlength=counts.shape[1])


def _lengths_here(counts: csr_array) -> Floats:
    return np.asarray(counts.sum(axis=1), dtype=np.float64)


def _robertson_idf(counts: Rows) -> Floats:
    n_documents, df = counts.shape[0], _df(counts)
    # A term in more than half of the documents would count against them: it counts nothing.
    return np.asarray(np.maximum(np.log((n_documents - df + 0.5) / (df + 0.5)), 0.0))


def _entropy(counts: Rows) -> Floats:
    # Sums of logarithms have other last digits in another order.
    counts = here(counts)
    n_documents, n_terms = counts.shape
    total = np.bincount(counts.indices, weights=counts.data, minlength=n_terms)
    chance = counts.data / total[counts.indices]
    disorder = np.bincount(counts.indices, weights=-chance * np.log(chance), minlength=n_terms)
    order = 1.0 - disorder / np.log(max(2, n_documents))
    # Of a term that is spread evenly, rounding may leave a little of either sign; a norm would scale it up to 1.
    return np.where(order > np.finfo(np.float64).eps * n_documents, order, 0.0)


SCHEMES = {
    "binary": Scheme(lambda tf, lengths: np.ones_like(tf), _none),
    "counts": Scheme(_as_is, _none),
    "tfidf": Scheme(_as_is, lambda counts: np.log((1 + counts.shape[0]) / (1 + _df(counts))) + 1),
    "bm25": Scheme(_okapi, _robertson_idf),
    "bm25-printed": Scheme(_as_printed, _robertson_idf),
    "log-entropy": Scheme(lambda tf, lengths: np.log1p(tf), _entropy),
}
"""Name → scheme."""


class TermWeighting(Parameterized, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Weighs the terms of a count matrix.

    Attributes
    ----------
    idf_ : ndarray of shape (n_features_in_,)
        What each column is multiplied by: the idf, or 1 where the scheme has none.
    mean_length_ : float
        The mean of the documents' lengths, the sums of their counts.
    n_features_in_ : int
        The number of columns seen in `fit`.

    Examples
    --------
    >>> weighting = TermWeighting("tfidf", norm="l1").fit([[1, 1], [0, 3]])
    >>> weighting.idf_.round(3)
    array([1.405, 1.   ])
    >>> weighting.transform([[2, 0], [1, 1]]).round(3)
    array([[1.   , 0.   ],
           [0.584, 0.416]])
    """

    scheme: Weighting = field(default="tfidf", kw_only=False)
    sublinear: Annotated[bool, BOOLEAN, "Whether tf is replaced by 1 + ln tf."] = False
    norm: Norm = "l2"
    k1: K1 = 1.2
    b: B = 0.75

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the weights of the terms.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_documents, n_terms)
            Counts, not negative; or rows of them on the workers of a cluster.
        y : ignored
            Part of scikit-learn's contract.

        Returns
        -------
        TermWeighting
            Itself.
        """
        self.check()
        counts = X if isinstance(X, PartedMatrix) else self._counts(X, reset=True)
        self.n_features_in_ = counts.shape[1]
        self.idf_ = SCHEMES[self.scheme].terms(counts)
        # Row by row first: so the sum is the same wherever the rows are.
        self.mean_length_ = float(by_rows(counts, _lengths_here).sum() / counts.shape[0])
        return self

    def transform(self, X: Any) -> Any:
        """Weigh the terms of documents.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_documents, n_terms)
            Counts, not negative. It is not changed.

        Returns
        -------
        csr_array or ndarray of shape (n_documents, n_terms)
            Sparse if X is sparse. What weighing leaves as it is shares the memory of X.
        """
        check_is_fitted(self)
        weights = self._counts(X, reset=False)
        counts = weights.data
        tf = 1 + np.log(counts) if self.sublinear else counts
        weights.data = SCHEMES[self.scheme].entries(tf, self._lengths(weights))
        # The shorter of the two is looked at: a server asks about one document and a million terms.
        if ((self.idf_ if weights.nnz > self.idf_.size else self.idf_[weights.indices]) != 1).any():
            weights.data = weights.data * self.idf_[weights.indices]
        if self.norm is not None and weights.nnz:
            weights = normalize(weights, norm=self.norm, copy=weights.data is counts)
        return weights if issparse(X) else weights.toarray()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def _lengths(self, counts: csr_array) -> Lengths:
        """Give the length of each document over the mean length."""
        lengths = np.asarray(counts.sum(axis=1)) / (self.mean_length_ or 1.0)
        return Lengths(lengths, np.diff(counts.indptr), self.k1, self.b)

    def _counts(self, X: Any, *, reset: bool) -> csr_array:
        """Return X as CSR with one entry for each present term, after scikit-learn's checks; a copy if it is not so."""
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset, ensure_min_samples=int(reset))
        check_non_negative(X, type(self).__name__)
        counts = csr_array(X)
        if not (counts.has_canonical_format and counts.data.all()):
            counts = counts.copy()
            counts.sum_duplicates()
            counts.eliminate_zeros()  # a stored 0 is no presence, and has no logarithm
        return counts
