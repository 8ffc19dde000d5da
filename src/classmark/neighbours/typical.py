"""Which terms the documents of a category have more often than others."""

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.sparse import csr_array

from classmark.answers import Positions
from classmark.arrays import Floats


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
