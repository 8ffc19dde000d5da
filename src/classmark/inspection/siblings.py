"""Categories without documents or with few, and siblings with nearly the same words.

Siblings are compared by the cosine between the mean tf-idf vectors of their documents. A few documents of each
category are enough for its mean; words are told apart by numbers of 18 bits, so that memory is bounded however many
there are.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array

from classmark.arrays import Integers
from classmark.data.formats.records import Outline
from classmark.hierarchy import Hierarchy, Name
from classmark.hierarchy.build import ROOT
from classmark.inspection.findings import FindingLog
from classmark.inspection.texts import Content

FEW = 5


class Counts:
    """How many documents each category has, with those below it: all of them, and those to learn from."""

    def __init__(self, outline: Outline, hierarchy: Hierarchy | None) -> None:
        self.all = _counted(filter(None, outline.labels), hierarchy)
        learned = zip(outline.labels, outline.splits, strict=True)
        # Where no split is called so, nobody has said yet which are learned from.
        self.train = (
            _counted((labels for labels, split in learned if labels and split == "train"), hierarchy)
            if "train" in outline.splits
            else self.all
        )
        self.names: Iterable[Name] = self.all if hierarchy is None else hierarchy.names

    def spread(self) -> dict[str, int]:
        """Give how many documents a category has that has any."""
        sizes = list(self.all.values())
        return {"least": min(sizes), "median": int(np.median(sizes)), "most": max(sizes)} if sizes else {}

    def check(self, log: FindingLog) -> None:
        """Add the categories that are not learned, or hardly."""
        for name in self.names:
            kind = _kind(self.train[name], self.all[name])
            if kind is not None:
                log.add(kind, str(name), n_documents(self.train[name] or self.all[name]))


def _counted(label_sets: Iterable[list[str]], hierarchy: Hierarchy | None) -> Counter[Name]:
    """Count documents by category, once for each and for each that is above one of theirs."""
    if hierarchy is None:
        return Counter(chain.from_iterable(map(set, label_sets)))
    ancestors, counts = hierarchy.ancestors, Counter[int]()
    above = [part.tolist() for part in np.split(ancestors.indices, ancestors.indptr[1:-1])]
    for labels in label_sets:
        nodes = [hierarchy.position(label) for label in labels if label in hierarchy]
        counts.update({node for own in nodes for node in above[own]})
    return Counter({hierarchy.names[node]: count for node, count in counts.items()})


def _kind(n_train: int, n_all: int) -> str | None:
    """Name what is to be said about a category with so many training documents, and so many in all."""
    if not n_train:
        return "test-only" if n_all else "never"
    if n_train == 1:
        return "single"
    return "few" if n_train < FEW else None


def n_documents(count: int) -> str:
    """Give a number of documents in words.

    >>> n_documents(0), n_documents(1), n_documents(1000)
    ('no document', '1 document', '1,000 documents')
    """
    return f"{count:,} document{'s' if count > 1 else ''}" if count else "no document"


SAMPLE = 50
"""So many documents of a category are looked at."""
LEAST = 5
"""With fewer documents the words of a category say little."""
ENTRIES = 20_000_000
"""So many words of all documents together are kept at most."""
N_COLUMNS = 1 << 18
THRESHOLD = 0.85
"""From this cosine on siblings are spoken of."""
AT_A_TIME = 1000
"""So many siblings are compared with all of theirs at once."""


class Alike(NamedTuple):
    """Two siblings and their cosine."""

    first: Name
    second: Name
    cosine: float


class CategoryWords:
    """Keeps words of a few documents of each category."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()
        self._labels: list[list[str]] = []
        self._columns = array("i")
        self._ends = array("q", [0])

    def look(self, content: Content, labels: list[str] | None) -> None:
        """Take up the words of a document, if one of its categories has few so far."""
        wanted = [label for label in dict.fromkeys(labels or ()) if self._taken[label] < SAMPLE]
        if not wanted or len(self._columns) > ENTRIES:
            return
        self._taken.update(wanted)
        self._labels.append(wanted)
        columns = np.unique(content.numbers % np.uint64(N_COLUMNS)).astype(np.intc)
        self._columns.frombytes(columns.tobytes())
        self._ends.append(len(self._columns))

    def rename(self, names: Mapping[str, str]) -> None:
        """Call categories otherwise, of which only the names are known so far."""
        self._labels = [list(dict.fromkeys(names.get(label, label) for label in labels)) for labels in self._labels]

    def alike(self, hierarchy: Hierarchy | None) -> list[Alike]:
        """Give the siblings with nearly the same words, the most alike first."""
        if not self._taken.keys() - {ROOT}:
            return []
        known = hierarchy or Hierarchy.flat(name for name in self._taken if name != ROOT)
        means, sizes = self._means(known)
        families = [known.tops, *(known.child_positions(node) for node in range(len(known)))]
        found = (pair for family in families for pair in _near(family[sizes[family] >= LEAST], means, known))
        return sorted(dict.fromkeys(found), key=lambda pair: -pair.cosine)

    def check(self, hierarchy: Hierarchy | None, log: FindingLog) -> None:
        """Add the siblings that are similar."""
        for first, second, cosine in self.alike(hierarchy):
            log.add("siblings", f"{first} and {second}", f"a cosine of {cosine:.2f}")

    def _means(self, hierarchy: Hierarchy) -> tuple[csr_array, Integers]:
        """Give each category, with those below it, the mean of its documents' tf-idf, of length 1, and how many."""
        n_documents = len(self._labels)
        columns = np.frombuffer(self._columns, dtype=np.intc)
        words = csr_array((np.ones(columns.size), columns, np.asarray(self._ends)), shape=(n_documents, N_COLUMNS))
        idf = np.log((1 + n_documents) / (1 + np.bincount(columns, minlength=N_COLUMNS)))
        vectors = _of_length_one(words @ diags_array(idf))
        members = self._members(hierarchy)
        return _of_length_one(csr_array(_sampled(members) @ vectors)), np.diff(members.indptr)

    def _members(self, hierarchy: Hierarchy) -> csr_array:
        """Say which categories have which documents, by themselves or below."""
        pairs = [
            (hierarchy.position(label), row)
            for row, labels in enumerate(self._labels)
            for label in labels
            if label in hierarchy
        ]
        ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        own = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(len(hierarchy), len(self._labels)))
        members = csr_array(hierarchy.ancestors.T.astype(np.float64) @ own.tocsr())
        members.data[:] = 1.0
        members.sort_indices()
        return members


def _sampled(members: csr_array) -> csr_array:
    """Keep a few documents of each category, evenly spread: one with many below it would have all words there are."""
    sizes = np.diff(members.indptr)
    ranks = np.arange(members.nnz) - np.repeat(members.indptr[:-1], sizes)
    # Of a category's documents, those where a count to SAMPLE goes up, or all where there are fewer.
    shares = np.repeat(np.minimum(SAMPLE / np.maximum(sizes, 1), 1.0), sizes)
    kept = np.floor((ranks + 1) * shares) > np.floor(ranks * shares)
    rows = np.repeat(np.arange(members.shape[0]), sizes)[kept]
    return csr_array((members.data[kept], (rows, members.indices[kept])), shape=members.shape)


def _of_length_one(vectors: csr_array) -> csr_array:
    lengths = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1))).ravel()
    return csr_array(diags_array(1 / np.where(lengths > 0, lengths, 1.0)) @ vectors)


def _near(family: Integers, means: csr_array, hierarchy: Hierarchy) -> Iterator[Alike]:
    """Yield the pairs of a family that are alike."""
    for start in range(0, family.size, AT_A_TIME):
        some = family[start : start + AT_A_TIME]
        cosines = coo_array(means[some] @ means[family].T)
        near = cosines.data >= THRESHOLD
        rows, columns = (axis[near].tolist() for axis in cosines.coords)
        for row, column, cosine in zip(rows, columns, cosines.data[near].tolist(), strict=True):
            if start + row < column:
                yield Alike(hierarchy.names[some[row]], hierarchy.names[family[column]], cosine)
