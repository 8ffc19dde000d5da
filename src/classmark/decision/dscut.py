"""R-cut and DS-cut: decisions by rank.

DS-cut has thresholds on scores relative to the best (lshtc_knn_2014, "DS-cut thresholding strategy").
The paper learns the thresholds and the number of labels on a validation set, by the mean of its accuracy

    A(l_p, l_a) = |l_p ∩ l_a| / √(|l_p| |l_a|),

the cosine of predicted and actual labels, and lets no threshold fall under 0.4 ("Tuning threshold parameters").
`TunedDSCut` tries every combination on a grid. The labels of a document are the first of its ranking, so that what a
rank brings does not depend on the thresholds, only whether it is reached: Σ of what rank r brings, over the documents
that reach ranks 2 to r, is a sum over the corner of a histogram of their shares, and all corners are found at once.
"""

from dataclasses import replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.checks import Constraint, integer, real
from classmark.decision.base import Decision, LearnedDecision
from classmark.hierarchy import Hierarchy


def ranked_ends(scores: npt.NDArray[np.float64], ends: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.int32]:
    """Give each document's best ends, best first, the first of equals first: `(n_documents, count)`."""
    order = np.argsort(-scores[:, ends], axis=1, kind="stable")[:, :count]
    return np.asarray(ends[order], dtype=np.int32)


def sets_of(nodes: npt.NDArray[np.int32], accepted: npt.NDArray[np.bool_], size: int) -> csr_array:
    """Make an indicator of the accepted ones among each document's nodes."""
    documents = np.repeat(np.arange(len(nodes)), accepted.sum(axis=1))
    return csr_array((np.ones(documents.size, bool), (documents, nodes[accepted])), shape=(len(nodes), size))


class RCut(Decision):
    """Take the r best categories, whatever they score, and their ancestors.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> flat = Hierarchy.flat("abc")
    >>> RCut(2).decide(np.array([[3.0, 1.0, 2.0]]), flat, flat.leaves).toarray()
    array([[ True, False,  True]])
    """

    ranks_ends: ClassVar[bool] = True

    r: Annotated[int, integer(ge=1), "How many categories are taken."] = 1

    @property
    def ranks(self) -> int:
        """As many as it takes."""
        return self.r

    def decide(self, scores: npt.NDArray[np.float64], hierarchy: Hierarchy, ends: npt.NDArray[np.int32]) -> csr_array:
        """Give the best ends of each document and their ancestors; an end that nothing was learned of never."""
        nodes = ranked_ends(scores, ends, self.r)
        known = np.isfinite(np.take_along_axis(scores, nodes, axis=1))
        return hierarchy.close(sets_of(nodes, known, len(hierarchy)))


STEP = 0.05
"""How far apart the thresholds are that are tried."""
EQUAL = 1e-9
"""Means that differ by no more than this are equal: by rounding errors, that is."""

is_share = real(ge=0, le=1).accepts


def is_by_rank(value: Any) -> bool:
    """Say whether a value is a list of shares, one a rank."""
    return isinstance(value, tuple | list) and len(value) > 0 and all(map(is_share, value))


def parse_numbers(text: str) -> tuple[float, ...]:
    """Parse numbers as the command line writes them.

    >>> parse_numbers("1/0.6")
    (1.0, 0.6)
    """
    return tuple(float(number) for number in text.split("/"))


BY_RANK = Constraint(is_by_rank, "numbers >= 0 and <= 1, such as (1, 0.6, 0.4) or 1/0.6/0.4", parse_numbers)


class DSCut(Decision):
    """Take the best category, and the next ones while their share of the best score reaches a threshold by rank.

    The scores of a document are divided by its highest. The first category is always taken, the second if its share is
    at least the second threshold, and so on; where one falls short, those behind it do not come in either. A share
    means something for positive scores only: where the best score is not positive, it is taken alone.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> flat = Hierarchy.flat("abc")
    >>> DSCut().decide(np.array([[5.0, 3.0, 1.9]]), flat, flat.leaves).toarray()
    array([[ True,  True, False]])
    """

    ranks_ends: ClassVar[bool] = True

    thresholds: Annotated[
        tuple[float, ...],
        BY_RANK,
        "One for each rank, so that there are at most as many labels; the paper's are 1, .6 and .4.",
    ] = (1.0, 0.6, 0.4)

    @property
    def ranks(self) -> int:
        """As many as there are thresholds."""
        return len(self.thresholds)

    def decide(self, scores: npt.NDArray[np.float64], hierarchy: Hierarchy, ends: npt.NDArray[np.int32]) -> csr_array:
        """Give the categories that come near enough to the best, and their ancestors; an unknown one never."""
        nodes = ranked_ends(scores, ends, len(self.thresholds))
        ranked = np.take_along_axis(scores, nodes, axis=1)
        reached = _reached(ranked, np.array(self.thresholds[: nodes.shape[1]]))
        reached[:, 0] = np.isfinite(ranked[:, 0])
        return hierarchy.close(sets_of(nodes, np.logical_and.accumulate(reached, axis=1), len(hierarchy)))


def _reached(ranked: Floats, thresholds: Floats) -> npt.NDArray[np.bool_]:
    """Say whether the share of the best score reaches a threshold; never where the best is not positive."""
    best = ranked[:, :1]
    return np.asarray((best > 0) & (ranked >= thresholds * np.maximum(best, 0.0)))


class TunedDSCut(DSCut, LearnedDecision):
    """DS-cut with the thresholds, and the number of labels, that are best on held-out documents.

    The best is the highest mean cosine of the labels of a document and those it gets, as the paper measures; of equals
    the fewest labels, then the highest thresholds from the second rank on. All combinations are tried, in steps of
    0.05.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> scores = np.array([[1.0, 0.7, 0.3], [1.0, 0.5, 0.5], [0.2, 1.0, 0.7]])
    >>> labels = csr_array(np.array([[1, 1, 0], [1, 0, 0], [0, 1, 1]], dtype=bool))
    >>> TunedDSCut().fit(scores, labels, Hierarchy.flat("abc")).thresholds
    (1.0, 0.7)
    """

    floor: Annotated[float, real(ge=0, le=1), "The lowest threshold that is tried, the paper's 0.4 by default."] = 0.4
    most: Annotated[int, integer(ge=1, le=6), "The largest number of labels that is tried."] = 5

    @property
    def learned_ranks(self) -> int:
        """As many as there may be labels."""
        return self.most

    def fit(self, scores: Floats, labels: csr_array, hierarchy: Hierarchy) -> Self:
        """Learn the thresholds from the scores of documents and their own labels."""
        own = hierarchy.own(hierarchy.close(labels))
        ends = np.unique(own.indices).astype(np.int32)
        nodes = ranked_ends(scores, ends, self.most)
        return self.fit_ranked(nodes, np.take_along_axis(scores, nodes, axis=1), own)

    def fit_ranked(self, nodes: npt.NDArray[np.int32], ranked: Floats, own: csr_array) -> Self:
        """Learn the thresholds from the best ends of documents, up to `most` each."""
        gains = _gains(nodes, own)
        # Down from 1, so that of equals the first is the highest.
        grid = np.unique(np.append(np.arange(self.floor, 1.0, STEP).round(10), 1.0))[::-1]
        sums = _sums_of_gains(ranked, gains, grid)
        enough = max(float(one.max()) for one in sums) - EQUAL * len(ranked)
        best = next(one for one in sums if one.max() >= enough)
        chosen = np.unravel_index(int(np.argmax(best >= enough)), best.shape)
        return replace(self, thresholds=(1.0, *(float(grid[place]) for place in chosen)))


def _gains(nodes: npt.NDArray[np.int32], own: csr_array) -> Floats:
    """Give by how much every rank changes the cosine of a document, if all before it are taken; 0 without labels."""
    rows = np.arange(len(nodes), dtype=np.int64)[:, None] * own.shape[1]
    true = np.isin(rows + nodes, np.repeat(rows, np.diff(own.indptr)) + own.indices)
    ranks = np.arange(1, nodes.shape[1] + 1)
    lengths = np.sqrt(np.maximum(np.diff(own.indptr), 1))[:, None] * np.sqrt(ranks)
    return np.diff(np.cumsum(true, axis=1) / lengths, axis=1, prepend=0.0)


def _sums_of_gains(ranked: Floats, gains: Floats, grid: Floats) -> list[Floats]:
    """Give for each number of labels what every combination of thresholds brings, with an axis for each rank."""
    # The place in the grid of the highest threshold that a share reaches, behind all where it reaches none.
    places = grid.size - np.sum([_reached(ranked, threshold) for threshold in grid], axis=0)
    sums: list[Floats] = [np.zeros(())]
    for rank in range(1, ranked.shape[1]):
        there = places[:, 1 : rank + 1]
        inside = (there < grid.size).all(axis=1)
        corner = np.zeros((grid.size,) * rank)
        np.add.at(corner, tuple(there[inside].T), gains[inside, rank])
        for axis in range(rank):
            corner = np.cumsum(corner, axis=axis)
        sums.append(sums[-1][..., None] + corner)
    return sums
