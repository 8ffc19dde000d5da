"""Vectors on disk by content, so that a text is encoded once, however often it is learned from.

A *shard* is a file of vectors, each under a digest of its text, in a folder for each encoder; an encoder is known by
what it gives for a few texts, to the last bit. Texts themselves are not kept. Shards are written whole or not at all,
and never changed, so that any number of processes may read and write at once; a shard that is damaged, or that another
process has deleted, is as if it had never been there. The environment variable CLASSMARK_CACHE names the folder, or
turns it `off`.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from platformdirs import user_cache_path

from classmark.environment import CACHE
from classmark.persistence import checked_array, load, save
from classmark.progress import notice, track
from classmark.text.encoders.kinds import Encoder

Vectors = npt.NDArray[np.float32]
Keys = npt.NDArray[np.bytes_]

ENDING = ".vectors"
LIMIT = 2 << 30
"""How many bytes are kept; the oldest shards are deleted first."""
FEWEST = 128
"""Fewer new texts at a time are not worth a file, such as those of an explanation, each without a word."""
KEY = 16
"""How many bytes a digest has."""
PROBES = (
    "The quick brown fox jumps over the lazy dog.",
    "Ἀθῆναι, Ünïcödé, 東京: it's 3.14 – or “7,5 %”?",
    " ".join(str(number) for number in range(1000)),  # longer than any encoder reads: where it stops is part of it
)
"""Texts by which an encoder is known again."""


def cache_folder() -> Path | None:
    """Return the folder of cached vectors, or None if the cache is turned off."""
    given = os.environ.get(CACHE)
    if given == "off":
        return None
    return (Path(given) if given else user_cache_path("classmark", appauthor=False)) / "vectors"


def cached(encode: Encoder) -> Encoder:
    """Give an encoder that keeps what it gives, unless nothing is to be kept."""
    folder = cache_folder()
    return encode if folder is None else CachedEncoder(encode, folder)


class CachedEncoder:
    """An encoder that looks on disk for the vectors of texts before it encodes them.

    Parameters
    ----------
    encode : function
        The encoder.
    root : Path
        The folder of all encoders' vectors, made when there is something to keep.
    """

    def __init__(self, encode: Encoder, root: Path) -> None:
        probes = np.asarray(encode(list(PROBES)), dtype=np.float32)
        self.encode, self.width = encode, probes.shape[1]
        self.shelf = Shelf(root / blake2b(probes.tobytes(), digest_size=KEY).hexdigest(), self.width)

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Give the vectors of texts."""
        keys = keys_of(texts)
        found = np.zeros((len(texts), self.width), dtype=np.float32)
        missing = np.flatnonzero(~self.shelf.find(keys, found))
        if missing.size:
            found[missing] = self.encode([texts[place] for place in missing.tolist()])
        if missing.size >= FEWEST:
            self.shelf.keep(keys[missing], found[missing])
        return found


class Shelf:
    """The shards of one encoder: a folder."""

    def __init__(self, folder: Path, width: int) -> None:
        self.folder, self.width, self.writable = folder, width, True
        self._shards: dict[Path, Keys] | None = None
        """The keys in each shard; its vectors stay on disk."""

    def find(self, keys: Keys, into: Vectors) -> npt.NDArray[np.bool_]:
        """Put the vectors that are there into the rows of their keys, and say which are."""
        there = np.zeros(len(keys), dtype=bool)
        for path, kept in list(self._known().items()):
            wanted = np.flatnonzero(~there)
            wanted = wanted[np.isin(keys[wanted], kept)]
            shard = self._read(path) if wanted.size else None
            if shard is not None:
                order = np.argsort(shard[0])
                into[wanted] = shard[1][order[np.searchsorted(shard[0], keys[wanted], sorter=order)]]
                there[wanted] = True
        return there

    def keep(self, keys: Keys, vectors: Vectors) -> None:
        """Write a shard, if that can be."""
        if not self.writable:
            return
        path = self.folder / f"{blake2b(keys.tobytes(), digest_size=KEY).hexdigest()}{ENDING}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            save(path, {"keys": keys.view(np.uint8).reshape(-1, KEY), "vectors": vectors})
        except OSError as error:
            self.writable = False
            notice(f"vectors of texts are not kept: {error} ({CACHE} names another folder, or off)")
            return
        self._known()[path] = keys
        delete_oldest(self.folder.parent, LIMIT)

    def _known(self) -> dict[Path, Keys]:
        if self._shards is None:
            self._shards = {}
            paths = sorted(self.folder.glob(f"*{ENDING}"))
            for path in track(paths, "files of kept vectors", len(paths)):
                if (shard := self._read(path)) is not None:
                    self._shards[path] = shard[0]
        return self._shards

    def _read(self, path: Path) -> tuple[Keys, Vectors] | None:
        """Read a shard whole, dropping what is none."""
        try:
            state = load(path)
            keys: npt.NDArray[Any] = checked_array(state, "keys", np.uint8, (None, KEY))
            vectors = checked_array(state, "vectors", np.float32, (len(keys), self.width))
            return np.ascontiguousarray(keys).view(f"S{KEY}").ravel(), vectors
        except FileNotFoundError:
            pass
        except (OSError, ValueError) as error:
            notice(f"{path}: dropped, and its texts encoded again ({error})")
            with suppress(OSError):
                path.unlink()
        self._known().pop(path, None)
        return None


def keys_of(texts: Sequence[str]) -> Keys:
    """Give the digests of texts.

    >>> keys_of(["owl", "gull", "owl"]) == keys_of(["owl"])
    array([ True, False,  True])
    """
    # A lone surrogate is no character, but may stand in a text.
    digests = [blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY).digest() for text in texts]
    return np.frombuffer(b"".join(digests), dtype=f"S{KEY}")


def delete_oldest(root: Path, limit: int) -> None:
    """Delete the oldest shards of all encoders, until the others have so many bytes at most."""
    shards: list[tuple[int, int, Path]] = []
    for path in root.glob(f"*/*{ENDING}"):
        with suppress(OSError):  # another process deletes too
            about = path.stat()
            shards.append((about.st_mtime_ns, about.st_size, path))
    total = sum(size for _, size, _ in shards)
    for _, size, path in sorted(shards):
        if total <= limit:
            return
        with suppress(OSError):
            path.unlink()
        total -= size
