"""Similar documents: by the cosine between the weighted terms of their signatures."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from classmark.store.signatures import terms_of


class Like(NamedTuple):
    """A document among others, and how like it is, from 0 to 1."""

    position: int
    likeness: float


def nearest(rows: csr_array, row: csr_array, most: int, least: float) -> list[Like]:
    """Give the rows with the greatest cosine to one row, the most like first; rows of nothing are like none.

    Examples
    --------
    >>> rows = csr_array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
    >>> [(one.position, round(one.likeness, 3)) for one in nearest(rows, csr_array([[3.0, 0.0]]), 2, 0.1)]
    [(0, 1.0), (1, 0.707)]
    """
    products = np.asarray((rows @ row.T).todense(), dtype=np.float64).ravel()
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel() * row.multiply(row).sum())
    cosines = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    order = np.lexsort((np.arange(len(cosines)), -cosines))[:most]
    return [Like(int(place), min(float(cosines[place]), 1.0)) for place in order if cosines[place] >= least]


def rows_of(signatures: Sequence[bytes]) -> csr_array:
    """Return the weights of the terms of documents, a row each, from their signatures.

    A term that occurs f times in a document, and is in n of N documents, has the weight
    (1 + ln f) (1 + ln((1 + N) / (1 + n))).
    """
    terms = [terms_of(signature) for signature in signatures]
    hashes = np.concatenate([np.empty(0, np.uint32), *(term for term, _ in terms)])
    counts = np.concatenate([np.empty(0, np.uint8), *(count for _, count in terms)]).astype(np.float64)
    starts = np.concatenate([[0], np.cumsum([term.size for term, _ in terms], dtype=np.int64)])
    known, columns, documents = np.unique(hashes, return_inverse=True, return_counts=True)
    rarity = 1 + np.log((1 + len(signatures)) / (1 + documents))
    return csr_array(((1 + np.log(counts)) * rarity[columns], columns, starts), shape=(len(signatures), known.size))
