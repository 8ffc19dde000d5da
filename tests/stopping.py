"""Learning that is stopped on its way, and what a model is, to the last bit."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from classmark import checkpoints
from classmark.persistence import save
from classmark.progress import listening

KILLED = """
import os, signal
from classmark import checkpoints
from classmark.progress import listening
from classmark.service import indexing

checkpoints.SECONDS_BETWEEN = 0.0
indexing.DOCUMENTS_IN_A_WRITE = 20


def listen(what, done, total):
    if (what, done) == ({what!r}, {done}):
        os.kill(os.getpid(), signal.SIGKILL)


held = listening(listen)
held.__enter__()
"""
"""Put before a command: it kills itself, as `kill -9` does, when so much is done."""


class StoppedError(Exception):
    """Raised in place of a signal."""


@contextmanager
def stopped(what: str, at: int) -> Iterator[None]:
    """Keep every step of what is learned inside, and stop it when so many are done; so many there must be."""

    def listen(name: str, done: int, total: int | None) -> None:
        if (name, done) == (what, at):
            raise StoppedError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoints, "SECONDS_BETWEEN", 0.0)
        patch.setattr(checkpoints, "TIMES_AS_LONG", 0.0)
        with pytest.raises(StoppedError), listening(listen):
            yield


def bits_of(model: Any, folder: Path) -> bytes:
    """Give the file of a fitted classifier."""
    save(folder / "bits", model.to_state())
    return (folder / "bits").read_bytes()
