"""Centroids of categories (Rocchio) that borrow from their parents.

Documents are vectors of ln(1 + tf) · idf, idf = 1 + ln((N + 1) / (df + 1)), of length 1. A category's centroid has the
direction of Σ d + β · u: the sum of its own documents, and β (`borrow`) times the unit vector of all documents of its
parents' subtrees. A category with many documents stands for itself; one with few leans on its parents, because the
first part grows with every document and the second does not.

The second part is the same for all children of the same parents, and is kept once for each such *family*: the
centroids themselves are never made. A document's cosine is (x · own + β x · family) / norm.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from classmark.arrays import Floats
from classmark.hierarchy import Hierarchy
from classmark.neighbours.pairs import pair_products


class Centroids(NamedTuple):
    """The centroids of all nodes, in parts: own sums, the families' unit vectors, and what both are divided by."""

    idf: Floats
    own: csr_array
    families: csr_array
    family: npt.NDArray[np.int32]
    norms: Floats
    borrow: float

    def cosines(self, counts: csr_array, candidates: csr_array, n_jobs: int | None = None) -> Floats:
        """Give the cosine of documents with the centroids of their candidates, an entry of `candidates` each."""
        weighed = weigh(counts, self.idf)
        nodes = candidates.indices
        found = pair_products(candidates.indptr, nodes, weighed, self.own, n_jobs)
        family = self.family[nodes]
        if self.borrow and self.families.shape[0]:
            lent = pair_products(candidates.indptr, np.maximum(family, 0), weighed, self.families, n_jobs)
            found += self.borrow * np.where(family >= 0, lent, 0.0)
        return np.asarray(found / self.norms[nodes])

    def cosine_terms(self, counts: csr_array, node: int) -> Floats:
        """Give each term's part of the cosine of one document, one row, with a node's centroid."""
        direction = self.own[[node]].toarray()[0]
        if self.family[node] >= 0:
            direction += self.borrow * self.families[[self.family[node]]].toarray()[0]
        return np.asarray(weigh(counts, self.idf).toarray()[0] * direction / self.norms[node])


def unit_rows(matrix: csr_array) -> csr_array:
    """Scale every row to length 1; a row of zeros stays.

    >>> unit_rows(csr_array([[3.0, 4.0], [0.0, 0.0]])).toarray().round(9).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)))
    scaled = csr_array(diags_array(1 / np.where(lengths > 0, lengths, 1.0)) @ matrix)
    scaled.sort_indices()
    return scaled


def weigh(counts: csr_array, idf: Floats) -> csr_array:
    """Give documents as unit vectors of ln(1 + tf) · idf."""
    parts = (np.log1p(counts.data) * idf[counts.indices], counts.indices, counts.indptr)
    return unit_rows(csr_array(parts, shape=counts.shape))


def families_of(hierarchy: Hierarchy) -> tuple[csr_array, npt.NDArray[np.int32]]:
    """Give the sets of parents that nodes have, one row per set, and the row of each node, -1 at the top.

    >>> tree = Hierarchy.from_paths(["a/x", "a/y", "b/z"])
    >>> members, family = families_of(tree)
    >>> members.toarray().astype(int).tolist(), family.tolist()
    ([[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]], [-1, -1, 0, 0, 1])
    """
    numbers: dict[tuple[int, ...], int] = {}
    family = np.full(len(hierarchy), -1, dtype=np.int32)
    for node in range(len(hierarchy)):
        parents = tuple(hierarchy.parent_positions(node).tolist())
        if parents:
            family[node] = numbers.setdefault(parents, len(numbers))
    starts = np.concatenate([[0], np.cumsum([len(parents) for parents in numbers])]).astype(np.int64)
    nodes = np.array([parent for parents in numbers for parent in parents], dtype=np.int32)
    members = csr_array((np.ones(nodes.size), nodes, starts), shape=(len(numbers), len(hierarchy)))
    return members, family


def learn_centroids(counts: csr_array, labels: csr_array, hierarchy: Hierarchy, borrow: float) -> Centroids:
    """Learn from documents and their own labels, entries of which are weights."""
    frequencies = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = 1 + np.log((counts.shape[0] + 1) / (frequencies + 1))
    own = csr_array(labels.T @ weigh(counts, idf))
    own.sort_indices()
    members, family = families_of(hierarchy)
    inside = csr_array((members @ hierarchy.ancestors.T.astype(np.float64)).astype(bool), dtype=np.float64)
    families = unit_rows(csr_array(inside @ own))
    below_top = np.flatnonzero(family >= 0)
    shared = np.zeros(len(hierarchy))
    starts = np.concatenate([[0], np.cumsum(family >= 0)])
    shared[below_top] = pair_products(starts, family[below_top], own, families)
    lengths = np.bincount(np.arange(len(hierarchy)), weights=np.asarray(own.multiply(own).sum(axis=1)))
    there = np.zeros(len(hierarchy))
    there[below_top] = np.diff(families.indptr)[family[below_top]] > 0
    squares = lengths + 2 * borrow * shared + borrow**2 * there
    return Centroids(idf, own, families, family, np.sqrt(np.where(squares > 0, squares, 1.0)), borrow)
