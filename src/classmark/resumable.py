"""Classifiers that learn for long, keep what they have reached in a file, and go on from it.

A subclass asks `taken_up` at the beginning of `learn` what was kept, goes on from there, and gives its checkpoint what
the next step depends on. Copies that learn from parts of the documents, for a decision, keep nothing.
"""

from dataclasses import field
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.base import HierarchicalClassifier
from classmark.checkpoints import Checkpoint, Subject, check_checkpoint, mark_of
from classmark.parted import by_rows
from classmark.persistence import State
from classmark.seen import row_marks

WHATEVER = ("callback", "hierarchy", "decision", "calibration", "n_jobs")
"""Parameters that change nothing in what is learned, or have a mark of their own."""


class ResumableClassifier(HierarchicalClassifier):
    """Base of classifiers whose `fit` takes a `checkpoint`, and goes on from it with `resume`."""

    _checkpoint: Checkpoint | None = field(default=None, init=False)

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None = None,
        *,
        checkpoint: str | Path | None = None,
        resume: bool = False,
    ) -> Self:
        """Learn from documents as rows of X and labels in any form.

        What is learned is kept in the file `checkpoint` every few seconds, where one is named; `resume` goes on from
        it, and gives the same model to the last bit.
        """
        check_checkpoint(checkpoint, resume=resume)
        self._checkpoint = None if checkpoint is None else Checkpoint(checkpoint, resume=resume)
        try:
            return super().fit(X, y, sample_weight)
        finally:
            self._checkpoint = None

    def taken_up(self, X: csr_array, own: csr_array, weight: Floats | None) -> State | None:
        """Give what was kept of learning this, if `fit` goes on from it."""
        return None if self._checkpoint is None else self._checkpoint.begin(self._subject_of(X, own, weight))

    def _subject_of(self, X: csr_array, own: csr_array, weight: Floats | None) -> Subject:
        """Give marks of all that decides what is learned."""
        parents = self.hierarchy_.parents.tocoo()
        names = np.frombuffer("\0".join(map(str, self.hierarchy_.names)).encode(), dtype=np.uint8)
        settings = {name: value for name, value in self.get_params(deep=False).items() if name not in WHATEVER}
        return {
            "method": type(self).__name__,
            "documents": mark_of(np.array(X.shape), by_rows(X, row_marks)),
            "categories": mark_of(names, *parents.coords),
            "labels": mark_of(own.indptr, own.indices),
            "weights of documents": mark_of(weight),
            "settings": {name: _in_words(value) for name, value in settings.items()},
        }


def _in_words(value: Any) -> str:
    """Give a setting as a word that no other one has."""
    return f"{type(value).__name__} {value.get_params()}" if hasattr(value, "get_params") else repr(value)
