"""From neighbours to votes, and from votes to label sets, without a column for every category.

lshtc_knn_2014, "Enhanced K-nearest neighbours": Score(D) = Σ γ(S_b, D) · BM25(S_a, S_b)^α over the k neighbours S_b of
the document S_a, where γ says whether D is a label of S_b. Here γ is the matrix of *labels*, one row per document of
the index, its entries the weights of the document's votes; with α = 0 every neighbour counts the same, which is the
basic algorithm's Frequency_i.

`typical_terms` explains a category by the terms that its documents have more often than others.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.answers import Positions
from classmark.arrays import Floats
from classmark.decision import Decision
from classmark.decision.dscut import sets_of
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.indicator import narrow
from classmark.index.inverted import Neighbours


def loudness(neighbours: Neighbours, alpha: float) -> Floats:
    """Give how loud each neighbour's voice is, its similarity to the power of α; 0 where there is none.

    >>> loudness(Neighbours(np.array([[4, -1]]), np.array([[3.0, 0.0]])), 2.0)
    array([[9., 0.]])
    """
    return np.where(neighbours.documents >= 0, neighbours.scores.astype(np.float64) ** alpha, 0.0)


def count_votes(neighbours: Neighbours, voices: Floats, labels: csr_array) -> csr_array:
    """Give the votes for categories, sorted and without zeros: `(n_queries, n_nodes)`.

    >>> labels = csr_array([[1.0, 1.0], [0.0, 2.0]])
    >>> found = Neighbours(np.array([[1, 0]]), np.array([[3.0, 1.0]]))
    >>> count_votes(found, loudness(found, 1.0), labels).toarray()  # the second's weight is 2: 1 · 1, 3 · 2 + 1 · 1
    array([[1., 7.]])
    """
    there = neighbours.documents >= 0
    starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    shape = (len(neighbours.documents), labels.shape[0])
    votes = csr_array(narrow(csr_array((voices[there], neighbours.documents[there], starts), shape=shape)) @ labels)
    votes.eliminate_zeros()
    votes.sort_indices()
    return votes


def spread_votes(votes: csr_array, ends: npt.NDArray[np.int32], hierarchy: Hierarchy) -> csr_array:
    """Give the nodes above a vote the highest one below them, sorted; ends keep their own.

    >>> tree = Hierarchy.from_paths(["a/x", "a/y", "b"])
    >>> votes = csr_array([[0.0, 0.0, 2.0, 5.0], [0.0, 1.0, 0.0, 0.0]])
    >>> spread_votes(votes, np.array([1, 2, 3], dtype=np.int32), tree).toarray()
    array([[5., 0., 2., 5.],
           [0., 1., 0., 0.]])
    """
    above = hierarchy.ancestors[votes.indices]
    each = np.diff(above.indptr)
    rows = np.repeat(np.repeat(np.arange(votes.shape[0]), np.diff(votes.indptr)), each)
    # A learned inner node keeps its score, but hides none of what lies below it from the nodes above.
    taking = np.isin(above.indices, ends, invert=True) | (above.indices == np.repeat(votes.indices, each))
    rows, nodes, values = rows[taking], above.indices[taking], np.repeat(votes.data, each)[taking]
    order = np.lexsort((nodes, rows))
    rows, nodes, values = rows[order], nodes[order], values[order]
    starts = np.flatnonzero(np.diff(rows, prepend=-1) | np.diff(nodes, prepend=-1))
    best = np.maximum.reduceat(values, starts) if starts.size else values
    counts = np.bincount(rows[starts], minlength=votes.shape[0])
    return csr_array((best, nodes[starts], np.append(0, np.cumsum(counts))), shape=votes.shape)


def ranked(votes: csr_array, ends: npt.NDArray[np.int32], count: int) -> tuple[npt.NDArray[np.int32], Floats]:
    """Give each document's best ends and their scores, best first, of equals the first in node order first.

    An end without a score has 0, so that where scores run out the first such ends follow: the ranks are those of the
    dense scores, whatever the number of categories.

    >>> votes = csr_array([[0.0, 2.0, 0.0, 5.0], [0.0, 0.0, 0.0, 0.0]])
    >>> nodes, scores = ranked(votes, np.array([1, 2, 3], dtype=np.int32), 3)
    >>> nodes.tolist(), scores.tolist()
    ([[3, 1, 2], [1, 2, 3]], [[5.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    """
    count = min(count, ends.size)
    documents = votes.shape[0]
    rows = np.repeat(np.arange(documents), np.diff(votes.indptr))
    order = np.lexsort((votes.indices, -votes.data, rows))
    rank = np.arange(rows.size) - np.repeat(votes.indptr[:-1], np.diff(votes.indptr))
    nodes = np.full((documents, count), -1, dtype=np.int32)
    scores = np.zeros((documents, count))
    near = rank < count
    nodes[rows[near], rank[near]] = votes.indices[order][near]
    scores[rows[near], rank[near]] = votes.data[order][near]
    for row in np.flatnonzero((nodes < 0).any(axis=1)):
        known = nodes[row][nodes[row] >= 0]
        # Of the first ends, at most as many are ranked already as there are ranks filled.
        others = np.setdiff1d(ends[:count], known)
        nodes[row, known.size :] = others[: count - known.size]
    return nodes, scores


def decide_by_rank(
    decision: Decision, votes: csr_array, hierarchy: Hierarchy, ends: npt.NDArray[np.int32], count: int
) -> csr_array:
    """Let a decision that looks at the best `count` ends see these alone, and give the label sets."""
    nodes, scores = ranked(votes, ends, count)
    # The decision sees ranks for categories; in a flat hierarchy nothing but what it takes comes in.
    ranks = np.arange(nodes.shape[1], dtype=np.int32)
    taken = decision.decide(scores, Hierarchy.flat(ranks.tolist()), ranks).toarray()
    return hierarchy.close(sets_of(nodes, taken, len(hierarchy)))


def typical_terms(counts: csr_array, labels: csr_array, blocks: Sequence[Positions]) -> Iterator[csr_array]:
    """Give for each node of a block a / n · ln(((a + p) / (n + 1)) / ((b + p) / (m + 1))) of every term.

    Of the n documents of the node a have the term, of the m others b, and p is the share of all that have it. So a term
    counts the more, the more documents of the node have it and the fewer others; one that they do not have counts 0.
    Nodes without documents, or with all of them, have 0.

    Parameters
    ----------
    counts : csr_array, (n_documents, n_terms)
        The terms of documents.
    labels : csr_array of bool, (n_documents, n_nodes)
        Their labels, ancestors included.

    Examples
    --------
    >>> labels = csr_array([[True, False], [False, True]])
    >>> (found,) = typical_terms(csr_array([[2, 1, 0], [0, 1, 0]]), labels, [np.array([0])])
    >>> np.exp(found.toarray())
    array([[3., 1., 1.]])
    """
    present = csr_array((np.ones(counts.nnz), counts.indices, counts.indptr), shape=counts.shape)
    everywhere: Floats = np.asarray(present.sum(axis=0)).ravel()
    members = csr_array(labels.T.astype(np.float64))
    for nodes in blocks:
        yield _of_nodes(csr_array(members[nodes]), present, everywhere)


def _of_nodes(members: csr_array, present: csr_array, everywhere: Floats) -> csr_array:
    inside = csr_array(members @ present)
    documents = present.shape[0]
    there = np.repeat(np.diff(members.indptr), np.diff(inside.indptr)).astype(np.float64)
    share = everywhere[inside.indices] / documents
    within = (inside.data + share) / (there + 1)
    others = (everywhere[inside.indices] - inside.data + share) / (documents - there + 1)
    weights = np.where(there < documents, inside.data / there * np.log(within / others), 0.0)
    return csr_array((weights, inside.indices, inside.indptr), shape=inside.shape)
