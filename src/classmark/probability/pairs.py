"""What the curves of probabilities learn from: held-out scores, and targets that do not claim too much."""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats

Truth: TypeAlias = npt.NDArray[np.bool_]
Ends: TypeAlias = npt.NDArray[np.int32]


def known_pairs(scores: Floats, truth: csr_array, pooled: bool) -> Iterator[tuple[Floats, Truth]]:
    """Give for each node, or for all of them together, the scores that say something and whether each is true."""
    if pooled:
        scores, truth = scores.reshape(-1, 1), truth.reshape((-1, 1))
    columns = truth.tocsc()
    for node in range(scores.shape[1]):
        right = np.zeros(scores.shape[0], dtype=bool)
        right[columns.indices[columns.indptr[node] : columns.indptr[node + 1]]] = True
        known = np.isfinite(scores[:, node])
        yield scores[known, node], right[known]


def targets(truth: Truth) -> Floats:
    """Give Platt's targets: a little less than 1 and a little more than 0, the fewer documents the more.

    >>> targets(np.array([True, False, False]))
    array([0.66666667, 0.25      , 0.25      ])
    """
    positives = int(truth.sum())
    return np.where(truth, (positives + 1) / (positives + 2), 1 / (truth.size - positives + 2))
