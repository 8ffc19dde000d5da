"""The centroids of `centroids` in a tree, with all sums over subtrees in one array, however many nodes there are.

Numbered in preorder, the nodes of a subtree are a range. For each term there is the list of the nodes whose own
documents have it, in that order, with the sums of its weights *so far*: what the documents of a subtree have of a term
is the difference of two of them, found by halves. So own documents and parents' subtrees, which would hold every term
once for each level above it, take one entry for each node and term.

In a directed acyclic graph subtrees are no ranges, and `centroids` keeps what its nodes have one by one.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats, SparseRows
from classmark.bisection import first_from
from classmark.compilation import kernel
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.index.kernels import Rows
from classmark.neighbours.centroids import weigh
from classmark.neighbours.pairs import sparse_rows
from classmark.parallel import balanced_ranges, n_threads, threads
from classmark.persistence import State, are_starts, checked_array

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
    measure(sums, tree, _by_number(tree), own, below, shared)
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


def _by_number(tree: Tree) -> Numbers:
    nodes = np.empty(len(tree.starts), dtype=np.int32)
    nodes[tree.starts] = np.arange(len(tree.starts), dtype=np.int32)
    return nodes


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
