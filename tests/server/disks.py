"""A disk that is soon full: a small file system in memory where one may be mounted, or a limit on the size of files."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SMALL = 1 << 20


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """Mount a small file system at a folder; False where that is not allowed."""
    folder.mkdir()
    mounted = not _run("mount", "-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", str(folder))
    try:
        yield mounted
    finally:
        if mounted:
            _run("umount", "--lazy", str(folder))


def _run(*command: str) -> int:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode
    except FileNotFoundError:
        return 1


def fill(folder: Path) -> Path:
    """Leave no byte free on the disk of a folder."""
    path = folder / "filling"
    with path.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while file.write(b"x" * size) == size:
                    pass
            except OSError:
                continue
    return path
