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
from typing import IO

ENDING = ".classmark.tmp"
SHOWN = 40
"""So many characters of the file's name are in that of the temporary one, for the system limits its length."""


def is_temporary(path: Path) -> bool:
    """Say by its name whether a file is a temporary one."""
    return path.name.endswith(ENDING)


@contextmanager
def temporary_beside(target: Path) -> Iterator[Path]:
    """Make an empty file beside the target, held while it is in use; it is removed at the end if it is still there."""
    remove_left_behind(target.parent)
    path, file = _held(target)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        file.close()


def _held(target: Path) -> tuple[Path, IO[bytes]]:
    """Make a new file and lock it, again if another process took it for one left behind between the two."""
    while True:
        path = target.with_name(f".{target.name[:SHOWN]}.{token_hex(4)}{ENDING}")
        file = path.open("xb")
        if not lock(file, wait=True):
            file.close()  # a system without such locks may not let an open file be renamed
            return path, file
        if os.fstat(file.fileno()).st_nlink:
            return path, file
        file.close()


def remove_left_behind(folder: Path) -> None:
    """Remove the temporary files in a folder that nobody writes any more."""
    for path in folder.glob(f".*.{'[0-9a-f]' * 8}{ENDING}"):
        with suppress(OSError):  # gone by now, or another user's
            if path.is_file() and not path.is_symlink():
                with path.open("rb") as file:
                    if lock(file):
                        path.unlink()


def lock(file: IO[bytes] | int, *, wait: bool = False, shared: bool = False) -> bool | None:
    """Lock an open file until its process ends or closes it.

    Return whether the lock is held: False if another process holds it, None if the system has no such locks.
    """
    try:
        import fcntl

        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True
