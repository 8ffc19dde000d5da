"""What is known of a document and a candidate category, as numbers: the features that a reranker learns from.

| feature | what it is |
|---|---|
| score, of each part | the score of the category as own label |
| margin, of each part | by how much that is above the best other candidate: negative but for the first |
| rank, of each part | log(1 + how many candidates score higher) |
| parent, of each part | the score of the category's parent as a node, that of the best where there are several |
| mean | the mean of the scores of the parts that know the category |
| firsts | how many parts score no candidate higher |
| frequency, closed frequency | log(1 + n), n training documents with it as own label, or with it or one below it |
| depth, siblings | the level of the category, and how many others share a parent with it |
| candidates | how many candidates the document has |

What is not known is NaN. Scores of parts are to be on one scale, or their mean says little.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.ensembles.candidates import Candidates
from classmark.hierarchy import Hierarchy

OF_A_PART = {"score": 1, "margin": 0, "rank": 0, "parent": 0}
OF_ALL_PARTS = {"mean": 1, "firsts": 0}
OF_A_NODE = {"frequency": 0, "closed frequency": 0, "depth": 0, "siblings": 0}
OF_A_DOCUMENT = {"candidates": 0}
"""The features in their order, and whether more of one can only speak for a category (1), all else being equal.

Margins and ranks are left free: on 17,157 categories of `wordnet_nouns` hF was .005 lower where they were not.
"""


class Part(NamedTuple):
    """What one part says of some documents, `(n_documents, n_nodes)` each; minus infinity where it knows nothing.

    Attributes
    ----------
    own, nodes : array of float
        The scores of nodes as own labels, and those of nodes.
    """

    own: Floats
    nodes: Floats


def directions(n_parts: int) -> list[int]:
    """Say for each feature whether more of it can only speak for a category, 1, or for or against it, 0.

    >>> directions(2)
    [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    """
    return [*OF_A_PART.values()] * n_parts + [*(OF_ALL_PARTS | OF_A_NODE | OF_A_DOCUMENT).values()]


def node_features(hierarchy: Hierarchy, own: csr_array) -> Floats:
    """Give the features of every node, `(n_nodes, 4)`, by the own labels of the documents learned from.

    For scores that are held out, these are the documents that the copy which gave them has learned from: by those of
    all, a category of one document would never be right.

    >>> tree = Hierarchy.from_nested({"bird": ["owl", "gull"]})
    >>> np.expm1(node_features(tree, csr_array([[False, True, False]] * 3))).round()[:, :2]
    array([[0., 3.],
           [3., 3.],
           [0., 0.]])
    """
    frequencies = [np.bincount(labels.indices, minlength=len(hierarchy)) for labels in (own, hierarchy.close(own))]
    # Those at the top are siblings below the root, which is no node.
    together = csr_array(hierarchy.parents.astype(np.int32) @ hierarchy.children.astype(np.int32))
    siblings = np.where(hierarchy.levels == 1, hierarchy.tops.size, np.diff(together.indptr)) - 1
    return np.column_stack([*np.log1p(frequencies), hierarchy.levels, siblings]).astype(np.float64)


def pair_features(parts: Sequence[Part], candidates: Candidates, hierarchy: Hierarchy, about: Floats) -> Floats:
    """Give the features of all pairs, a row each, in the order of `directions`.

    Parameters
    ----------
    parts : sequence of Part
        What each part says of the documents.
    candidates : Candidates
        The pairs.
    hierarchy : Hierarchy
        The categories.
    about : array of float, (n_nodes, 4)
        What `node_features` gives.

    Examples
    --------
    >>> pair, categories = Candidates(np.array([0, 2]), np.array([0, 1])), Hierarchy.flat(["owl", "gull"])
    >>> scores = np.array([[3.0, 1.0]])
    >>> found = pair_features([Part(scores, scores)], pair, categories, np.zeros((2, 4)))
    >>> found[:, :4].round(2)  # score, margin, rank, parent
    array([[ 3.  ,  2.  ,  0.  ,   nan],
           [ 1.  , -2.  ,  0.69,   nan]])
    """
    pairs = _Pairs(candidates)
    scores = np.empty((len(parts), len(candidates.nodes)))
    firsts = np.zeros(len(candidates.nodes))
    columns: list[Floats] = []
    for number, part in enumerate(parts):
        scores[number] = part.own[pairs.documents, pairs.nodes]
        margin, rank = pairs.compared(scores[number])
        firsts += rank == 0
        columns += [scores[number], margin, np.log1p(rank), pairs.best_parent(part.nodes, hierarchy)]
    known = np.isfinite(scores)
    with np.errstate(invalid="ignore"):
        mean = np.where(known, scores, 0).sum(axis=0) / known.sum(axis=0)
    sizes = np.repeat(candidates.sizes, candidates.sizes)
    features = np.column_stack([*columns, mean, firsts, about[pairs.nodes], sizes])
    features[~np.isfinite(features)] = np.nan
    return features


class _Pairs:
    """Pairs of a document and a candidate, compared with the others of the document."""

    def __init__(self, candidates: Candidates) -> None:
        self.nodes = candidates.nodes
        self.documents = candidates.documents
        self.starts = np.repeat(candidates.starts[:-1], candidates.sizes)
        self.alone = np.repeat(candidates.sizes, candidates.sizes) == 1

    def compared(self, scores: Floats) -> tuple[Floats, Floats]:
        """Give by how much each is above the best other one, and how many are higher; NaN where it is not known."""
        order = np.lexsort((-scores, self.documents))
        ranked = scores[order]
        first = np.arange(len(ranked)) == self.starts
        new = first | (ranked != np.roll(ranked, 1))
        higher = np.maximum.accumulate(np.where(new, np.arange(len(ranked)), 0)) - self.starts
        second = np.append(ranked, -np.inf)[self.starts + 1]
        rival = np.where(first, np.where(self.alone, -np.inf, second), ranked[self.starts])
        margin, rank = np.empty(len(ranked)), np.empty(len(ranked))
        with np.errstate(invalid="ignore"):
            margin[order], rank[order] = ranked - rival, np.where(ranked > -np.inf, higher, np.nan)
        return margin, rank

    def best_parent(self, scores: Floats, hierarchy: Hierarchy) -> Floats:
        """Give the highest score of a parent, minus infinity for a node at the top."""
        above = hierarchy.parents[self.nodes]
        counts = np.diff(above.indptr)
        found = scores[np.repeat(self.documents, counts), above.indices]
        best, below = np.full(len(self.nodes), -np.inf), counts > 0
        if below.any():
            best[below] = np.maximum.reduceat(found, above.indptr[:-1][below])
        return best
