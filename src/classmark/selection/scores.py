"""How much a term says about a category.

A score is a function of four counts: the documents `both` with the term and in the category, the documents with the
`term`, those in the `category`, and `all` of them. With P(t, c) = both / all and so on:

=================  =============================================================================================
information-gain   Σ over t, t̄ and c, c̄ of P(t, c) · ln(P(t, c) / (P(t) · P(c)))       (treeboost_mh_2006, 4.2)
chi-square         all · [P(t,c) P(t̄,c̄) − P(t,c̄) P(t̄,c)]² / (P(t) P(t̄) P(c) P(c̄))    (adaboost_mh_kr_2000, 9)
odds-ratio         ln of the odds of t in c over the odds of t outside, half a document added to each of the four
document-frequency the number of documents with the term
=================  =============================================================================================

Of all pairs of a term and a category only those that occur together are stored. The others all have `both` = 0, where
each score only rises, or only falls, with the frequency of the term and of the category, so that the best of them is
found without looking at them one by one.

`GLOBALISATIONS` turns the scores for all categories into one ranking of the terms, equal terms in column order.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array, csr_array
from scipy.special import xlogy

from classmark.arrays import Floats
from classmark.parted import Rows, added
from classmark.wording import unknown_name


def information_gain(both: Any, term: Any, category: Any, total: float) -> Floats:
    """Give the information gain in nats.

    With counts instead of probabilities it is the sum of n · ln n over the four cells, minus the same over the sums of
    rows and columns, plus total · ln total, all divided by total; and n · ln n of whole numbers is looked up. The terms
    stand in groups that cancel exactly where the term or the category is in all documents or in none.

    >>> round(float(information_gain(5, 5, 5, 10)), 9) == round(float(np.log(2)), 9)
    True
    """
    table = _n_log_n(int(total))
    both, term, category = (np.asarray(value, dtype=np.int64) for value in (both, term, category))
    rest = int(total) - term
    gain = table[both] + table[term - both] - table[term]
    gain = gain + (table[category - both] + table[rest - category + both] - table[rest])
    gain = gain - (table[category] + table[int(total) - category] - table[-1])
    return np.asarray(np.maximum(gain / total, 0.0))


@lru_cache(maxsize=1)
def _n_log_n(total: int) -> Floats:
    """Tabulate n · ln n; round robin asks for one table as often as there are categories."""
    numbers = np.arange(total + 1, dtype=np.float64)
    return np.asarray(xlogy(numbers, numbers))


def chi_square(both: Any, term: Any, category: Any, total: float) -> Floats:
    """Give chi-square; 0 where the term or the category is in all documents or in none.

    >>> float(chi_square(5, 5, 5, 10))
    10.0
    """
    difference = both * (total - term - category + both) - (term - both) * (category - both)
    spread = np.asarray(term * (total - term) * category * (total - category), dtype=np.float64)
    squared = total * np.square(np.asarray(difference, dtype=np.float64))
    return np.divide(squared, spread, out=np.zeros_like(spread), where=spread > 0)


def odds_ratio(both: Any, term: Any, category: Any, total: float) -> Floats:
    """Give the logarithm of the odds ratio, half a document added to each cell.

    >>> float(odds_ratio(1, 2, 2, 4))
    0.0
    """
    both, term, category = (np.asarray(value, dtype=np.float64) for value in (both, term, category))
    neither = total - term - category + both
    first, second, third, fourth = (cell + 0.5 for cell in (both, term - both, category - both, neither))
    return np.asarray(np.log(first * fourth / (second * third)), dtype=np.float64)


def document_frequency(both: Any, term: Any, category: Any, total: float) -> Floats:
    """Give the number of documents with the term, whatever the category."""
    return np.asarray(term + 0.0 * category, dtype=np.float64)


class Score(NamedTuple):
    """A scoring function, and whether pairs that never occur together score more the more frequent they are."""

    function: Callable[[Any, Any, Any, float], Floats]
    rises: bool


SCORES: dict[str, Score] = {
    "information-gain": Score(information_gain, rises=True),
    "chi-square": Score(chi_square, rises=True),
    "odds-ratio": Score(odds_ratio, rises=False),
    "document-frequency": Score(document_frequency, rises=True),
}


@dataclass(frozen=True, eq=False)
class PairScores:
    """The scores of all pairs of a term and a category, those that occur together stored.

    Attributes
    ----------
    together : csc_array, (n_terms, n_categories)
        The scores of the pairs that occur together; a stored 0 is a score.
    term, category : arrays
        How many documents have a term, and are in a category.
    total : int
        How many documents there are.
    """

    together: csc_array
    term: Floats
    category: Floats
    total: int
    score: Score

    def apart(self, term: Any, category: Any) -> Floats:
        """Score pairs that never occur together, given their frequencies.

        Frequencies that cannot but meet are cut to ones that can: the value is finite, and nobody's score.
        """
        return self.score.function(0.0, np.minimum(term, self.total - category), category, float(self.total))

    def toarray(self) -> Floats:
        """Give every pair's score, for small problems and tests."""
        scores = self.apart(self.term[:, None], self.category[None, :])
        stored = self.together.tocoo()
        scores[stored.coords] = stored.data
        return scores


def score_pairs(X: Rows, labels: csr_array, score: str = "information-gain") -> PairScores:
    """Score every term for every category.

    Parameters
    ----------
    X : csr_array, (n_documents, n_terms)
        A term is in a document where its value is not 0.
    labels : csr_array of bool, (n_documents, n_categories)
        The positive documents of each category; all other rows are its negative ones, so that the rows alone say
        what Definition 2 of treeboost_mh_2006 takes in.
    score : str
        A name from `SCORES`.

    Examples
    --------
    >>> X = csr_array([[1, 0], [1, 1], [0, 1], [0, 1]])
    >>> labels = csr_array([[True], [True], [False], [False]])
    >>> score_pairs(X, labels, "chi-square").toarray().round(3).tolist()
    [[4.0], [1.333]]
    """
    if score not in SCORES:
        raise unknown_name("score", score, SCORES)
    positive = _presence(labels)
    together = csc_array(added(X, _meetings, aligned=(positive,)))
    together.eliminate_zeros()
    together.sort_indices()
    term = np.asarray(added(X, _document_counts), dtype=np.float64)
    category = np.bincount(positive.indices, weights=positive.data, minlength=labels.shape[1]).astype(np.float64)
    columns = np.repeat(category, np.diff(together.indptr))
    found = SCORES[score]
    values = found.function(together.data.astype(np.float64), term[together.indices], columns, float(X.shape[0]))
    stored = csc_array((values, together.indices, together.indptr), shape=together.shape)
    return PairScores(stored, term, category, X.shape[0], found)


def _meetings(X: csr_array, positive: csr_array) -> csr_array:
    """Count the documents that have a term and are in a category."""
    return csr_array(_presence(X).T @ positive)


def _document_counts(X: csr_array) -> Floats:
    """Count the documents that have a term."""
    present = _presence(X)
    return np.bincount(present.indices, weights=present.data, minlength=X.shape[1]).astype(np.float64)


def _presence(matrix: csr_array) -> csr_array:
    """Give 1 where a matrix is not 0, one entry per cell: two entries of a cell are not two documents."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return csr_array(((matrix.data != 0).astype(np.int32), matrix.indices, matrix.indptr), shape=matrix.shape)


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


GLOBALISATIONS: dict[str, Callable[[PairScores, int], Columns]] = {
    "max": lambda scores, count: np.argsort(-maximum(scores), kind="stable")[:count],
    "weighted-mean": lambda scores, count: np.argsort(-weighted_mean(scores), kind="stable")[:count],
    "round-robin": rank_round_robin,
}
