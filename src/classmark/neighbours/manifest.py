"""The manifest of a live index: the one file that says which others count, replaced whole.

A writer puts new files beside the old ones and then replaces the manifest; only after that are files deleted that no
manifest names. So at every moment the folder holds one whole index, that before the write or that after it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from classmark.neighbours.scoring import UNSAID
from classmark.persistence import replacing
from classmark.text import TextSettings

FORMAT = 1
NAME = "index.json"
LOCK = "index.lock"
ENDING = ".segment"
DELETED = ".deleted"


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What an index consists of: its format, how it scores and reads text, and the names of its files in order."""

    format: int = FORMAT
    scoring: str = "okapi"
    k1: float = 1.2
    b: float = 0.75
    idf: str = UNSAID
    text: TextSettings = TextSettings()
    writes: int = 0
    segments: tuple[str, ...] = ()
    deleted: str | None = None

    @property
    def files(self) -> set[str]:
        """The names of all files that count."""
        return {*self.segments, *([self.deleted] if self.deleted else [])}


def read_manifest(folder: Path) -> Manifest:
    """Read and check the manifest of a folder."""
    path = folder / NAME
    if not path.is_file():
        raise FileNotFoundError(f"{folder}: no index ({NAME} is missing); make one with classmark index create")
    data = path.read_bytes()
    try:
        found = msgspec.json.decode(data, type=dict[str, object]).get("format")
        if found != FORMAT:
            raise ValueError(f"{path}: index format {found}, this version of classmark reads {FORMAT}; build it again")
        manifest = msgspec.json.decode(data, type=Manifest)
    except msgspec.DecodeError as error:
        raise ValueError(f"{path}: the manifest is damaged ({error}); build the index again") from None
    if any(Path(name).name != name for name in manifest.files):
        raise ValueError(f"{path}: the manifest names files outside its folder; build the index again")
    return manifest


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest, then remove the files that it does not name."""
    with replacing(folder / NAME) as temporary:
        temporary.write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
    _flush_names(folder)
    for path in folder.iterdir():
        if path.suffix in (ENDING, DELETED, ".tmp") and path.name not in manifest.files:
            path.unlink(missing_ok=True)


def _flush_names(folder: Path) -> None:
    """Make a rename last through a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other writers out; a lock ends with its process, however that ends."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        yield
        return
    with (folder / LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OSError(f"{folder}: another process is writing to this index; try again when it is done") from None
        yield
