"""The categories of a model, to go through from the top and to search as one types.

All labels, names and descriptions stand in one string, a line each, and all labels once more in their order, so that a
search is a few milliseconds among 100,000 of them.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice

import numpy as np

from classmark.arrays import Integers
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy, Name
from classmark.service.naming import Called, Naming, name_of

LONGEST_SEARCH = 200
"""So many characters of what is searched for count."""
MOST_WORDS = 10
"""So many words of that are looked for."""
LOOKED_AT = 2000
"""So many categories that match are given at most; with more, one types on."""
LAST = chr(0x10FFFF)
"""What no label has after its beginning."""


@dataclass(frozen=True, kw_only=True)
class Branch:
    """A category in its place."""

    category: Called
    """What it is called."""
    name: str
    """Its name in the hierarchy."""
    path: Sequence[str]
    """The labels of the categories above it, from the top down, by first parents."""
    children: int
    """How many categories are directly below it."""
    below: int
    """How many categories are below it at any depth."""


@dataclass(frozen=True, kw_only=True)
class Branches:
    """Some categories, of so many."""

    total: int
    """How many there are."""
    offset: int
    """How many of them stand before these."""
    categories: Sequence[Branch]
    """Those on this page."""


class Taxonomy:
    """A hierarchy, a page at a time.

    Parameters
    ----------
    hierarchy : Hierarchy
        The categories.
    naming : Naming
        What they are called.
    descriptions : mapping, optional
        Words about categories, which are searched too.
    """

    def __init__(self, hierarchy: Hierarchy, naming: Naming, descriptions: Mapping[Name, str] | None = None) -> None:
        self.hierarchy = hierarchy
        self.naming = naming
        self.descriptions = descriptions or {}

    def prepare(self) -> None:
        """Make what the first question would have to wait for."""
        _ = self._lines, self._ordered, self._below

    def children(
        self, parent: str | None = None, offset: int = 0, limit: int = 100, around: str | None = None
    ) -> Branches:
        """Give the categories directly below one, or the topmost, in the order of their labels.

        With `around`, one of them, the page is given that it stands on, whatever the offset.
        """
        nodes = self.hierarchy.child_positions(self.naming.position(parent)) if parent else self.hierarchy.tops
        ordered = nodes[np.argsort(self._ranks[nodes])]
        if around is not None:
            place = np.flatnonzero(ordered == self.naming.position(around))
            if not place.size:
                raise InputError(f"{around!r} is not directly below {parent or 'the top'}; ask for its parent")
            offset = int(place[0]) // limit * limit
        return self._page(ordered, offset, limit)

    def search(self, words: str, offset: int = 0, limit: int = 20) -> Branches:
        """Give the categories that have all of some words, in any order, in what is known of them.

        Those come first whose label is what was typed, then those whose label begins with it, has a word that begins
        with it, or has it or all the words anywhere, and last those with the words in name, notation or description;
        the shorter label before the longer. At most `LOOKED_AT` are given: all whose labels begin so, as far as that
        goes, before any others.
        """
        wanted = " ".join(words[:LONGEST_SEARCH].casefold().split()[:MOST_WORDS])
        if not wanted:
            return Branches(total=0, offset=offset, categories=[])
        beginning = self._beginning(wanted)
        matching = (node for node in self._matching(wanted.split()) if node not in beginning)
        found = [*beginning, *islice(matching, LOOKED_AT - len(beginning))]
        found.sort(key=lambda node: self._rank(node, wanted))
        return self._page(np.array(found, dtype=np.intp), offset, limit)

    def _beginning(self, wanted: str) -> dict[int, None]:
        """Give the categories whose labels begin so, as many as are looked at, in the order of their labels."""
        ordered, labels = self._ordered, self._labels
        start = bisect_left(ordered, wanted, key=lambda node: labels[node])
        stop = bisect_left(ordered, wanted + LAST, lo=start, key=lambda node: labels[node])
        return dict.fromkeys(ordered[start : min(stop, start + LOOKED_AT)])

    def _matching(self, words: Sequence[str]) -> Iterator[int]:
        """Give the categories whose line has all words, in node order: the lines with the rarest word are looked at."""
        text, starts = self._lines
        rarest, *others = sorted(words, key=text.count)
        place = text.find(rarest)
        while place >= 0:
            node = bisect_right(starts, place) - 1
            end = starts[node + 1]
            if all(text.find(word, starts[node], end) >= 0 for word in others):
                yield node
            place = text.find(rarest, end)

    def _rank(self, node: int, wanted: str) -> tuple[int, int, str, int]:
        label = self._labels[node]
        order = [
            label == wanted,
            label.startswith(wanted),
            f" {wanted}" in label,
            wanted in label or all(word in label for word in wanted.split()),
            True,
        ]
        return order.index(True), len(label), label, node

    def _page(self, nodes: Integers, offset: int, limit: int) -> Branches:
        shown = nodes[offset : offset + limit].tolist()
        return Branches(total=len(nodes), offset=offset, categories=[self.branch(node) for node in shown])

    def branch(self, node: int) -> Branch:
        """Describe a category in its place."""
        name = self.hierarchy.names[node]
        above = self.hierarchy.positions(self.hierarchy.path(name)).tolist()[:-1]
        return Branch(
            category=self.naming.called[node],
            name=name_of(name),
            path=[self.naming.called[one].label for one in above],
            children=len(self.hierarchy.child_positions(node)),
            below=int(self._below[node]),
        )

    @cached_property
    def _below(self) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        """How many categories are below each one."""
        return np.asarray(self.hierarchy.ancestors.sum(axis=0), dtype=np.int64).ravel() - 1

    @cached_property
    def _labels(self) -> list[str]:
        """The labels as they are compared, in node order."""
        return [" ".join(called.label.casefold().split()) for called in self.naming.called]

    @cached_property
    def _ordered(self) -> list[int]:
        """All categories in the order of their labels."""
        labels = self._labels
        return sorted(range(len(labels)), key=lambda node: (labels[node], node))

    @cached_property
    def _ranks(self) -> Integers:
        """The place of each category in that order."""
        ranks = np.empty(len(self._ordered), dtype=np.int32)
        ranks[self._ordered] = np.arange(len(self._ordered))
        return ranks

    @cached_property
    def _lines(self) -> tuple[str, list[int]]:
        """All that is searched, a line for each category, and where the lines start; the end of all stands last."""
        lines = []
        for label, called, name in zip(self._labels, self.naming.called, self.hierarchy.names, strict=True):
            more = f"{name_of(name)} {called.notation or ''} {self.descriptions.get(name, '')}".casefold().split()
            lines.append(f"{label} {' '.join(more)}\n")
        return "".join(lines), list(accumulate(map(len, lines), initial=0))
