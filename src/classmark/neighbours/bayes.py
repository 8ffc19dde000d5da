"""Naive Bayes among candidate categories, the counts of a category smoothed by those of its parents.

p(w | c) = (n_cw + μ p(w | parents)) / (n_c + μ) and p(w | parents) = (n_pw + ν p(w)) / (n_p + ν), where n_pw counts the
documents of the parents' subtrees and p(w) those of all. A document's log-odds against p(w) is the sum over its words;
words that no document has are passed over.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats, SparseRows
from classmark.compilation import kernel
from classmark.hierarchy import Hierarchy
from classmark.neighbours.centroids import families_of
from classmark.neighbours.pairs import sparse_rows, value_at

SAME = 1e-9
OWN, PARENTS = 20.0, 100.0
"""μ and ν: how many words the parents' and the collection's distributions count for."""


class Counts(NamedTuple):
    """The counts of all nodes and of their families, as entries over p(w), their totals, and which words are known."""

    own: SparseRows
    families: SparseRows
    family: npt.NDArray[np.int32]
    own_totals: Floats
    family_totals: Floats
    known: npt.NDArray[np.bool_]


def learn_counts(counts: csr_array, labels: csr_array, hierarchy: Hierarchy) -> Counts:
    """Count the words of documents for their own labels, entries of which are weights."""
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64)
    known = totals > 0
    chances = totals / max(totals.sum(), 1.0)
    own = csr_array(labels.T @ counts)
    own.sort_indices()
    members, family = families_of(hierarchy)
    inside = csr_array((members @ hierarchy.ancestors.T.astype(np.float64)).astype(bool), dtype=np.float64)
    families = csr_array(inside @ own)
    families.sort_indices()
    own_totals, family_totals = (np.asarray(one.sum(axis=1), dtype=np.float64) for one in (own, families))
    for one in (own, families):
        one.data = one.data / chances[one.indices]
    return Counts(sparse_rows(own), sparse_rows(families), family, own_totals, family_totals, known)


@kernel
def word_odds(own: float, total: float, lent: float, lent_total: float) -> float:
    """Give ln p(w | c) / p(w) from counts over p(w)."""
    parents = (lent + PARENTS) / (lent_total + PARENTS)
    return float(np.log((own + OWN * parents) / (total + OWN)))


@kernel
def odds(
    pair_starts: npt.NDArray[np.int64],
    nodes: npt.NDArray[np.int32],
    documents: SparseRows,
    counts: Counts,
    found: Floats,
) -> None:
    """Fill in the log-odds of documents for their candidates."""
    for row in range(len(pair_starts) - 1):
        for pair in range(pair_starts[row], pair_starts[row + 1]):
            node = nodes[pair]
            family = counts.family[node]
            for entry in range(documents.starts[row], documents.starts[row + 1]):
                word = documents.columns[entry]
                if counts.known[word]:
                    own = value_at(counts.own, node, word)
                    lent = value_at(counts.families, family, word) if family >= 0 else 0.0
                    lent_total = counts.family_totals[family] if family >= 0 else 0.0
                    found[pair] += documents.values[entry] * word_odds(own, counts.own_totals[node], lent, lent_total)


def candidate_log_odds(model: Counts, counts: csr_array, candidates: csr_array) -> Floats:
    """Give the log-odds of documents for their candidates, an entry of `candidates` each."""
    found = np.zeros(candidates.nnz)
    pairs = candidates.indptr.astype(np.int64), candidates.indices.astype(np.int32)
    odds(*pairs, sparse_rows(counts), model, found)
    return found


def odds_of_words(model: Counts, counts: csr_array, node: int) -> Floats:
    """Give the log-odds of each word of one document, one row, for a node."""
    found = np.zeros(counts.shape[1])
    one = csr_array((np.ones(1), np.array([node]), np.array([0, 1])), shape=(1, model.family.size))
    for word, value in zip(counts.indices, counts.data, strict=True):
        single = csr_array((np.array([value]), np.array([word]), np.array([0, 1])), shape=counts.shape)
        found[word] = candidate_log_odds(model, single, one)[0]
    return found


def spans(candidates: csr_array, values: Floats) -> tuple[Floats, Floats]:
    """Give the lowest value among each document's candidates, and how far the highest is above it, 1 where it is not.

    >>> low, span = spans(csr_array([[1.0, 1.0], [0.0, 1.0]]), np.array([2.0, 5.0, 4.0]))
    >>> low.tolist(), span.tolist()
    ([2.0, 4.0], [3.0, 1.0])
    """
    rows = np.repeat(np.arange(candidates.shape[0]), np.diff(candidates.indptr))
    low, high = np.full(candidates.shape[0], np.inf), np.full(candidates.shape[0], -np.inf)
    np.minimum.at(low, rows, values)
    np.maximum.at(high, rows, values)
    empty = np.diff(candidates.indptr) == 0
    low[empty] = high[empty] = 0.0
    # Less than that is a difference of the last digits, which says nothing.
    return low, np.where(high - low > SAME, high - low, 1.0)
