"""One ranking of the terms out of their scores for every category.

Each function gives terms, best first: as many as asked for. Equal terms stand in column order.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from classmark.arrays import Floats
from classmark.selection.scores import PairScores

Columns: TypeAlias = npt.NDArray[np.intp]


def maximum(scores: PairScores) -> Floats:
    """Give each term's highest score over the categories (χ²max of adaboost_mh_kr_2000, Equation 9)."""
    rows = scores.together.tocsr()
    best = np.full(rows.shape[0], -np.inf)
    filled = np.diff(rows.indptr) > 0
    best[filled] = np.maximum.reduceat(rows.data, rows.indptr[:-1][filled]) if rows.nnz else -np.inf
    # Of the categories a term never meets, the best is the most (or least) frequent one.
    order = np.argsort(-scores.category if scores.score.rises else scores.category, kind="stable")
    rows.indices = np.argsort(order)[rows.indices].astype(rows.indices.dtype)
    rows.has_sorted_indices = False
    rows.sort_indices()
    # The first category of that order which a sorted row does not hold: where its number and position part.
    positions = np.arange(rows.nnz) - np.repeat(rows.indptr[:-1], np.diff(rows.indptr))
    in_place = np.concatenate([[0], np.cumsum(rows.indices == positions)])
    first_missing = in_place[rows.indptr[1:]] - in_place[rows.indptr[:-1]]
    meets_all = first_missing == rows.shape[1]
    category = scores.category[order[np.minimum(first_missing, rows.shape[1] - 1)]]
    return np.where(meets_all, best, np.maximum(best, scores.apart(scores.term, category)))


def weighted_mean(scores: PairScores) -> Floats:
    """Give each term's mean score over the categories, each weighing as much as it has documents."""
    weights = scores.category / max(1.0, scores.category.sum())
    frequencies, group = np.unique(scores.term, return_inverse=True)
    # As if the term met no category at all: the same for all terms of one frequency.
    apart = np.array([scores.apart(frequency, scores.category) @ weights for frequency in frequencies])
    stored = scores.together
    columns = np.repeat(np.arange(stored.shape[1]), np.diff(stored.indptr))
    excess = stored.data - scores.apart(scores.term[stored.indices], scores.category[columns])
    return apart[group] + np.bincount(stored.indices, weights=excess * weights[columns], minlength=scores.term.size)


def by_frequency(scores: PairScores) -> Columns:
    """Order terms by what they score where they do not meet a category, which their frequency alone decides."""
    return np.argsort(-scores.term if scores.score.rises else scores.term, kind="stable")


def best_of_category(scores: PairScores, category: int, count: int, order: Columns) -> Columns:
    """Give the best terms of one category, best first; `order` is that of `by_frequency`."""
    stored = scores.together
    highest, lowest = scores.apart(scores.term[order[[0, -1]]], scores.category[category])
    if highest == lowest:
        # A category without documents: frequency says nothing, so all terms are equals.
        order = np.arange(order.size)
    met = slice(stored.indptr[category], stored.indptr[category + 1])
    unmet = order[: count + stored.indices[met].size]
    unmet = unmet[~np.isin(unmet, stored.indices[met], kind="table")][:count]
    terms = np.concatenate([stored.indices[met], unmet])
    values = np.concatenate([stored.data[met], scores.apart(scores.term[unmet], scores.category[category])])
    if count < values.size:
        # Only what can be among the best is sorted; equals of the last one stay in, for column order to decide.
        candidates = values >= np.partition(values, values.size - count)[values.size - count]
        terms, values = terms[candidates], values[candidates]
    return terms[np.lexsort((terms, -values))[:count]]


def round_robin(scores: PairScores, per_category: int) -> Columns:
    """Let every category in turn pick its best term, then its second best, and so on (Forman 2004).

    Returns
    -------
    array of int
        The distinct terms in the order in which they were picked.
    """
    order = by_frequency(scores)
    n_categories = scores.category.size
    never = np.iinfo(np.int64).max
    turn = np.full(scores.term.size, never)
    for category in range(n_categories):
        terms = best_of_category(scores, category, per_category, order)
        turn[terms] = np.minimum(turn[terms], np.arange(terms.size) * n_categories + category)
    picked = np.flatnonzero(turn < never)
    return picked[np.argsort(turn[picked], kind="stable")]


def rank_round_robin(scores: PairScores, count: int) -> Columns:
    """Give some terms, as many as asked for, in the order in which round robin picks them."""
    count = min(count, scores.term.size)
    depth = max(1, -(-count // scores.category.size))
    while (picked := round_robin(scores, depth)).size < count:
        depth *= 2
    return picked[:count]


def rank_maximum(scores: PairScores, count: int) -> Columns:
    """Give the terms with the highest maxima, as many as asked for."""
    return np.argsort(-maximum(scores), kind="stable")[:count]


def rank_weighted_mean(scores: PairScores, count: int) -> Columns:
    """Give the terms with the highest weighted means, as many as asked for."""
    return np.argsort(-weighted_mean(scores), kind="stable")[:count]


GLOBALISATIONS: dict[str, Callable[[PairScores, int], Columns]] = {
    "max": rank_maximum,
    "weighted-mean": rank_weighted_mean,
    "round-robin": rank_round_robin,
}
