"""Temporary files beside the files that they become, told apart from those that a killed process left behind.

Who writes a temporary file holds a lock on it, and a lock ends with its process, however that ends. So the next writer
in the folder knows what nobody writes any more: it gets the lock, and removes the file. Where the system has no such
locks, nothing is removed.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

ENDING = ".classmark.tmp"
SHOWN = 40
"""So many characters of the file's name are in that of the temporary one, for the system limits its length."""


@contextmanager
def temporary_beside(target: Path) -> Iterator[Path]:
    """Make an empty file beside the target, held while it is in use; it is removed at the end if it is still there."""
    remove_left_behind(target.parent)
    path, descriptor = _held(target)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _held(target: Path) -> tuple[Path, int]:
    """Make a new file and lock it, again if another process took it for one left behind between the two."""
    while True:
        path = target.with_name(f".{target.name[:SHOWN]}.{token_hex(4)}{ENDING}")
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)
        lock(descriptor, wait=True)
        if os.fstat(descriptor).st_nlink:
            return path, descriptor
        os.close(descriptor)


def remove_left_behind(folder: Path) -> None:
    """Remove the temporary files in a folder that nobody writes any more."""
    for path in folder.glob(f".*{ENDING}"):
        with suppress(OSError):  # gone by now, or another user's
            _remove_if_free(path)


def _remove_if_free(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if lock(descriptor):
            path.unlink()
    finally:
        os.close(descriptor)


def lock(descriptor: int, *, wait: bool = False) -> bool:
    """Lock an open file until it is closed; say whether that was possible."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (ImportError, OSError):
        return False
    return True
