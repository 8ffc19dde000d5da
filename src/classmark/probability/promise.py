"""How often answers that are sure enough are right, measured on held-out documents.

A probability of 0.9 need not come true nine times in ten among the answers that reach it. So the answers to held-out
documents are cut at one probability after the other, every own label giving way to its deepest ancestors that reach it,
and it is counted how many labels are given then, and how many of them the document belongs to. The promise *at least P
of the labels are right* is kept by the lowest cut, P itself or above it, where that is sure of new documents too: where
the one-sided lower bound of Clopper and Pearson for the share of right labels is P or more.

Often a cut far below P would do, for the answers that reach it are surer than that on the average. But then labels with
a probability below P are given, and nothing is left for documents that differ from the old ones, such as later ones
(`docs/probabilities.md` has the figures).

No document is measured by what was learned from it: see `classmark.held_out`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import betaincinv

from classmark.arrays import Floats
from classmark.decision.sure import numbered, sure_ranges
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.persistence import State, checked_array

CUTS: Floats = np.concatenate([np.arange(100) / 100, np.arange(991, 1000) / 1000])
"""The probabilities at which answers are cut, finer where few are wrong."""
ASSURANCE = 0.95
"""How sure it is that a promise holds of new documents, as far as these are like the old ones."""
SHOWN = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""The promises that a table shows."""


@dataclass(frozen=True, kw_only=True)
class Promised:
    """A promise, and what became of held-out documents under it."""

    confidence: float
    """The share of labels that are right at least."""
    probability: float
    """What a label must reach."""
    documents: int
    """How many documents were held out."""
    in_full: float
    """The share of them that kept all labels."""
    in_part: float
    """The share of them that were left some ancestors, or some labels."""
    without: float
    """The share of them that were left without a label."""
    right: float
    """The share of the labels given that were right."""


# eq=False: numpy compares arrays element by element, so a generated == could only raise.
@dataclass(frozen=True, eq=False)
class Promise:
    """What was counted on held-out documents: a column of `counts` for each cut.

    Attributes
    ----------
    documents : int
        How many there were.
    cuts : array of float
        The probabilities at which answers were cut, rising.
    counts : array of int, (4, n_cuts)
        The own labels given, those of them that are right, the documents that kept all labels, and those without any.

    Examples
    --------
    >>> one = Hierarchy.flat(["a"])
    >>> labels, chances = csr_array(np.ones((100, 1), bool)), np.arange(100) / 100
    >>> true = csr_array(np.arange(100)[:, None] >= 80)  # of the labels from 0.6 on half are right
    >>> promised = Promise.of([(labels, chances, true)], one).at(0.6)
    >>> promised.probability, round(promised.right, 3), promised.without
    (0.75, 0.8, 0.75)
    """

    documents: int
    cuts: Floats
    counts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, parts: Iterable[tuple[csr_array, Floats, csr_array]], hierarchy: Hierarchy) -> Self:
        """Count on some documents at a time: closed label sets, the chances of the labels, and the closed truth."""
        documents, counts = 0, np.zeros((4, CUTS.size), dtype=np.int64)
        for labels, chances, true in parts:
            documents += labels.shape[0]
            counts += _counted(labels, chances, true, hierarchy)
        return cls(documents, CUTS.copy(), counts)

    @property
    def surely_right(self) -> Floats:
        """The share of right labels that new documents reach at each cut, as far as that is sure."""
        given, right, *_ = self.counts
        bound = betaincinv(np.maximum(right, 1), given - right + 1, 1 - ASSURANCE)
        return np.where(right > 0, bound, 0.0)

    @property
    def most(self) -> float:
        """The greatest promise that can be made."""
        return float(np.minimum(self.cuts, self.surely_right).max())

    def at(self, confidence: float) -> Promised:
        """Give the lowest cut that keeps a promise; refuse one that no cut keeps."""
        kept = np.flatnonzero(np.minimum(self.cuts, self.surely_right) >= confidence)
        if not kept.size:
            raise InputError(
                f"min_precision={confidence:g} is more than the {self.documents:,} documents held out in training can "
                f"promise; give at most {np.floor(1000 * self.most) / 1000:g}, or train on more documents"
            )
        given, right, in_full, without = (int(count) for count in self.counts[:, kept[0]])
        return Promised(
            confidence=confidence,
            probability=float(self.cuts[kept[0]]),
            documents=self.documents,
            in_full=in_full / self.documents,
            in_part=(self.documents - in_full - without) / self.documents,
            without=without / self.documents,
            right=right / given,
        )

    def table(self) -> list[Promised]:
        """Give the usual promises that can be made."""
        return [self.at(confidence) for confidence in SHOWN if confidence <= self.most]

    def to_state(self) -> State:
        """Give what was counted as plain data and arrays."""
        return {"documents": self.documents, "cuts": self.cuts, "counts": self.counts}

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Take up what was counted, refusing what cannot be."""
        cuts = checked_array(state, "cuts", np.float64, (None,))
        counts = checked_array(state, "counts", np.int64, (4, cuts.size))
        documents = state["documents"]
        given, right, in_full, without = counts
        possible = isinstance(documents, int) and cuts.size > 0 and bool((counts >= 0).all())
        if not possible or (right > given).any() or (in_full + without > documents).any():
            raise InputError("the model's promise counts more answers than there are")
        return cls(documents, cuts, counts)


def _counted(labels: csr_array, chances: Floats, true: csr_array, hierarchy: Hierarchy) -> npt.NDArray[np.int64]:
    """Count labels given and right, and documents in full and without any, at each cut."""
    below, reached = sure_ranges(labels, chances, hierarchy)
    documents = np.repeat(np.arange(labels.shape[0]), np.diff(labels.indptr))
    right = np.isin(numbered(labels), numbered(true), assume_unique=True)
    own = np.isneginf(below)
    least, most = np.full(labels.shape[0], np.inf), np.full(labels.shape[0], -np.inf)
    np.minimum.at(least, documents[own], reached[own])
    np.maximum.at(most, documents, reached)
    return np.stack(
        [
            _reaching(reached) - _reaching(below),
            _reaching(reached[right]) - _reaching(below[right]),
            _reaching(least[np.isfinite(least)]),
            labels.shape[0] - _reaching(most),
        ]
    )


def _reaching(values: Floats) -> npt.NDArray[np.int64]:
    """Count for each cut the values that are not below it."""
    return np.asarray(values.size - np.searchsorted(np.sort(values), CUTS), dtype=np.int64)
