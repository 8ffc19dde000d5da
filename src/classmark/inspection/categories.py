"""Categories by their documents: those without any, with few, with none to learn from."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from classmark.data.outline import Outline
from classmark.hierarchy import Hierarchy, Name
from classmark.inspection.findings import Finding, Tally

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

    def findings(self, limit: int) -> Iterator[Finding]:
        """Give the categories that are not learned, or hardly."""
        tallies = {kind: Tally(kind, limit) for kind in ("test-only", "never", "single", "few")}
        for name in self.names:
            kind = _kind(self.train[name], self.all[name])
            if kind is not None:
                tallies[kind].add(str(name), n_documents(self.train[name] or self.all[name]))
        for tally in tallies.values():
            yield from tally.findings()


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
