"""`resplit`: an approach on a corpus, divided anew for every repetition (consistent_global_2006, section 7.1).

Two thirds of the documents at random are learned from, the others are tested on. With `own_splits` the corpus itself
says how it is divided: a repetition learns from the split `NAME-train` and is tested on `NAME-test`.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.data import Corpus
from classmark.data.splits import Parts, random_split
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.labels import encode
from classmark.reader import Reader
from classmark.registry import find_method
from classmark.text import TextSettings
from reproductions.experiments.approaches import METHODS, SEEDS_APART, Approach, Trial, repeat
from reproductions.experiments.base import Experiment
from reproductions.surroundings import Surroundings
from reproductions.verdicts import Measured

SHARES = {"train": 2 / 3, "test": 1 / 3}


class Resplit(Approach, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A corpus, how its text is read, and how it is divided.

    `groups` are categories to be put in the place of the corpus's hierarchy, by the names of parents to be; documents
    with none of them are left out.
    """

    corpus: str
    settings: dict[str, Any] = msgspec.field(default_factory=dict)
    groups: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    own_splits: bool = False

    def corpora(self) -> tuple[str, ...]:
        """Give the name of its corpus."""
        return (self.corpus,)

    def check(self) -> None:
        """Refuse a setting that there is not."""
        self.text()

    def text(self) -> TextSettings:
        """Give how text is read."""
        return find_method(METHODS[self.approach]).configure(self.settings)[1]


class Pool(NamedTuple):
    """The documents of a corpus that take part, counted."""

    hierarchy: Hierarchy
    X: csr_array
    labels: csr_array
    splits: npt.NDArray[np.object_]


def run(conditions: Sequence[Resplit], surroundings: Surroundings) -> list[Measured]:
    """Measure each condition over all its repetitions."""
    return [_measure(condition, surroundings) for condition in conditions]


def _measure(condition: Resplit, surroundings: Surroundings) -> Measured:
    text = condition.text()
    key = (condition.corpus, tuple(condition.groups.items()), text)
    pool = surroundings.keep(
        "groups", key, lambda: _pool(surroundings.corpus(condition.corpus), condition.groups, text)
    )
    return repeat(condition, partial(_trial, condition, pool), surroundings)


def _trial(condition: Resplit, pool: Pool, seed: int) -> Trial:
    if condition.own_splits:
        parts = _own_parts(pool.splits, seed % SEEDS_APART)
    else:
        parts = random_split(pool.X.shape[0], SHARES, seed=seed)
    train, test = parts["train"], parts["test"]
    labels, truth = csr_array(pool.labels[train]), csr_array(pool.labels[test])
    return Trial(pool.hierarchy, csr_array(pool.X[train]), labels, csr_array(pool.X[test]), truth)


def _own_parts(splits: npt.NDArray[np.object_], number: int) -> Parts:
    """Give the documents of one of the corpus's own divisions, in the order of their names."""
    names = sorted({str(name).removesuffix("-train") for name in splits if str(name).endswith("-train")})
    if number >= len(names):
        raise InputError(f"{len(names)} splits are called NAME-train; the table asks for repetition {number + 1}")
    parts = {part: np.flatnonzero(splits == f"{names[number]}-{part}") for part in SHARES}
    if not parts["test"].size:
        raise InputError(f"there is a split {names[number]}-train, and none called {names[number]}-test; add it")
    return parts


def _pool(corpus: Corpus, groups: dict[str, tuple[str, ...]], text: TextSettings) -> Pool:
    """Count the documents that have a category, all together: a term that none learned from has is no pivot."""
    hierarchy = _hierarchy(corpus, groups)
    known = set(hierarchy.names)
    labels = [[label for label in own or () if label in known] for own in corpus.labels]
    taken = corpus.take([row for row, own in enumerate(labels) if own])
    _, X = Reader.learn(text, taken.documents)
    splits = np.array(taken.splits, dtype=object)
    return Pool(hierarchy, X, encode([own for own in labels if own], hierarchy).indicator, splits)


def _hierarchy(corpus: Corpus, groups: dict[str, tuple[str, ...]]) -> Hierarchy:
    """Give the hierarchy of the groups, or else that of the corpus."""
    if groups:
        return Hierarchy.from_nested({name: list(below) for name, below in groups.items()})
    if corpus.hierarchy is None:
        raise InputError(f"{corpus.source}: no hierarchy; add hierarchy.tsv to the folder")
    return corpus.hierarchy


RESPLIT = Experiment(Resplit, run)
