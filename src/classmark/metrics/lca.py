"""Precision, recall and F up to the lowest common ancestors.

After Kosmopoulos, Partalas, Gaussier, Paliouras and Androutsopoulos, "Evaluation measures for hierarchical
classification: a unified view and novel approaches", Data Mining and Knowledge Discovery 29 (2015). hP and hR add *all*
ancestors to both label sets, so that an error far down weighs little beside the many ancestors that are right anyway.
Here only the ancestors up to where true and predicted labels meet are added. The paper's symbols and our names: Y and
Ŷ, the true and predicted own labels of a document; P_LCA, R_LCA and F_LCA are `precision`, `recall` and `f1`.

1. Only own labels count: a label with a labelled descendant is left out.
2. A *link* of a true and a predicted label is the shortest way between them through a common ancestor (`distance`), and
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

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.hierarchy import Hierarchy
from classmark.hierarchy.ancestor_paths import FAR, AncestorPaths, Positions, expand
from classmark.metrics.distance import LabelPairs, label_pairs
from classmark.metrics.flat import Counts, check_zero_division


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
    taken = _nearest(pairs, pairs.left, right, paths) | _nearest(pairs, pairs.right, left, paths)
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


def _nearest(pairs: LabelPairs, labels: Positions, others: Positions, paths: AncestorPaths) -> npt.NDArray[np.bool_]:
    """Mark for each label, given by its place, the pair with the nearest other: one a label, by the rules for ties."""
    height = paths.levels.max() + 1
    rank = (pairs.distances * height + height - 1 - paths.levels[pairs.meetings]) * paths.size + others
    best = np.full(labels.max() + 1, FAR)
    np.minimum.at(best, labels, rank)
    return np.asarray(rank == best[labels])
