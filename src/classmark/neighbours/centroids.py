"""Centroids of categories (Rocchio) that borrow from their parents.

Documents are vectors of ln(1 + tf) · idf, idf = 1 + ln((N + 1) / (df + 1)), of length 1. A category's centroid has the
direction of Σ d + β · u: the sum of its own documents, and β (`borrow`) times the unit vector of all documents of its
parents' subtrees. A category with many documents stands for itself; one with few leans on its parents, because the
first part grows with every document and the second does not.

The second part is the same for all children of the same parents, and is kept once for each such *family*: the
centroids themselves are never made. A document's cosine is (x · own + β x · family) / norm.

In a tree all sums over subtrees are in one array. Numbered in preorder, the nodes of a subtree are a range. For each
term there is the list of the nodes whose own documents have it, in that order, with the sums of its weights *so far*:
what the documents of a subtree have of a term is the difference of two of them, found by halves. So own documents and
parents' subtrees, which would hold every term once for each level above it, take one entry for each node and term.

In a directed acyclic graph subtrees are no ranges, and `Centroids` keeps the terms of every node.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from classmark.arrays import Floats, SparseRows
from classmark.bisection import first_from
from classmark.compilation import kernel
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.index.kernels import Rows
from classmark.neighbours.pairs import pair_products, sparse_rows
from classmark.parallel import balanced_ranges, n_threads, threads
from classmark.persistence import State, are_starts, checked_array


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


Numbers = npt.NDArray[np.int32]


class Tree(NamedTuple):
    """A tree in preorder: each node's parent (-1 at the top), its number, and the first number after its subtree."""

    parents: Numbers
    starts: Numbers
    stops: Numbers


class Sums(NamedTuple):
    """For each term the numbers of the nodes that have it, rising, and the sums of its weights up to each."""

    starts: npt.NDArray[np.int64]
    nodes: Numbers
    totals: Floats


class TreeCentroids(NamedTuple):
    """The centroids of all nodes: sums by term, the lengths of subtrees' sums, and what cosines are divided by."""

    idf: Floats
    tree: Tree
    sums: Sums
    lengths: Floats
    norms: Floats
    borrow: float

    def cosines(self, counts: csr_array, candidates: csr_array, n_jobs: int | None = None) -> Floats:
        """Give the cosine of documents with the centroids of their candidates, an entry of `candidates` each."""
        weighed = weigh(counts, self.idf)
        found = np.zeros(candidates.nnz)
        starts, nodes = candidates.indptr.astype(np.int64), candidates.indices.astype(np.int32)
        count = n_threads(n_jobs)
        ranges = balanced_ranges(starts, count * 4 if count > 1 else 1)
        with threads(count) as run:
            fixed = (starts, nodes, sparse_rows(weighed), self.tree, self.sums, self.lengths, self.borrow, found)
            run(products, [(*each, *fixed) for each in ranges])
        return np.asarray(found / self.norms[nodes])

    def cosine_terms(self, counts: csr_array, node: int) -> Floats:
        """Give each term's part of the cosine of one document, one row, with a node's centroid."""
        weighed = weigh(counts, self.idf)
        direction = np.zeros(counts.shape[1])
        parent = self.tree.parents[node]
        for term in weighed.indices.tolist():
            direction[term] = between(self.sums, term, self.tree.starts[node], self.tree.starts[node] + 1)
            if parent >= 0 and self.lengths[parent] > 0:
                below = between(self.sums, term, self.tree.starts[parent], self.tree.stops[parent])
                direction[term] += self.borrow * below / self.lengths[parent]
        return np.asarray(weighed.toarray()[0] * direction / self.norms[node])

    def to_state(self) -> State:
        """Give what was learned as plain arrays."""
        names = ("idf", "lengths", "norms")
        return {name: getattr(self, name) for name in names} | self.sums._asdict()

    @classmethod
    def from_state(cls, state: State, hierarchy: Hierarchy, n_terms: int, borrow: float) -> "TreeCentroids":
        """Take up what was learned, refusing what a kernel could run out of."""
        tree, size = tree_of(hierarchy), len(hierarchy)
        starts = checked_array(state, "starts", np.int64, (n_terms + 1,))
        nodes = checked_array(state, "nodes", np.int32, (None,))
        totals = checked_array(state, "totals", np.float64, (nodes.size,))
        if not are_starts(starts, nodes.size):
            raise InputError("the model's centroids do not fit together; train it again")
        idf = checked_array(state, "idf", np.float64, (n_terms,))
        lengths, norms = (checked_array(state, name, np.float64, (size,)) for name in ("lengths", "norms"))
        if not (norms > 0).all() or not all(np.isfinite(one).all() for one in (idf, lengths, norms)):
            raise InputError("the model's centroids have lengths that are no numbers above 0; train it again")
        return cls(idf, tree, Sums(starts, nodes, totals), lengths, norms, borrow)


def learn_tree_centroids(
    vocabulary: Numbers, rows: Rows, n_terms: int, labels: csr_array, hierarchy: Hierarchy, borrow: float
) -> TreeCentroids:
    """Learn from documents, rows over the columns of a vocabulary, and their own labels, whose entries are weights."""
    frequencies = np.zeros(n_terms, dtype=np.int64)
    frequencies[vocabulary] = np.bincount(rows.terms, minlength=len(vocabulary))
    idf = 1 + np.log((len(rows.starts) - 1 + 1) / (frequencies + 1))
    tree = tree_of(hierarchy)
    sums = _sums(vocabulary, rows, n_terms, labels, tree, idf[vocabulary])
    own, below, shared = np.zeros((3, len(hierarchy)))
    measure(sums, tree, np.argsort(tree.starts).astype(np.int32), own, below, shared)
    lengths = np.sqrt(below)
    parents = np.maximum(tree.parents, 0)
    there = (tree.parents >= 0) & (lengths[parents] > 0)
    lent = np.divide(shared, lengths[parents], out=np.zeros_like(shared), where=there)
    squares = own + 2 * borrow * lent + borrow**2 * there
    return TreeCentroids(idf, tree, sums, lengths, np.sqrt(np.where(squares > 0, squares, 1.0)), borrow)


def tree_of(hierarchy: Hierarchy) -> Tree:
    """Give the nodes of a tree numbers in preorder.

    >>> tree_of(Hierarchy.from_paths(["a/x", "a/y", "b/z"])).starts
    array([0, 3, 1, 2, 4], dtype=int32)
    """
    parents = np.full(len(hierarchy), -1, dtype=np.int32)
    below = np.diff(hierarchy.parents.indptr) > 0
    parents[below] = hierarchy.parents.indices
    starts, stops = np.zeros((2, len(hierarchy)), dtype=np.int32)
    number_nodes(parents, starts, stops)
    return Tree(parents, starts, stops)


def _sums(vocabulary: Numbers, rows: Rows, n_terms: int, labels: csr_array, tree: Tree, idf: Floats) -> Sums:
    """Go through the documents in the order of their labels' numbers, a document once for each of its labels."""
    order = np.argsort(tree.starts[labels.indices], kind="stable")
    documents = np.repeat(np.arange(labels.shape[0], dtype=np.int32), np.diff(labels.indptr))[order]
    numbers, weights = tree.starts[labels.indices][order], labels.data[order].astype(np.float64)
    last = np.full(len(vocabulary), -1, dtype=np.int32)
    sizes = np.zeros(len(vocabulary), dtype=np.int64)
    count_nodes(rows, documents, numbers, last, sizes)
    ends = np.cumsum(sizes)
    nodes, totals = np.empty(int(sizes.sum()), dtype=np.int32), np.empty(int(sizes.sum()))
    add_up(rows, documents, numbers, weights, idf, ends - sizes, nodes, totals)
    starts = np.zeros(n_terms + 1, dtype=np.int64)
    starts[vocabulary + 1] = sizes
    return Sums(np.cumsum(starts), nodes, totals)


@kernel
def number_nodes(parents: Numbers, starts: Numbers, stops: Numbers) -> None:
    """Fill in preorder numbers; parents stand before their children."""
    sizes = np.ones(len(parents), np.int32)
    for node in range(len(parents) - 1, -1, -1):
        if parents[node] >= 0:
            sizes[parents[node]] += sizes[node]
    free = np.empty(len(parents), np.int32)
    top = 0
    for node in range(len(parents)):
        parent = parents[node]
        if parent < 0:
            starts[node] = top
            top += sizes[node]
        else:
            starts[node] = free[parent]
            free[parent] += sizes[node]
        free[node] = starts[node] + 1
        stops[node] = starts[node] + sizes[node]


@kernel
def count_nodes(rows: Rows, documents: Numbers, numbers: Numbers, last: Numbers, sizes: npt.NDArray[np.int64]) -> None:
    """Count the different nodes of each term, which come in order."""
    for position in range(len(documents)):
        for entry in range(rows.starts[documents[position]], rows.starts[documents[position] + 1]):
            term = rows.terms[entry]
            if last[term] != numbers[position]:
                last[term] = numbers[position]
                sizes[term] += 1


@kernel
def add_up(
    rows: Rows,
    documents: Numbers,
    numbers: Numbers,
    weights: Floats,
    idf: Floats,
    starts: npt.NDArray[np.int64],
    nodes: Numbers,
    totals: Floats,
) -> None:
    """Fill in the nodes of each term and the sums so far: of unit vectors of ln(1 + tf) · idf, times their weights."""
    cursors = starts.copy()
    for position in range(len(documents)):
        first, stop = rows.starts[documents[position]], rows.starts[documents[position] + 1]
        square = 0.0
        for entry in range(first, stop):
            square += (np.log1p(np.float64(rows.frequencies[entry])) * idf[rows.terms[entry]]) ** 2
        for entry in range(first, stop):
            term = rows.terms[entry]
            value = np.log1p(np.float64(rows.frequencies[entry])) * idf[term] / np.sqrt(square) * weights[position]
            cursor = cursors[term]
            if cursor > starts[term] and nodes[cursor - 1] == numbers[position]:
                totals[cursor - 1] += value
            else:
                nodes[cursor] = numbers[position]
                totals[cursor] = value + (totals[cursor - 1] if cursor > starts[term] else 0.0)
                cursors[term] = cursor + 1


@kernel
def measure(sums: Sums, tree: Tree, by_number: Numbers, own: Floats, below: Floats, shared: Floats) -> None:
    """Fill in each node's squares of its own sums and of its subtree's, and the product of own with the parent's."""
    subtree = np.zeros(len(own))
    for term in range(len(sums.starts) - 1):
        before = 0.0
        for entry in range(sums.starts[term], sums.starts[term + 1]):
            node, value = by_number[sums.nodes[entry]], sums.totals[entry] - before
            before = sums.totals[entry]
            own[node] += value * value
            while node >= 0:
                subtree[node] += value
                node = tree.parents[node]
        before = 0.0
        for entry in range(sums.starts[term], sums.starts[term + 1]):
            node, value = by_number[sums.nodes[entry]], sums.totals[entry] - before
            before = sums.totals[entry]
            if tree.parents[node] >= 0:
                shared[node] += value * subtree[tree.parents[node]]
        for entry in range(sums.starts[term], sums.starts[term + 1]):
            node = by_number[sums.nodes[entry]]
            # What was added to the squares already is 0, and so is all above it.
            while node >= 0 and subtree[node] != 0:
                below[node] += subtree[node] * subtree[node]
                subtree[node] = 0.0
                node = tree.parents[node]


@kernel
def between(sums: Sums, term: int, first: int, stop: int) -> float:
    """Give the sum of a term's weights at the nodes numbered from `first` to below `stop`."""
    start, end = sums.starts[term], sums.starts[term + 1]
    low = first_from(sums.nodes, start, end, first)
    high = first_from(sums.nodes, low, end, stop)
    if low == high:
        return 0.0
    before = sums.totals[low - 1] if low > start else 0.0
    return float(sums.totals[high - 1] - before)


@kernel
def products(
    first: int,
    last: int,
    pair_starts: npt.NDArray[np.int64],
    pair_nodes: Numbers,
    documents: SparseRows,
    tree: Tree,
    sums: Sums,
    lengths: Floats,
    borrow: float,
    found: Floats,
) -> None:
    """Fill in the products of documents with the centroids of their nodes, not yet divided by the centroids' norms."""
    for row in range(first, last):
        for pair in range(pair_starts[row], pair_starts[row + 1]):
            node = pair_nodes[pair]
            parent = tree.parents[node]
            own = lent = 0.0
            for entry in range(documents.starts[row], documents.starts[row + 1]):
                term, value, number = documents.columns[entry], documents.values[entry], tree.starts[node]
                own += value * between(sums, term, number, number + 1)
                if parent >= 0 and borrow > 0:
                    lent += value * between(sums, term, tree.starts[parent], tree.stops[parent])
            found[pair] = own + (borrow * lent / lengths[parent] if parent >= 0 and lengths[parent] > 0 else 0.0)
