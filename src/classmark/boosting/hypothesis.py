"""The final hypothesis, merged by pivot (adaboost_mh_kr_2000, Equations 10 and 11).

However many rounds chose a term, it is kept once: what it says where it is present, and where it is absent. A score is
then a bias, what all terms say when absent, plus one product of the term matrix with the differences.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csc_array, csr_array

from classmark.arrays import Floats
from classmark.errors import InputError
from classmark.persistence import State, all_below, are_starts, checked_array

DENSE = 0.25
"""From this share of entries that are not 0, a dense matrix of answers is faster than a sparse one."""


@dataclass
class Rounds:
    """The weak hypotheses in the order in which they were found, each already divided by its committee's size.

    Attributes
    ----------
    columns : list of array of int, (n_stumps,) or (n_stumps, n_labels)
        For each round the pivots' columns; where every category has pivots of its own, a column of them each.
    answers : list of array, (n_stumps, 2, n_labels)
        What they say where the pivot is absent and where it is present.
    """

    columns: list[npt.NDArray[np.int64]] = field(default_factory=list)
    answers: list[Floats] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.columns)

    def cut(self, length: int) -> None:
        """Forget all rounds but the first `length`."""
        del self.columns[length:], self.answers[length:]

    def margins(self, X: csr_array, start: int = 0) -> Iterator[Floats]:
        """Give the scores after each round, one array changed in place; from round `start` on, what they add."""
        by_term = csc_array(X)
        n_labels = self.answers[0].shape[2] if self.answers else 0
        margins = np.zeros((X.shape[0], n_labels))
        for columns, answers in zip(self.columns[start:], self.answers[start:], strict=True):
            for column, (absent, present) in zip(columns, answers, strict=True):
                margins += absent
                # The pivot is one for all categories, or one for each.
                if np.ndim(column) == 0:
                    margins[_documents(by_term, int(column))] += present - absent
                    continue
                for label, own in enumerate(column):
                    margins[_documents(by_term, own), label] += (present - absent)[label]
            yield margins

    def to_state(self) -> State:
        """Give the rounds one after the other, and how many stumps each has."""
        return {
            "sizes": np.array([len(columns) for columns in self.columns]),
            "columns": np.concatenate(self.columns),
            "answers": np.concatenate(self.answers),
        }

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Take up what `to_state` gave.

        >>> one = Rounds([np.array([4, 2])], [np.zeros((2, 2, 3))])
        >>> Rounds.from_state(one.to_state()).columns
        [array([4, 2])]
        """
        ends = np.cumsum(state["sizes"])[:-1]
        return cls(*(np.split(np.array(state[name]), ends) for name in ("columns", "answers")))

    def merged(self, n_labels: int) -> "Hypothesis":
        """Merge all rounds by pivot."""
        shared = all(columns.ndim == 1 for columns in self.columns)
        width = 1 if shared else n_labels
        columns = np.concatenate([np.broadcast_to(c.reshape(len(c), -1), (len(c), width)) for c in self.columns])
        answers = np.concatenate(self.answers)
        kept, positions = np.unique(columns, return_inverse=True)
        rows = np.broadcast_to(positions.reshape(columns.shape), (len(columns), n_labels))
        labels = np.broadcast_to(np.arange(n_labels), rows.shape).ravel()
        shape = (kept.size, n_labels)
        absent, present = (
            csr_array(coo_array((answers[:, side].ravel(), (rows.ravel(), labels)), shape=shape)) for side in (0, 1)
        )
        return Hypothesis(kept.astype(np.int32), absent, present)


def _documents(by_term: csc_array, column: int) -> npt.NDArray[np.int32]:
    documents: npt.NDArray[np.int32] = by_term.indices[by_term.indptr[column] : by_term.indptr[column + 1]]
    return documents


@dataclass(frozen=True)
class Hypothesis:
    """What every pivot says: `absent` and `present`, one row per pivot and one column per category."""

    columns: npt.NDArray[np.int32]
    absent: csr_array
    present: csr_array

    def __post_init__(self) -> None:
        difference = csr_array(self.present - self.absent)
        dense = difference.nnz >= DENSE * np.prod(difference.shape)
        object.__setattr__(self, "bias", np.asarray(self.absent.sum(axis=0)))
        object.__setattr__(self, "_difference", difference.toarray() if dense else difference)

    bias: Floats = field(init=False)
    _difference: Floats | csr_array = field(init=False, repr=False)

    def scores(self, X: csr_array) -> Floats:
        """Score documents, given as rows of 0 and 1."""
        found = X[:, self.columns] @ self._difference
        return np.asarray((found.toarray() if isinstance(found, csr_array) else found) + self.bias)

    def contributions(self, X: csr_array, labels: npt.NDArray[np.int32]) -> csr_array:
        """Give what every pivot says about each document in one category, `labels[i]` of document i."""
        present = X[:, self.columns].toarray() != 0
        said = np.where(present, self.present[:, labels].toarray().T, self.absent[:, labels].toarray().T)
        rows, pivots = np.nonzero(said)
        return csr_array((said[rows, pivots], (rows, self.columns[pivots])), shape=X.shape)

    def to_state(self) -> State:
        """Give the hypothesis as plain arrays."""
        return {
            "columns": self.columns,
            "indices": self.absent.indices.astype(np.int32),
            "indptr": self.absent.indptr.astype(np.int64),
            "answers": np.stack([self.absent.data, self.present.data]),
        }

    @classmethod
    def from_state(cls, state: State, n_features: int, n_labels: int) -> Self:
        """Take up a hypothesis, refusing what cannot be one."""
        columns = checked_array(state, "columns", np.int32, (None,))
        indptr = checked_array(state, "indptr", np.int64, (columns.size + 1,))
        indices = checked_array(state, "indices", np.int32, (None,))
        answers = checked_array(state, "answers", np.float64, (2, indices.size))
        if not all_below(columns, n_features) or (np.diff(columns) <= 0).any():
            raise InputError("the model's pivots do not fit its terms")
        if not (are_starts(indptr, indices.size) and all_below(indices, n_labels)):
            raise InputError("the model's answers do not fit its categories")
        shape = (columns.size, n_labels)
        return cls(columns, *(csr_array((side, indices, indptr), shape=shape) for side in answers))
