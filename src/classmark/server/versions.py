"""Which version of a model is served: a file that is replaced is taken up, and the one before can be put back.

A model file is replaced by renaming another onto it, as `classmark train -o` does. The one before is then written
beside it, as `MODEL.previous`; going back puts the two in each other's place, so that all workers, and later ones, take
it up in the ordinary way. A live index has no versions to go back to: its documents are deleted instead.
"""

import gc
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from classmark.errors import InputError
from classmark.index.manifest import read_manifest
from classmark.persistence import INDEX, is_index, read_header
from classmark.pipeline import TextClassifier
from classmark.service.serving import Responder
from classmark.service.storing import LONGEST_VERSION

PREVIOUS = ".previous"
"""What the name of the file before ends in."""


class Mark(NamedTuple):
    """By what it is known, without reading it, whether a file is another one."""

    number: int
    size: int
    changed: int

    @classmethod
    def of(cls, path: Path) -> "Mark | None":
        """Give the mark of a file; None where there is none."""
        try:
            found = path.stat()
        except OSError:
            return None
        return cls(found.st_ino, found.st_size, found.st_mtime_ns)


class Served(NamedTuple):
    """A model that answers, and which it is."""

    responder: Responder
    version: str
    modified: datetime
    mark: Mark | None
    n_writes: int = 0
    """How often a live index was written to; 0 for a model file."""


def marked_file(path: Path) -> Path:
    """Give the file whose change is a change of the model: an index's manifest, or the model file."""
    return path / INDEX if is_index(path) else path


def take_up(path: Path) -> Served:
    """Load a model as it is now."""
    # Looked at before it is loaded: a change meanwhile is seen by the mark.
    mark = Mark.of(marked_file(path))
    responder = _ready(TextClassifier.load(path))
    if is_index(path):
        n_writes = read_manifest(path).writes
        return Served(responder, f"write-{n_writes}", _modified(mark), mark, n_writes)
    return Served(responder, read_header(path).checksum[:LONGEST_VERSION], _modified(mark), mark)


def _ready(model: TextClassifier) -> Responder:
    """Let a model answer once, so that nobody waits for what is imported and compiled the first time."""
    responder = Responder(model)
    responder.suggest([""], 1)
    # A model is millions of objects that stay; to look through them for garbage takes a tenth of a second each time.
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    return responder


def _modified(mark: Mark | None) -> datetime:
    return datetime.fromtimestamp(0 if mark is None else mark.changed / 1e9, UTC).replace(microsecond=0)


def previous_of(path: Path) -> Path:
    """Give where the version before is kept."""
    return path.with_name(path.name + PREVIOUS)


def keep_previous(path: Path, before: Served) -> None:
    """Write the version that was served until now beside the one that has taken its place."""
    if previous_version(path) != before.version:
        before.responder.model.save(previous_of(path))


def previous_version(path: Path) -> str | None:
    """Give the version before, where there is one that can be read."""
    try:
        return read_header(previous_of(path)).checksum[:LONGEST_VERSION]
    except (ValueError, OSError):
        return None


def put_back(path: Path) -> None:
    """Put the version before in the place of the present one, and that in its place."""
    target = previous_of(path)
    if not target.is_file():
        raise InputError(f"{path.name}: there is no version before this one; it is kept when a model file is replaced")
    with _linked(path) as present:
        target.replace(path)
        present.replace(target)


@contextmanager
def _linked(path: Path) -> Iterator[Path]:
    """Give a file a second name for a while."""
    second = path.with_name(f".{path.name}.{os.getpid()}")
    second.unlink(missing_ok=True)
    try:
        os.link(path, second)
    except OSError:
        shutil.copy2(path, second)
    try:
        yield second
    finally:
        second.unlink(missing_ok=True)
