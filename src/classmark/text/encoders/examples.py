"""Documents as an encoder learns them: rows of token numbers, own labels and closed labels, of any length each."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.integer[Any]]

BATCHES_TO_SORT = 50
"""Texts are put with others of about their length within so many batches at a time, which stay at random among all."""


@dataclass(frozen=True)
class Ragged:
    """Rows of different lengths, one after the other.

    Examples
    --------
    >>> rows = Ragged.of([[5, 6], [], [7]])
    >>> rows.take(np.array([2, 0])).values.tolist()
    [7, 5, 6]
    """

    starts: Integers
    """Where each row begins, and where the last one ends."""
    values: Integers
    """The entries of all rows."""

    @classmethod
    def of(cls, rows: list[list[int]]) -> "Ragged":
        """Make one of lists."""
        starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        return cls(starts, np.array([value for row in rows for value in row], dtype=np.int64))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Integers:
        """The number of entries of each row."""
        return np.diff(self.starts)

    def take(self, rows: Integers) -> "Ragged":
        """Give some rows, in the order given."""
        lengths = self.lengths[rows]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        within = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
        return Ragged(starts, self.values[np.repeat(self.starts[:-1][rows], lengths) + within])

    def padded(self, most: int) -> tuple[Integers, npt.NDArray[np.bool_]]:
        """Give the rows as a matrix, cut after `most` entries and filled with 0, and which entries are theirs."""
        lengths = np.minimum(self.lengths, most)
        own = np.arange(max(1, int(lengths.max(initial=1)))) < lengths[:, None]
        found = np.zeros(own.shape, dtype=np.int64)
        found[own] = self.values[(self.starts[:-1, None] + np.arange(own.shape[1]))[own]]
        return found, own


@dataclass(frozen=True)
class Examples:
    """Documents to learn from."""

    tokens: Ragged
    """The tokens of each."""
    own: Ragged
    """Its own labels, by their position among the categories that may be own labels."""
    closed: Ragged
    """Its labels and all their ancestors, by position in the hierarchy."""
    weight: npt.NDArray[np.float32]
    """How much each counts."""

    def __len__(self) -> int:
        return len(self.tokens)

    def take(self, rows: Integers) -> "Examples":
        """Give some of them."""
        return Examples(self.tokens.take(rows), self.own.take(rows), self.closed.take(rows), self.weight[rows])


def batches(lengths: Integers, size: int, random: np.random.Generator | None = None) -> Iterator[Integers]:
    """Yield the rows of all texts, `size` at a time, those of about one length together.

    >>> [rows.tolist() for rows in batches(np.array([9, 1, 5, 2]), 2)]
    [[1, 3], [2, 0]]
    """
    order = np.arange(len(lengths)) if random is None else random.permutation(len(lengths))
    step = BATCHES_TO_SORT * size
    runs = (order[start : start + step] for start in range(0, len(order), step))
    found = [run[np.argsort(lengths[run], kind="stable")] for run in runs]
    cut = [run[start : start + size] for run in found for start in range(0, len(run), size)]
    for number in range(len(cut)) if random is None else random.permutation(len(cut)):
        yield cut[number]
