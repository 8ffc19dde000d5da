"""Identity of the SQLite file behind a store: whether the open database is still the file at its path.

SQLite keeps writing to a file that was deleted or moved, and such writes are lost. So a transaction is confirmed only
while the path names the open file, and the names of its log (`-wal`) and shared memory (`-shm`) do so too. Closing any
descriptor of a file drops all POSIX locks of the process on it, those of SQLite included. So a process opens each file
once, and closes it when its last user has gone.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from classmark.persistence import lock
from classmark.store.errors import StoreReplaced

SUFFIXES = ("-wal", "-shm")


class FileIdentity(NamedTuple):
    """Device and inode of a file."""

    device: int
    inode: int

    @classmethod
    def from_path(cls, path: str | Path) -> "FileIdentity | None":
        """Return the identity of the file at a path, or None if it is missing."""
        try:
            status = Path(path).stat()
        except OSError:
            return None
        return cls(status.st_dev, status.st_ino)


_descriptors: dict[FileIdentity, list[int]] = {}
_users: dict[FileIdentity, int] = {}
_lock = Lock()


def _acquire(path: Path) -> FileIdentity:
    """Open a file unless this process has it open, and count its user."""
    with _lock:
        identity = FileIdentity.from_path(path)
        if identity is None or identity not in _descriptors:
            descriptor = os.open(path, os.O_RDONLY)
            status = os.fstat(descriptor)
            identity = FileIdentity(status.st_dev, status.st_ino)
            _descriptors.setdefault(identity, []).append(descriptor)
        _users[identity] = _users.get(identity, 0) + 1
        return identity


def _release(identity: FileIdentity) -> None:
    with _lock:
        _users[identity] -= 1
        if not _users[identity]:
            del _users[identity]
            for descriptor in _descriptors.pop(identity):
                os.close(descriptor)


class StoreFile:
    """The SQLite file of an open store.

    Attributes
    ----------
    path : Path
        The path at which the file was opened.
    abandoned : bool
        Whether the store was replaced, so that its connections must not be used again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.abandoned = False
        self.identity = _acquire(path)
        self._is_open = True
        self._beside: dict[str, FileIdentity] = {}

    def record_log(self) -> None:
        """Record the log and the shared memory that SQLite has opened next to the file."""
        identities = {suffix: FileIdentity.from_path(f"{self.path}{suffix}") for suffix in SUFFIXES}
        self._beside = {suffix: identity for suffix, identity in identities.items() if identity is not None}

    def check(self) -> None:
        """Raise StoreReplaced if the path names another file, or none, or its log was replaced or deleted."""
        problem = self._problem()
        if problem is not None:
            raise StoreReplaced(f"{self.path}: {problem} while the store was open; the request was not saved, retry")

    def _problem(self) -> str | None:
        if self.abandoned:
            return "the file was replaced or deleted"
        identity = FileIdentity.from_path(self.path)
        if identity != self.identity:
            return "the file was deleted" if identity is None else "the file was replaced"
        for suffix, expected in self._beside.items():
            if FileIdentity.from_path(f"{self.path}{suffix}") != expected:
                return f"its log ({self.path.name}{suffix}) was replaced or deleted"
        return None

    @property
    def is_deleted(self) -> bool:
        """Whether no folder names the open file any more, so that closing it frees its content."""
        return os.fstat(_descriptors[self.identity][0]).st_nlink == 0

    @property
    def changed(self) -> float:
        """Time of the last change of the file or of its names, in seconds since the epoch."""
        return os.fstat(_descriptors[self.identity][0]).st_ctime

    def read(self, offset: int, size: int) -> bytes:
        """Return a range of bytes of the file."""
        return os.pread(_descriptors[self.identity][0], size, offset)

    def remove_log(self) -> None:
        """Remove the log and the shared memory of the open file that are still next to the path.

        SQLite would otherwise apply them to the file that is there now.
        """
        for suffix, identity in self._beside.items():
            path = Path(f"{self.path}{suffix}")
            if FileIdentity.from_path(path) == identity:
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """Release the descriptor; SQLite must have closed its connections before."""
        if self._is_open:
            self._is_open = False
            # The last connection removes the log, and a later one makes another.
            self._beside = {}
            _release(self.identity)


@contextlib.contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, waiting for other processes; a process that ends releases it."""
    if os.name == "nt":  # open files can be neither deleted nor replaced there, and folders not opened
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        lock(descriptor, wait=True)
        yield
    finally:
        os.close(descriptor)
