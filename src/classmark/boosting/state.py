"""What rounds with shared pivots keep, as plain arrays: every kernel of them takes it whole."""

from typing import NamedTuple

from classmark.arrays import Floats
from classmark.boosting.merits import Integers


class State(NamedTuple):
    """What an engine keeps from round to round, and room to work in.

    Attributes
    ----------
    tables : array, (2, n_frequent, n_labels)
        The stored weights with every frequent term, of the positive and of the negative pairs.
    scales : array, (3, n_labels)
        What makes stored weights those of the distribution, for positive and negative pairs; √ of their product.
    totals, swept_totals, peaks : array, (2, n_labels)
        The sums of the stored weights, what they were when last summed, and the largest they have been since the tables
        were summed.
    shifts : array, (2, n_labels)
        By how much the totals have changed in this round.
    slopes, used_slopes : array, (3, n_labels)
        How far a stored weight can raise a merit, and what the bounds were found with.
    limits : array, (2,)
        The merit of a term in no document, and the factor by which the bounds must be stretched.
    merits, bounds : array, (n_terms,)
        Found by the search, and for the rare terms before it.
    rises : array, (n_documents,)
        How far each document lets the merits of its terms rise.
    block_starts, block_totals : array, (n_blocks + 1,) and (n_blocks, 2, n_labels)
        The blocks of documents, and the sums of the stored weights in each.
    changes, positive_changes : array, (chunk, n_labels) and (n_positive_pairs,)
        By how much the stored weights of some documents with a pivot have changed.
    """

    tables: Floats
    scales: Floats
    totals: Floats
    swept_totals: Floats
    shifts: Floats
    peaks: Floats
    slopes: Floats
    used_slopes: Floats
    limits: Floats
    merits: Floats
    bounds: Floats
    rises: Floats
    block_starts: Integers
    block_totals: Floats
    changes: Floats
    positive_changes: Floats


class Rule(NamedTuple):
    """What does not change from round to round; see `engine` for what the last six are."""

    prediction: int
    criterion: int
    epsilon: float
    tied: float
    doubt: float
    certain: float
    widest_stretch: float
    sunk: float
    faded: float
