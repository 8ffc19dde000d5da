"""Folders that appear whole or not at all."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from classmark.persistence import check_writable


@contextmanager
def making(target: Path) -> Iterator[Path]:
    """Give a new folder beside the target, renamed to it at the end and removed if anything goes wrong.

    A folder that is already there stays until the new one is complete, and is then gone with all that it held:
    whoever calls this has made sure that nothing is lost.
    """
    temporary = _beside(target)
    check_writable(temporary)
    temporary.mkdir()
    try:
        yield temporary
        _put_in_place(temporary, target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _put_in_place(folder: Path, target: Path) -> None:
    """Rename a folder to the target; a folder cannot be renamed over a full one, so the old one steps aside."""
    old = _beside(target)
    if target.exists():
        target.rename(old)
    try:
        folder.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.name}.{token_hex(4)}.tmp")
