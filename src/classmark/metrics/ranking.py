"""How good a ranking of the categories is, whatever the decision makes of it; and the cosine of label sets.

A document's categories are ranked by score, the highest first, equal scores in node order. With r_j = 1 where the
category at rank j is a true label of the document and 0 where it is not, T the number of its true labels, and sums over
the ranks j = 1 … k:

    P@k = Σ r_j / k     R@k = Σ r_j / T     nDCG@k = Σ r_j / log₂(j + 1)  ÷  Σ over j = 1 … min(k, T) of 1 / log₂(j + 1)

each averaged over the documents. Where k is larger than the number of categories ranked, it is that number. A document
without a true label among these has R@k and nDCG@k 0/0 and is left out of both (where no document has one, they are 0);
its P@k is 0 and counts.

`cosine_accuracy` is the measure of "Large Scale Hierarchical Text Classification" (2014), section "Accuracy": with l_a
and l_p the label vectors, |l_a ∩ l_p| / √(|l_a| |l_p|), averaged over the documents.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.errors import InputError
from classmark.hierarchy.indicator import canonical
from classmark.metrics.flat import Counts, check_positions, check_zero_division, label_indicator

ROWS_IN_A_BLOCK = 1024
RANKS = (1, 3, 5)
"""The numbers of best-scored categories that are looked at."""


# eq=False: numpy compares arrays element by element, so a generated == could only raise.
@dataclass(frozen=True, eq=False)
class Ranking:
    """Which of each document's first categories are true, and how many true ones it has.

    Attributes
    ----------
    hits : array of bool, (n_documents, depth)
        Whether the category at each rank is a true label; `depth` is the largest k that can be asked for.
    true : array of int, (n_documents,)
        The number of true labels among the categories ranked.

    Examples
    --------
    >>> ranking = Ranking.of(csr_array([[True, False, True]]), np.array([[0.3, 0.5, 0.4]]), depth=2)
    >>> ranking.hits.tolist(), ranking.true.tolist()
    ([[False, True]], [2])
    >>> ranking.precision(2), ranking.recall(2)
    (0.5, 0.5)
    """

    hits: npt.NDArray[np.bool_]
    true: npt.NDArray[np.integer]

    @classmethod
    def of(cls, true: csr_array, scores: npt.ArrayLike, depth: int, nodes: npt.ArrayLike | None = None) -> "Ranking":
        """Rank the categories of each document as far as `depth`, the largest k that will be asked for."""
        labels, values = restrict(true, scores, nodes)
        if depth < 1:
            raise InputError(f"k={depth!r}: must be an integer >= 1")
        depth = min(depth, values.shape[1])
        hits = np.empty((values.shape[0], depth), dtype=bool)
        for start in range(0, values.shape[0], ROWS_IN_A_BLOCK):
            block = slice(start, start + ROWS_IN_A_BLOCK)
            best = first_positions(values[block], depth)
            hits[block] = np.take_along_axis(labels[block].toarray(), best, axis=1)
        return cls(hits, np.diff(labels.indptr))

    @classmethod
    def of_first(cls, true: csr_array, first: npt.NDArray[np.integer], nodes: npt.ArrayLike) -> "Ranking":
        """Take over a ranking: the positions of each document's first categories, best first, of those in `nodes`.

        >>> Ranking.of_first(csr_array([[True, False, True]]), np.array([[1, 2]]), [0, 1, 2]).hits.tolist()
        [[False, True]]
        """
        labels = canonical(true)
        among = np.zeros(labels.shape[1], dtype=np.int64)
        among[np.asarray(nodes)] = 1
        rows = np.repeat(np.arange(labels.shape[0]), np.diff(labels.indptr))
        # A pair of a document and a category as one number.
        pairs = rows * labels.shape[1] + labels.indices
        hits = np.isin(np.arange(labels.shape[0])[:, None] * labels.shape[1] + first, pairs)
        return cls(hits, np.bincount(rows, weights=among[labels.indices], minlength=labels.shape[0]).astype(np.int64))

    def precision(self, k: int) -> float:
        """Give P@k, the mean over all documents."""
        return float(self.hits[:, :k].mean())

    def recall(self, k: int) -> float:
        """Give R@k, the mean over the documents with a true label."""
        return self._mean(self.hits[:, :k].sum(axis=1), self.true)

    def ndcg(self, k: int) -> float:
        """Give nDCG@k, the mean over the documents with a true label."""
        discounts = 1 / np.log2(np.arange(2, self.hits[:, :k].shape[1] + 2))
        ideal = np.append(0, np.cumsum(discounts))[np.minimum(self.true, discounts.size)]
        return self._mean(self.hits[:, :k] @ discounts, ideal)

    def _mean(self, gained: npt.NDArray[np.number], possible: npt.NDArray[np.number]) -> float:
        has_label = self.true > 0
        return float(np.mean(gained[has_label] / possible[has_label])) if has_label.any() else 0.0


def first_positions(scores: Floats, depth: int) -> npt.NDArray[np.intp]:
    """Give for each row the positions of its `depth` highest scores, best first, equals in order.

    >>> first_positions(np.array([[1.0, 3.0, 3.0, 2.0]]), 3)
    array([[1, 2, 3]])
    """
    width = scores.shape[1]
    # Sorting whole rows would take most of the time: find the last score that gets in, and of those equal to it the
    # first, as many as there is room for.
    last = np.partition(scores, width - depth, axis=1)[:, width - depth, None]
    above, equal = scores > last, scores == last
    room = depth - above.sum(axis=1, keepdims=True)
    chosen = above | (equal & (np.cumsum(equal, axis=1) <= room))
    found = np.nonzero(chosen)[1].reshape(-1, depth)
    order = np.argsort(-np.take_along_axis(scores, found, axis=1), axis=1, kind="stable")
    return np.take_along_axis(found, order, axis=1)


def precision_at_k(true: csr_array, scores: npt.ArrayLike, k: int, nodes: npt.ArrayLike | None = None) -> float:
    """Give the share of true labels among the k best-scored categories, averaged over the documents.

    Parameters
    ----------
    true : csr_array of bool, (n_documents, n_nodes)
        The label sets, as they are.
    scores : array of float, (n_documents, n_nodes)
        A score for each category; equal ones are ranked in node order.
    k : int
        How many categories to look at; more than there are means all.
    nodes : array of int, optional
        The positions of the categories to rank, such as `hierarchy.leaves`; all by default.

    Examples
    --------
    >>> true, scores = csr_array([[True, False, True]]), [[0.3, 0.5, 0.4]]
    >>> precision_at_k(true, scores, 1), precision_at_k(true, scores, 2), precision_at_k(true, scores, 1, nodes=[0, 2])
    (0.0, 0.5, 1.0)
    """
    return Ranking.of(true, scores, k, nodes).precision(k)


def recall_at_k(true: csr_array, scores: npt.ArrayLike, k: int, nodes: npt.ArrayLike | None = None) -> float:
    """Give the share of a document's true labels that are among its k best-scored categories, averaged.

    Documents without a true label (among `nodes`) are left out. The parameters are those of `precision_at_k`.

    >>> recall_at_k(csr_array([[True, False, True], [False, False, False]]), [[0.3, 0.5, 0.4], [0.1, 0.2, 0.3]], k=2)
    0.5
    """
    return Ranking.of(true, scores, k, nodes).recall(k)


def ndcg_at_k(true: csr_array, scores: npt.ArrayLike, k: int, nodes: npt.ArrayLike | None = None) -> float:
    """Give the normalised discounted cumulative gain of the k best-scored categories, averaged.

    A true label at rank j gains 1 / log₂(j + 1), and the sum is divided by that of a perfect ranking. Documents without
    a true label (among `nodes`) are left out. The parameters are those of `precision_at_k`.

    >>> round(ndcg_at_k(csr_array([[True, False, True]]), [[0.3, 0.5, 0.4]], k=2), 3)  # (1 / log₂ 3) / (1 + 1 / log₂ 3)
    0.387
    """
    return Ranking.of(true, scores, k, nodes).ndcg(k)


def ranking_figures(ranking: Ranking) -> dict[str, float]:
    """Give P, R and nDCG at 1, 3 and 5.

    >>> figures = ranking_figures(Ranking(np.array([[False, True, False, False, False]]), np.array([1])))
    >>> figures["precision_at_1"], figures["recall_at_3"]
    (0.0, 1.0)
    """
    measures = {"precision": ranking.precision, "recall": ranking.recall, "ndcg": ranking.ndcg}
    return {f"{name}_at_{k}": measure(k) for name, measure in measures.items() for k in RANKS}


def cosine_accuracy(true: csr_array, predicted: csr_array, zero_division: float = 0.0) -> float:
    """Give the cosine of true and predicted label sets, |∩| / √(|true| |predicted|), averaged over the documents.

    Parameters
    ----------
    true, predicted : csr_array of bool, (n_documents, n_nodes)
        The label sets, as they are; in the paper the labels alone, without ancestors.
    zero_division : float, from 0 to 1
        The value of a document where both sets are empty. Where one of them is, nothing is shared: 0.

    Examples
    --------
    >>> cosine_accuracy(csr_array([[True, True, False]]), csr_array([[True, False, False]]))  # 1 / √(2 · 1)
    0.707...
    """
    check_zero_division(zero_division)
    counts = Counts.per_document(true, predicted)
    lengths = np.sqrt(counts.true * counts.predicted)
    values = np.where((counts.true == 0) & (counts.predicted == 0), zero_division, 0.0)
    np.divide(counts.tp, lengths, out=values, where=lengths > 0)
    return float(values.mean())


def restrict(true: csr_array, values: npt.ArrayLike, nodes: npt.ArrayLike | None) -> tuple[csr_array, Floats]:
    """Check labels and their scores or probabilities, and keep the categories asked for."""
    table = np.asarray(values, dtype=np.float64)
    if table.shape != true.shape:
        raise InputError(f"true is {true.shape} and the scores are {table.shape}; give a score for each node")
    if not table.shape[0]:
        raise InputError("no document to evaluate: the scores have no rows; give at least one document")
    labels = label_indicator(true, "true")
    if nodes is not None:
        positions = check_positions(nodes, table.shape[1])
        labels, table = labels[:, positions], table[:, positions]
    if np.isnan(table).any():
        raise InputError("a score is NaN, which has no rank; give numbers")
    labels.sum_duplicates()
    labels.eliminate_zeros()
    return labels, table
