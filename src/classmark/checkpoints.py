"""What long learning has reached, kept in a file, so that it goes on after it was stopped as if it had not been.

A checkpoint is a file as models are, written whole or not at all. It has what the next step depends on, and the
*subject*: marks of the documents, the labels and the settings, by which it is known again. It is written every few
seconds, and less often where writing takes long.
"""

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import field
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.base import HierarchicalClassifier
from classmark.errors import InputError
from classmark.parted import by_rows
from classmark.persistence import State, bytes_of, load, save
from classmark.seen import row_marks

SECONDS_BETWEEN = 5.0
"""How long a checkpoint stands before it is written anew, at least."""
TIMES_AS_LONG = 20.0
"""Learning goes on for so many times as long as it took to write."""
Subject = Mapping[str, Any]


class Checkpoint:
    """One run of learning, and the file that it is kept in.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "model.checkpoint"
    >>> stopped = Checkpoint(place)
    >>> stopped.begin({"documents": "12f"})
    >>> stopped.keep(lambda: {"round": 7}, now=True)
    >>> Checkpoint(place, resume=True).begin({"documents": "12f"})
    {'round': 7}
    >>> Checkpoint(place, resume=True).begin({"documents": "99a"})
    Traceback (most recent call last):
    classmark.errors.InputError: ...model.checkpoint: of another run (other documents); give what it was begun ...
    """

    def __init__(self, path: str | Path, *, resume: bool = False) -> None:
        check_checkpoint(path, resume=resume)
        self.path, self.resume = Path(path), resume
        self._subject: dict[str, Any] = {}
        self._next = 0.0
        self.state: State | None = None

    @property
    def is_kept(self) -> bool:
        """Whether there is something to go on from."""
        return self.path.is_file()

    def begin(self, subject: Subject) -> State | None:
        """Give what was kept of a run that is gone on with; nothing where it begins."""
        self._subject = {"classmark": version("classmark"), **subject}
        self.state = self._read() if self.resume else None
        self._next = time.monotonic() + SECONDS_BETWEEN
        return self.state

    def _read(self) -> State:
        try:
            found = load(self.path)
            other, state = others(found["subject"], self._subject), found["state"]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{self.path}: not a checkpoint ({error}); delete it, or do not resume") from None
        if other:
            words = ", ".join(other)
            raise InputError(f"{self.path}: of another run (other {words}); give what it was begun with, or delete it")
        return dict(state)

    def keep(self, state: Callable[[], State], *, now: bool = False) -> None:
        """Write what learning has reached, if it is time to; `state` is asked for it only then."""
        if not now and time.monotonic() < self._next:
            return
        start = time.monotonic()
        try:
            save(self.path, {"subject": self._subject, "state": state()})
        except OSError as error:
            warnings.warn(f"{error}: learning goes on, and nothing more is kept of it", stacklevel=2)
            self._next = float("inf")
            return
        end = time.monotonic()
        self._next = end + max(SECONDS_BETWEEN, TIMES_AS_LONG * (end - start))


def check_checkpoint(path: str | Path | None, *, resume: bool) -> None:
    """Refuse to go on from nothing, and to write over what somebody may want."""
    there = path is not None and Path(path).is_file()
    if resume and not there:
        raise InputError(f"{path or 'resume'}: there is no checkpoint to go on from; do not resume")
    if there and not resume:
        raise InputError(f"{path}: the checkpoint of a run that was stopped; resume it, or delete the file")


def others(found: Subject, given: Subject) -> list[str]:
    """Name what differs between two subjects, settings by their names.

    >>> others({"labels": "a", "settings": {"k": "1", "b": "2"}}, {"labels": "b", "settings": {"k": "1", "b": "3"}})
    ['labels', 'b']
    """
    names: list[str] = []
    for name in [*given, *(name for name in found if name not in given)]:
        before, now = found.get(name), given.get(name)
        if isinstance(before, Mapping) and isinstance(now, Mapping):
            names += others(before, now)
        elif before != now:
            names.append(name)
    return names


def mark_of(*arrays: npt.NDArray[Any] | None) -> str:
    """Give a word that other arrays do not have.

    >>> import numpy as np
    >>> mark_of(np.arange(3)) == mark_of(np.arange(3)), mark_of(np.arange(3)) == mark_of(np.arange(3.0))
    (True, False)
    """
    digest = blake2b(digest_size=16)
    for array in arrays:
        digest.update(b"none" if array is None else f"{array.dtype.str} {array.shape}".encode())
        digest.update(b"" if array is None else bytes_of(array))
    return digest.hexdigest()


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
            "settings": {
                name: f"{type(value).__name__} {value.get_params()}" if hasattr(value, "get_params") else repr(value)
                for name, value in settings.items()
            },
        }
