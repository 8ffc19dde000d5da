"""What an experiment finds around it: corpora, a seed, threads."""

from collections.abc import Callable, Hashable, Iterator
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from classmark.data import Corpus, load_docstrings, read_corpus
from classmark.data.formats.dataset import belongs, is_dataset
from classmark.data.sets import CATALOGUE, installed
from classmark.errors import InputError

T = TypeVar("T")

EMBEDDED = "docstrings"
"""The corpus that is always there."""
PAPERS = "-paper"
"""What a corpus in the form that a paper has it is called by besides its name."""


class Surroundings:
    """Where experiments run.

    Parameters
    ----------
    data : str or Path, optional
        A folder of dataset folders, which is looked in first; then come those of `classmark datasets`.
    seed : int
        The seed of everything random.
    jobs : int, optional
        How many threads or processes learn at a time.
    """

    def __init__(self, data: str | Path | None = None, *, seed: int = 0, jobs: int | None = None) -> None:
        if data is not None and not Path(data).is_dir():
            raise FileNotFoundError(f"{data}: no such folder; give the folder that holds the dataset folders")
        if jobs == 0:
            raise InputError("jobs=0: must be a number of threads, or -1 for one per core")
        self.data = None if data is None else Path(data)
        self.seed = seed
        self.jobs = jobs
        self._kept: dict[str, tuple[Hashable, Any]] = {}
        self._fingerprints: dict[str, str] = {}

    def find(self, name: str) -> Path | None:
        """Give the folder of a corpus, in the form that the papers have it if there is one, or none."""
        names = (name + PAPERS, name)
        if self.data is not None:
            for one in names:
                if is_dataset(self.data / one):
                    return self.data / one
        there = installed()
        return next((there[one] for one in names if one in there), None)

    def lacks(self, name: str) -> str | None:
        """Say in words that a corpus is not here and how to get it, or nothing if it is."""
        if name == EMBEDDED or self.find(name) is not None:
            return None
        for one in (name + PAPERS, name):
            if one in CATALOGUE:
                return f"needs the corpus {name}; classmark datasets get {one} gets it"
        return f"needs the corpus {name}: a dataset folder of this name; put it into --data"

    def corpus(self, name: str) -> Corpus:
        """Read a corpus; the last one stays in memory."""
        folder = self.find(name)
        return self.keep("corpus", name, lambda: load_docstrings() if folder is None else read_corpus(folder))

    def fingerprint(self, name: str) -> str:
        """Give a hash of the contents of a corpus."""
        if name not in self._fingerprints:
            folder = self.find(name)
            contents = self._embedded(name) if folder is None else _files(folder)
            digest = sha256()
            for part in contents:
                digest.update(part)
            self._fingerprints[name] = digest.hexdigest()
        return self._fingerprints[name]

    def _embedded(self, name: str) -> Iterator[bytes]:
        corpus = self.corpus(name)
        yield msgspec.json.encode([corpus.documents, corpus.labels, corpus.splits])

    def keep(self, what: str, key: Hashable, make: Callable[[], T]) -> T:
        """Give what was made last, if it was made with the same key, or else make it: corpora are large."""
        if what not in self._kept or self._kept[what][0] != key:
            self._kept.pop(what, None)
            self._kept[what] = (key, make())
        made: T = self._kept[what][1]
        return made


def _files(folder: Path) -> Iterator[bytes]:
    """Give the names of the files of a dataset, each with a hash of its contents."""
    for place in sorted(folder.iterdir()):
        if place.is_file() and belongs(place.name):
            yield place.name.encode()
            with place.open("rb") as file:
                yield file_digest(file, "sha256").digest()
