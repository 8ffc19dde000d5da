"""Documents brought to one length, so that a long one is no surer of its place than a short one.

A multinomial takes every word as independent evidence; raw counts make its posteriors over-confident, and EM then
keeps its first mistakes. Weights log(1 + tf) · ln((N + 1) / (df + 1)), scaled to the same sum in every document, hold
the evidence of a document constant.
"""

import numpy as np
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.parted import Rows, added


def document_frequency(X: Rows, weight: Floats) -> Floats:
    """Give the number of documents that every term is in, each counted by its weight.

    >>> document_frequency(csr_array([[1.0, 2.0], [0.0, 1.0]]), np.ones(2))
    array([1., 2.])
    """
    return np.asarray(added(X, _weights_of_terms, aligned=(weight,)))


def _weights_of_terms(X: csr_array, weight: Floats) -> Floats:
    present = np.repeat(weight, np.diff(X.indptr)) * (X.data > 0)
    return np.bincount(X.indices, weights=present, minlength=X.shape[1]).astype(np.float64)


def inverse_frequency(df: Floats, documents: float) -> Floats:
    """Give ln((N + 1) / (df + 1)) of every term.

    >>> inverse_frequency(np.array([1.0, 2.0]), 2).round(3)
    array([0.405, 0.   ])
    """
    return np.asarray(np.log((documents + 1) / (df + 1)))


def scaled(X: csr_array, idf: Floats, length: float) -> csr_array:
    """Give log(1 + tf) · idf, every document with the sum `length`; one without a known term stays empty.

    >>> scaled(csr_array([[1.0, 1.0, 3.0]]), np.array([1.0, 3.0, 0.0]), 60).toarray()
    array([[15., 45.,  0.]])
    """
    data = np.log1p(X.data) * idf[X.indices]
    sums = np.add.reduceat(np.append(data, 0.0), X.indptr[:-1]) if X.shape[0] else np.empty(0)
    sums[np.diff(X.indptr) == 0] = 0.0
    factors = np.divide(length, sums, out=np.zeros_like(sums), where=sums > 0)
    matrix = csr_array((data * np.repeat(factors, np.diff(X.indptr)), X.indices, X.indptr), shape=X.shape)
    if not (data > 0).all():
        matrix = matrix.copy()
        matrix.eliminate_zeros()
    return matrix
