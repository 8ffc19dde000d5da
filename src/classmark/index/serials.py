"""Which document is which: numbers change where deleted documents go, and serials never do.

A document gets its serial when it comes, each one higher than all before. In every state of an index the serials of its
documents rise with their numbers; so whoever has been sent documents can be told which of them are still there, what
their numbers are now, and which have come since.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from classmark.index.segment import Segment

Serials = npt.NDArray[np.int64]


class Origin:
    """What all states of one index have in common: it gives serials, each once.

    >>> origin = Origin()
    >>> origin.give(2).tolist(), origin.give(1).tolist()
    ([0, 1], [2])
    """

    def __init__(self) -> None:
        self._n_given = 0

    def give(self, count: int) -> Serials:
        """Give so many serials that nothing has had."""
        first, self._n_given = self._n_given, self._n_given + count
        return np.arange(first, first + count)


class Documents(NamedTuple):
    """The documents of one state of an index, segment by segment: which are there, and their serials."""

    segments: list[Segment]
    present: list[npt.NDArray[np.bool_]]
    serials: list[Serials]

    def there(self) -> tuple[Serials, npt.NDArray[np.int32]]:
        """Give the serials of the documents that are there, and their numbers; both rise."""
        numbers = np.flatnonzero(np.concatenate([np.empty(0, bool), *self.present])).astype(np.int32)
        return np.concatenate([np.empty(0, np.int64), *self.serials])[numbers], numbers
