"""Measured values on disk, one small file a condition, so that a run that was stopped goes on where it was.

The name of a file is a hash of everything that the values depend on: the condition, the seed, the version of classmark
and the contents of the corpora.
"""

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from platformdirs import user_cache_path

from classmark.persistence import replacing
from reproductions.verdicts import Measured


def cache_folder() -> Path:
    """Return the user's folder for measured values, as the platform has it."""
    return user_cache_path("classmark", appauthor=False) / "reproductions"


class Cache:
    """A folder of measured values.

    Parameters
    ----------
    folder : Path
        Made when there is something to keep.
    fresh : bool
        Believe nothing that is there, and replace it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     cache = Cache(Path(folder))
    ...     cache.keep({"rounds": 5}, {"hf": 0.5})
    ...     cache.find({"rounds": 5}), cache.find({"rounds": 10})
    ({'hf': 0.5}, None)
    """

    def __init__(self, folder: Path, *, fresh: bool = False) -> None:
        self.folder = folder
        self.fresh = fresh

    def check(self) -> None:
        """Find out before the work, not after it, that nothing can be kept."""
        place = next(place for place in (self.folder, *self.folder.absolute().parents) if place.exists())
        if not place.is_dir():
            raise NotADirectoryError(f"{place}: not a folder; keep measured values in another one (--cache)")
        if not os.access(place, os.W_OK):
            raise PermissionError(f"{place}: not writable; keep measured values in another folder (--cache)")

    def find(self, key: Mapping[str, Any]) -> Measured | None:
        """Give what was measured for a key; a file that cannot be read or is not what it says counts as none."""
        if self.fresh:
            return None
        try:
            return msgspec.json.decode(self._file(key).read_bytes(), type=dict[str, float])
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def keep(self, key: Mapping[str, Any], measured: Measured) -> None:
        """Keep what was measured for a key, whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with replacing(self._file(key)) as temporary:
            temporary.write_bytes(msgspec.json.encode(measured))

    def _file(self, key: Mapping[str, Any]) -> Path:
        text = msgspec.json.encode(key, order="deterministic")
        return self.folder / f"{sha256(text).hexdigest()[:32]}.json"
