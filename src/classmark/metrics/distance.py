"""The tree distance: how many edges lie between what was predicted and what is true.

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
