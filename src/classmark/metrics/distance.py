"""Metrics that match labels: the tree distance, and precision, recall and F up to the lowest common ancestors.

The distance of two nodes is the number of edges on the shortest way that goes up from both to a common ancestor,

    d(a, b) = min over the common ancestors c of  up(a, c) + up(b, c),

where up(a, c) is the length of the shortest way up from a to c. A node is an ancestor of itself, and the root is an
ancestor of all, so two nodes without anything else in common meet there, and the root counts as a node on the way. In
a tree that is the only way there is, and d is a metric. In a DAG ways through a common *descendant* are not taken
(that two categories share a special case does not make them near), and the triangle inequality may fail.

For label sets, the simplest of the pair-based measures of Kosmopoulos, Partalas, Gaussier, Paliouras and
Androutsopoulos, "Evaluation measures for hierarchical classification: a unified view and novel approaches" (2015): each
label is matched with the nearest one of the other set. With T the true and P the predicted own labels of a document (a
label with a labelled descendant is left out), its error is

    ½ (mean over t in T of min over p in P of d(t, p)  +  mean over p in P of min over t in T of d(t, p)).

An empty set is the set of the root alone: to predict nothing costs the way to the root.

Precision, recall and F up to the lowest common ancestors are those of the same paper. hP and hR add *all*
ancestors to both label sets, so that an error far down weighs little beside the many ancestors that are right anyway.
Here only the ancestors up to where true and predicted labels meet are added. The paper's symbols and our names: Y and
Ŷ, the true and predicted own labels of a document; P_LCA, R_LCA and F_LCA are `precision`, `recall` and `f1`.

1. Only own labels count: a label with a labelled descendant is left out.
2. A *link* of a true and a predicted label is the shortest way between them through a common ancestor, and
   that ancestor, where the way turns, is their LCA. The root may be one, and then counts as a node.
3. Each label, of Y and of Ŷ, takes the link to the nearest label of the other set. A label that is in both sets is
   linked with itself, and its LCA is itself.
4. G_true holds Y and the true label's side of every link taken, up to and with the LCA; G_pred holds Ŷ and the
   predicted label's side of every link. So a link taken by either end goes into both graphs, each LCA is in both,
   and is joined to a label of each side.
5. P = |G_true ∩ G_pred| / |G_pred|, R = |G_true ∩ G_pred| / |G_true|, F = 2 |G_true ∩ G_pred| / (|G_true| + |G_pred|),
   of each document; the measure is the mean over the documents of each. Where one of the sets is empty there is no
   link and nothing is shared: 0, or `zero_division` for what is 0/0 (P where nothing is predicted, R where nothing is
   true, F where both hold).

Ties: of equally near labels the one with the deepest LCA (by level) is taken, then the first in node order; of several
LCAs of two labels, which only a DAG has, again the deepest and then the first; of several shortest ways up to an LCA
the one that goes to the first parent in node order at each step.

An example: a has the children x and y, and y the child z; b is beside a. True are z and b, predicted x and b. b is
linked with itself. z and x are nearest to each other, by way of a. So G_true = {b, z, y, a} and G_pred = {b, x, a},
which share b and a: P = 2/3, R = 2/4, F = 4/7.

What is settled and what is not: we could read the program that the authors published with the paper, and others'
implementations, but not the paper's own section. For one true and one predicted label in a tree all agree with the
rules above: P = 1 / (1 + steps up to the LCA), R likewise. For several labels rules 1 and 4 follow the authors'
program. It looks for *small* graphs in which every label is linked, greedily and in an order that depends on the
numbers of the nodes, and may pass a label's own link over where the label is linked already as the far end of
another's. Rule 3 and the ties are ours: each label keeps its own link, so that the result depends on nothing but the
sets and the order of the nodes; it may differ from the program's where a document has several labels.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack

from classmark.errors import InputError
from classmark.hierarchy import Hierarchy, Name
from classmark.hierarchy.ancestor_paths import FAR, AncestorPaths, Positions, expand
from classmark.metrics.flat import Counts, check_zero_division
from classmark.metrics.hierarchical import label_sets

PAIRS_IN_A_BLOCK = 1 << 21


# eq=False: numpy compares arrays element by element, so a generated == could only raise.
@dataclass(frozen=True, eq=False)
class LabelPairs:
    """Every true label of a document beside every predicted one, for the measures that match labels.

    Attributes
    ----------
    true, predicted : csr_array of bool
        The own labels, the root as one more column, which holds the documents without any.
    documents : array of int
        The document of each pair.
    left, right : arrays of int
        Where in `true.indices` and in `predicted.indices` the labels of each pair stand.
    distances, meetings : arrays of int
        For each pair what `AncestorPaths.meet` gives.
    """

    true: csr_array
    predicted: csr_array
    documents: Positions
    left: Positions
    right: Positions
    distances: Positions
    meetings: Positions


def label_pairs(y_true: Any, y_pred: Any, hierarchy: Hierarchy, paths: AncestorPaths) -> Iterator[LabelPairs]:
    """Pair the labels of all documents, given in any form, in blocks of documents that fit into memory."""
    true, predicted = (_with_root(hierarchy.own(label_sets(y, hierarchy))) for y in (y_true, y_pred))
    if true.shape != predicted.shape:
        raise InputError(
            f"there are {true.shape[0]} documents with true labels and {predicted.shape[0]} with predicted ones; "
            "give both for the same documents"
        )
    if not true.shape[0]:
        raise InputError("no document to evaluate: there are no labels; give at least one document")
    sizes = np.diff(true.indptr).astype(np.int64) * np.diff(predicted.indptr)
    breaks = np.flatnonzero(np.diff(np.cumsum(sizes) // PAIRS_IN_A_BLOCK)) + 1
    for start, stop in pairwise([0, *breaks.tolist(), true.shape[0]]):
        yield _pair(true[start:stop], predicted[start:stop], paths)


def _pair(true: csr_array, predicted: csr_array, paths: AncestorPaths) -> LabelPairs:
    documents = np.repeat(np.arange(true.shape[0]), np.diff(true.indptr))
    left, right = expand(predicted.indptr, documents)
    first, second = (labels.indices.astype(np.int64) for labels in (true, predicted))
    # Documents often have the same pairs: each pair of nodes is looked at once.
    keys, inverse = np.unique(first[left] * paths.size + second[right], return_inverse=True)
    distances, meetings = paths.meet(keys // paths.size, keys % paths.size)
    return LabelPairs(true, predicted, documents[left], left, right, distances[inverse], meetings[inverse])


def tree_distance(hierarchy: Hierarchy, first: Name, second: Name) -> int:
    """Give the number of edges on the shortest way between two nodes through a common ancestor.

    Parameters
    ----------
    hierarchy : Hierarchy
        The categories. Their root is a node on the way where nothing nearer is above both.
    first, second : names of categories
        The order does not matter.

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a/x", "a/y", "b"])
    >>> tree_distance(tree, "a/x", "a/y"), tree_distance(tree, "a/x", "b"), tree_distance(tree, "b", "b")
    (2, 3, 0)
    """
    nodes = [np.array([hierarchy.position(name)], dtype=np.int64) for name in (first, second)]
    return int(AncestorPaths.of(hierarchy).meet(*nodes)[0][0])


def tree_distance_error(y_true: Any, y_pred: Any, hierarchy: Hierarchy) -> float:
    """Give the mean over the documents of the distance between true and predicted labels.

    Parameters
    ----------
    y_true, y_pred : labels in any form, or indicators over the nodes
        Only own labels count, those without a labelled descendant; a document without any is at the root.
    hierarchy : Hierarchy
        The categories, a tree or a DAG.

    Returns
    -------
    float
        0 where all labels are right. For a document with one true and one predicted label it is their distance;
        for several, each is matched with the nearest of the other side, and the two sides' means are averaged.

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a/x", "a/y", "b"])
    >>> tree_distance_error(["a/x", "b"], ["a/y", "b"], tree)  # (2 + 0) / 2
    1.0
    >>> tree_distance_error([["a/x", "b"]], [["a/x"]], tree)  # ½ ((0 + 3) / 2 + 0 / 1)
    0.75
    >>> tree_distance_error([["a/x"]], [[]], tree)
    2.0
    """
    blocks = label_pairs(y_true, y_pred, hierarchy, AncestorPaths.of(hierarchy))
    return float(np.concatenate([_errors(pairs) for pairs in blocks]).mean())


def _errors(pairs: LabelPairs) -> npt.NDArray[np.float64]:
    """Give the error of each document: half of the one side's mean and half of the other's."""
    forth = _nearest(pairs.true, pairs.left, pairs.distances)
    return (forth + _nearest(pairs.predicted, pairs.right, pairs.distances)) / 2


def _nearest(labels: csr_array, places: Positions, distances: Positions) -> npt.NDArray[np.float64]:
    """Give for each document the mean distance from its labels to the nearest ones of the other side."""
    nearest = np.full(labels.nnz, FAR)
    np.minimum.at(nearest, places, distances)
    return np.asarray(np.add.reduceat(nearest, labels.indptr[:-1]) / np.diff(labels.indptr))


def _with_root(own: csr_array) -> csr_array:
    """Add a column for the root, which holds the documents without a label."""
    empty = csr_array((np.diff(own.indptr) == 0)[:, None])
    return csr_array(hstack([own, empty], format="csr"))


@dataclass(frozen=True)
class LcaScores:
    """Means over the documents of precision, recall and F up to the lowest common ancestors.

    Examples
    --------
    >>> LcaScores(precision=0.5, recall=0.25, f1=1 / 3).precision
    0.5
    """

    precision: float
    recall: float
    f1: float


def lca_scores(y_true: Any, y_pred: Any, hierarchy: Hierarchy, *, zero_division: float = 0.0) -> LcaScores:
    """Compute P_LCA, R_LCA and F_LCA.

    Parameters
    ----------
    y_true, y_pred : labels in any form, or indicators over the nodes
        Only own labels count, those without a labelled descendant.
    hierarchy : Hierarchy
        The categories, a tree or a DAG. Their root counts as a node where labels meet in it.
    zero_division : float, from 0 to 1
        The value of 0/0 of a document: precision where nothing is predicted, recall where nothing is true, F where
        both hold.

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a/x", "a/y/z", "b"])
    >>> lca_scores([["a/y/z", "b"]], [["a/x", "b"]], tree)
    LcaScores(precision=0.666..., recall=0.5, f1=0.571...)
    """
    check_zero_division(zero_division)
    paths = AncestorPaths.of(hierarchy)
    blocks = [_count(pairs, paths) for pairs in label_pairs(y_true, y_pred, hierarchy, paths)]
    counts = Counts(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))
    return LcaScores(*counts.means(zero_division=zero_division))


def lca_figures(true: csr_array, predicted: csr_array, hierarchy: Hierarchy) -> dict[str, float]:
    """Give P_LCA, R_LCA and F_LCA under the names that a summary has for them.

    >>> labels = csr_array([[True, True]])
    >>> lca_figures(labels, labels, Hierarchy.from_paths(["a/x"]))
    {'p': 1.0, 'r': 1.0, 'f': 1.0}
    """
    scores = lca_scores(true, predicted, hierarchy)
    return {"p": scores.precision, "r": scores.recall, "f": scores.f1}


def _count(pairs: LabelPairs, paths: AncestorPaths) -> tuple[Positions, Positions, Positions]:
    """Count for each document the nodes in both graphs, in that of the predicted labels, in that of the true ones."""
    true, predicted = (labels.indices.astype(np.int64) for labels in (pairs.true, pairs.predicted))
    left, right = true[pairs.left], predicted[pairs.right]
    taken = _nearest_pairs(pairs, pairs.left, right, paths) | _nearest_pairs(pairs, pairs.right, left, paths)
    # The root as a label stands for an empty set, which has no links.
    taken &= (left < paths.size - 1) & (right < paths.size - 1)
    documents, tops = pairs.documents[taken], pairs.meetings[taken]
    in_true = _graph(pairs.true, documents, left[taken], tops, paths)
    in_predicted = _graph(pairs.predicted, documents, right[taken], tops, paths)
    shared = np.intersect1d(in_true, in_predicted, assume_unique=True)
    n_documents = pairs.true.shape[0]
    tp, n_predicted, n_true = (
        np.bincount(keys // paths.size, minlength=n_documents) for keys in (shared, in_predicted, in_true)
    )
    return tp, n_predicted, n_true


def _graph(
    labels: csr_array, documents: Positions, nodes: Positions, tops: Positions, paths: AncestorPaths
) -> Positions:
    """Give the nodes of every document's graph, each once, as the numbers `document * size + node`."""
    rows, own = labels[:, :-1].tocoo().coords
    # The same way is walked once, in however many documents it is taken.
    keys, inverse = np.unique(nodes * paths.size + tops, return_inverse=True)
    ways, walked = paths.nodes_on(keys // paths.size, keys % paths.size)
    starts = np.append(0, np.cumsum(np.bincount(ways, minlength=keys.size)))
    links, entries = expand(starts, inverse)
    sides = documents[links] * paths.size + walked[np.argsort(ways, kind="stable")][entries]
    return np.unique(np.append(rows.astype(np.int64) * paths.size + own, sides))


def _nearest_pairs(
    pairs: LabelPairs, labels: Positions, others: Positions, paths: AncestorPaths
) -> npt.NDArray[np.bool_]:
    """Mark for each label, given by its place, the pair with the nearest other: one a label, by the rules for ties."""
    height = paths.levels.max() + 1
    rank = (pairs.distances * height + height - 1 - paths.levels[pairs.meetings]) * paths.size + others
    best = np.full(labels.max() + 1, FAR)
    np.minimum.at(best, labels, rank)
    return np.asarray(rank == best[labels])
