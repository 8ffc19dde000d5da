"""Balanced ranges: parts of the work that one thread or one worker does alone."""

from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Range: TypeAlias = tuple[int, int]


def balanced_ranges(indptr: npt.NDArray[np.integer[Any]], parts: int) -> list[Range]:
    """Cut the rows of a compressed matrix into at most `parts` ranges with about the same number of entries.

    >>> balanced_ranges(np.array([0, 6, 7, 8, 9, 12]), 2)
    [(0, 1), (1, 5)]
    """
    rows = len(indptr) - 1
    aims = indptr[0] + (indptr[-1] - indptr[0]) * np.arange(1, parts) / parts
    cuts = np.unique([0, *np.searchsorted(indptr, aims), rows])
    return [(int(start), int(stop)) for start, stop in pairwise(cuts)]


def even_ranges(items: int, parts: int) -> list[Range]:
    """Cut so many items into at most `parts` ranges of about the same length.

    >>> even_ranges(5, 2)
    [(0, 2), (2, 5)]
    """
    cuts = [items * part // parts for part in range(parts + 1)]
    return [each for each in pairwise(cuts) if each[0] < each[1]]
