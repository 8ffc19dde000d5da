"""LSHTC 2014 (the fourth challenge, on Kaggle): Wikipedia articles as term counts, in 325,056 categories.

`train.csv` and `test.csv` hold rows `l1, l2 f:v f:v`, those of the test set with the label 0 in place of the hidden
ones; `hierarchy.txt` holds lines `parent child`. The hierarchy is a graph that may have cycles, which no hierarchy
here has: the edges that close one are left out, and told of. A category that the hierarchy lacks is top-level.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import msgspec

from classmark.data.formats.dataset import HIERARCHY_FILE
from classmark.data.formats.records import Record
from classmark.data.formats.svmlight import HIDDEN, read_svmlight
from classmark.data.options import DEFAULT_OPTIONS
from classmark.data.sets.source import Source, pick, write_records
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats.contents import numbered_lines

Pair: TypeAlias = tuple[str, str]


def acyclic(edges: Iterable[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Part the edges `(parent, child)`, each taken once and in their order, into those to keep and those to leave out.

    The walk goes depth first, from the nodes that are nobody's child and then from any that it has not met, to the
    children in their order; an edge to a node that it is just below closes a cycle.

    >>> acyclic([("a", "b"), ("b", "c"), ("c", "a"), ("top", "b")])
    ([('b', 'c'), ('c', 'a'), ('top', 'b')], [('a', 'b')])
    """
    distinct = list(dict.fromkeys(edges))
    children: dict[str, list[str]] = {}
    for parent, child in distinct:
        children.setdefault(parent, []).append(child)
    below = {child for _, child in distinct}
    # False before True: the nodes that are nobody's child come first.
    closing = _closing(children, sorted(children, key=below.__contains__))
    return [edge for edge in distinct if edge not in closing], [edge for edge in distinct if edge in closing]


def _closing(children: dict[str, list[str]], starts: Iterable[str]) -> set[Pair]:
    """Find the edges that close a cycle on walks from some nodes, in turn."""
    above: dict[str, bool] = {}
    return {edge for start in starts if start not in above for edge in _walk(start, children, above)}


def _walk(start: str, children: dict[str, list[str]], above: dict[str, bool]) -> Iterator[Pair]:
    """Walk down, and yield the edges to nodes that the walk is just below; `above` tells it of each node met.

    The stack is our own, as the way down may be longer than Python's.
    """
    way = [(start, iter(children[start]))]
    above[start] = True
    while way:
        node, rest = way[-1]
        child = next(rest, None)
        if child is None:
            above[node] = False
            way.pop()
        elif above.get(child):
            yield node, child
        elif child not in above:
            above[child] = True
            way.append((child, iter(children.get(child, ()))))


ENDINGS = ("", ".csv", ".txt")
"""Kaggle has changed the endings of the files over the years."""


def prepare(files: Sequence[Path], folder: Path) -> None:
    """Make the dataset of the rows, the training set first, numbered within each set."""
    sets = {name: pick(files, *_names(name))[0] for name in ("train", "test")}
    edges, closing = acyclic(_edges(pick(files, *_names("hierarchy"))[0]))
    if closing:
        parent, child = closing[0]
        warnings.warn(
            f"the hierarchy has cycles: left out {len(closing)} edge(s), such as {parent} → {child}", stacklevel=2
        )
    used: set[str] = set()
    write_records(folder, _articles(sets, used))
    tops = [(None, label) for label in sorted(used.difference(chain.from_iterable(edges)))]
    Hierarchy.from_edges([*edges, *tops]).to_tsv(folder / HIERARCHY_FILE)


def _names(name: str) -> list[str]:
    return [name + ending for ending in ENDINGS]


def _articles(sets: dict[str, Path], used: set[str]) -> Iterator[Record]:
    """Yield the articles with ids and splits, and note the labels that there are."""
    for split, file in sets.items():
        for number, article in enumerate(read_svmlight(file, DEFAULT_OPTIONS, hidden=HIDDEN), 1):
            used.update(article.labels or ())
            yield msgspec.structs.replace(article, id=f"{split}-{number}", split=split)


def _edges(file: Path) -> Iterator[Pair]:
    for number, line in numbered_lines(file):
        cells = line.split()
        if len(cells) != 2:
            raise InputError(f"{file}:{number}: {line[:40]!r} is not a parent and a child; get the file again")
        yield cells[0], cells[1]


SOURCE = Source(
    name="lshtc",
    title="LSHTC 2014, Wikipedia",
    files=(),
    terms="the rules of the Kaggle competition “lshtc”, to be accepted there; the articles are Wikipedia's",
    prepare=prepare,
    notes="splits train (2,365,436) and test (not labelled); several labels an article; a graph, its cycles broken",
    by_hand=(
        "needs your own Kaggle account: download train.zip, test.zip and hierarchy.zip at"
        " https://www.kaggle.com/c/lshtc/data into a folder, then classmark datasets get lshtc --from FOLDER"
    ),
    archives=("lshtc*.zip", "train*.zip", "test*.zip", "hierarchy*.zip"),
)
