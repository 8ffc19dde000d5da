"""Documents that are like one another: by the angle between the rows that a model makes of their texts."""

import threading
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack

from classmark.pipeline import TextClassifier

KEPT = 4000
"""So many rows are kept at most; beyond that all are made anew."""


class Like(NamedTuple):
    """A document among others, and how like it is, from 0 to 1."""

    position: int
    likeness: float


def nearest(rows: csr_array, row: csr_array, most: int, least: float) -> list[Like]:
    """Give the rows with the greatest cosine to one row, the most like first; rows of nothing are like none.

    Examples
    --------
    >>> rows = csr_array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
    >>> [(one.position, round(one.likeness, 3)) for one in nearest(rows, csr_array([[3.0, 0.0]]), 2, 0.1)]
    [(0, 1.0), (1, 0.707)]
    """
    products = np.asarray((rows @ row.T).todense(), dtype=np.float64).ravel()
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel() * row.multiply(row).sum())
    cosines = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    order = np.lexsort((np.arange(len(cosines)), -cosines))[:most]
    return [Like(int(place), min(float(cosines[place]), 1.0)) for place in order if cosines[place] >= least]


class Rows:
    """The rows of documents by a model, kept as long as the model is the same: most are asked for again."""

    def __init__(self) -> None:
        self._of: Any = None
        self._places: dict[Hashable, int] = {}
        self._rows: csr_array | None = None
        self._lock = threading.Lock()

    def of(self, model: TextClassifier, keys: Sequence[Hashable], texts: Sequence[str]) -> csr_array:
        """Give the rows of some texts; a text is known by its key."""
        with self._lock:
            return self._found(model, keys, texts)

    def _found(self, model: TextClassifier, keys: Sequence[Hashable], texts: Sequence[str]) -> csr_array:
        if model is not self._of or len(self._places) > KEPT:
            self._of, self._places, self._rows = model, {}, None
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._places}
        if new:
            made = csr_array(model.transform(list(new.values())))
            self._rows = made if self._rows is None else csr_array(vstack([self._rows, made]))
            for key in new:
                self._places[key] = len(self._places)
        if self._rows is None:
            return csr_array((0, 0))
        return self._rows[[self._places[key] for key in keys]]
