"""A boosting problem as plain arrays: binary terms, positive pairs and the distribution over all pairs.

The papers' symbols: documents `d_i`, categories `c_j` and terms `t_k` are numbers here, `w_ki` is whether term k is
in document i, and `D_s(d_i, c_j)` is kept as *stored weight × scale*: after a round every document without the pivot
has its weight multiplied by a factor that depends on the category and the sign alone, so that factor goes into two
scale vectors, and only documents with the pivot change what is stored.

`State` and `Rule` are the arguments of every kernel of rounds with shared pivots.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array, csr_array

from classmark.arrays import Floats
from classmark.boosting.merits import Integers

ENTRIES_AT_A_TIME = 1 << 20


class Terms(NamedTuple):
    """Which documents have which terms, both ways, the rare terms last.

    Attributes
    ----------
    documents, starts : array of int
        The documents of term k are `documents[starts[k]:starts[k + 1]]`.
    of_documents, document_starts : array of int
        The terms of document i are `of_documents[document_starts[i]:document_starts[i + 1]]`, in order.
    frequent_stops : array of int
        Where in that the frequent terms of document i, which have rows in the tables, end.
    columns : array of int
        Each term's column in X.
    """

    documents: npt.NDArray[np.uint32]
    starts: npt.NDArray[np.int64]
    of_documents: npt.NDArray[np.uint32]
    document_starts: npt.NDArray[np.int64]
    frequent_stops: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int64]


class Pairs(NamedTuple):
    """The distribution over pairs of a document and a category.

    Attributes
    ----------
    labels, starts : array of int
        The categories of document i are `labels[starts[i]:starts[i + 1]]`.
    documents : array of int
        The document of each of these pairs.
    by_label, label_starts : array of int
        The pairs of category j are those at `by_label[label_starts[j]:label_starts[j + 1]]`.
    positive : array, (n_positive_pairs,)
        The stored weights of the positive pairs, in that order.
    negative : array, (n_documents, n_labels)
        The stored weights of the negative pairs; 0 where the pair is positive.
    """

    labels: npt.NDArray[np.uint32]
    starts: npt.NDArray[np.int64]
    documents: npt.NDArray[np.uint32]
    by_label: npt.NDArray[np.uint32]
    label_starts: npt.NDArray[np.int64]
    positive: npt.NDArray[np.float64]
    negative: npt.NDArray[np.float64]


def make_terms(X: csr_array, rare: int = 0, *, merge: bool = False) -> tuple[Terms, int]:
    """Read a matrix of term values as presence; give the terms and how many are frequent: in over `rare` documents.

    To merge is to keep the first of equal columns: where one pivot is chosen, ties go to the lowest index anyhow.

    >>> terms, n_frequent = make_terms(csr_array([[1.0, 0, 2], [0, 3, 0], [1, 0, 1]]), 1, merge=True)
    >>> terms.columns, terms.documents, n_frequent
    (array([0, 1]), array([0, 2, 1], dtype=uint32), 1)
    """
    by_term = csc_array((np.ones(X.nnz, dtype=np.int8), X.indices, X.indptr), shape=X.shape[::-1]).T.tocsc()
    by_term.sort_indices()
    firsts = _first_of_equal(by_term.indices, by_term.indptr) if merge else np.arange(X.shape[1])
    columns, n_frequent = frequent_first(firsts, np.diff(by_term.indptr)[firsts], rare)
    by_term = by_term[:, columns]
    by_document = by_term.tocsr()
    starts = by_document.indptr.astype(np.int64)
    terms = Terms(
        documents=by_term.indices.astype(np.uint32),
        starts=by_term.indptr.astype(np.int64),
        of_documents=by_document.indices.astype(np.uint32),
        document_starts=starts,
        frequent_stops=starts[:-1] + _counted(by_term.indices[: by_term.indptr[n_frequent]], X.shape[0]),
        columns=columns,
    )
    return terms, n_frequent


def frequent_first(
    columns: npt.NDArray[np.int64], sizes: npt.NDArray[np.integer[Any]], rare: int
) -> tuple[npt.NDArray[np.int64], int]:
    """Put the columns that are in over `rare` documents before the others; give how many they are, too.

    >>> frequent_first(np.array([0, 1, 2]), np.array([1, 5, 4]), 2)
    (array([1, 2, 0]), 2)
    """
    is_rare = sizes <= rare
    return columns[np.argsort(is_rare, kind="stable")], int((~is_rare).sum())


def _counted(documents: npt.NDArray[np.integer[Any]], n_documents: int) -> npt.NDArray[np.int64]:
    """Count how often each document is there, a block at a time: `bincount` widens what it is given."""
    found = np.zeros(n_documents, dtype=np.int64)
    for start in range(0, len(documents), ENTRIES_AT_A_TIME):
        found += np.bincount(documents[start : start + ENTRIES_AT_A_TIME], minlength=n_documents)
    return found


def _first_of_equal(indices: npt.NDArray[Any], indptr: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Give the columns that equal no earlier one."""
    sizes = np.diff(indptr)
    # Different sets of documents hardly ever have the same sum of random numbers; should they, both are kept.
    codes = codes_of(int(indices.max(initial=0)) + 1)
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(codes[indices], dtype=np.uint64)])
    _, first, group = np.unique(np.diff(sums[indptr]), return_index=True, return_inverse=True)
    like = first[group]
    same = sizes == sizes[like]
    shifts = np.repeat((indptr[like] - indptr[:-1]) * same, sizes)
    differing = np.concatenate([[0], np.cumsum(indices != indices[np.arange(indices.size) + shifts])])
    same &= differing[indptr[1:]] == differing[indptr[:-1]]
    return np.flatnonzero(~same | (like == np.arange(sizes.size)))


def codes_of(documents: int) -> npt.NDArray[np.uint64]:
    """Give every document a random number, always the same ones."""
    return np.random.default_rng(0).integers(1 << 63, size=documents, dtype=np.uint64)


def make_pairs(
    labels: csr_array,
    weight: npt.NDArray[np.float64],
    margins: npt.NDArray[np.float64] | None = None,
    n_in_all: int | None = None,
) -> Pairs:
    """Give the initial distribution: each document's share of the weight, divided evenly over its pairs.

    Where the labels are some alone, there are `n_in_all` together. With the margins Σ_s Φ_s(d_i, c_j) of rounds gone
    before, every pair has e^(-Φ(d_i, c_j) margin) times as much.
    """
    n_documents, n_labels = labels.shape
    initial = weight / (weight.sum() * (n_in_all or n_labels))
    negative = np.repeat(initial[:, None], n_labels, axis=1)
    rows = np.repeat(np.arange(n_documents), np.diff(labels.indptr))
    positive = initial[rows]
    if margins is not None:
        negative *= np.exp(margins)
        positive *= np.exp(-margins[rows, labels.indices])
    negative[rows, labels.indices] = 0.0
    return Pairs(
        labels=labels.indices.astype(np.uint32),
        starts=labels.indptr.astype(np.int64),
        documents=rows.astype(np.uint32),
        by_label=np.argsort(labels.indices, kind="stable").astype(np.uint32),
        label_starts=np.concatenate([[0], np.cumsum(np.bincount(labels.indices, minlength=n_labels))]),
        positive=positive,
        negative=negative,
    )


class State(NamedTuple):
    """What an engine keeps from round to round, and room to work in.

    Attributes
    ----------
    tables : array, (2, n_frequent, n_labels)
        The stored weights with every frequent term, of the positive and of the negative pairs.
    scales : array, (3, n_labels)
        What makes stored weights those of the distribution, for positive and negative pairs; √ of their product.
    totals, swept_totals, peaks : array, (2, n_labels)
        The sums of the stored weights, what they were when last summed, and the largest they have been since the tables
        were summed.
    shifts : array, (2, n_labels)
        By how much the totals have changed in this round.
    slopes, used_slopes : array, (3, n_labels)
        How far a stored weight can raise a merit, and what the bounds were found with.
    limits : array, (2,)
        The merit of a term in no document, and the factor by which the bounds must be stretched.
    merits, bounds : array, (n_terms,)
        Found by the search, and for the rare terms before it.
    rises : array, (n_documents,)
        How far each document lets the merits of its terms rise.
    block_starts, block_totals : array, (n_blocks + 1,) and (n_blocks, 2, n_labels)
        The blocks of documents, and the sums of the stored weights in each.
    changes, positive_changes : array, (chunk, n_labels) and (n_positive_pairs,)
        By how much the stored weights of some documents with a pivot have changed.
    """

    tables: Floats
    scales: Floats
    totals: Floats
    swept_totals: Floats
    shifts: Floats
    peaks: Floats
    slopes: Floats
    used_slopes: Floats
    limits: Floats
    merits: Floats
    bounds: Floats
    rises: Floats
    block_starts: Integers
    block_totals: Floats
    changes: Floats
    positive_changes: Floats


class Rule(NamedTuple):
    """What does not change from round to round; see `engine` for what the last six are."""

    prediction: int
    criterion: int
    epsilon: float
    tied: float
    doubt: float
    certain: float
    widest_stretch: float
    sunk: float
    faded: float
