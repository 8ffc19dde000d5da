"""LSHTC 2014 (the fourth challenge, on Kaggle): Wikipedia articles as term counts, in 325,056 categories.

`train.csv` and `test.csv` hold rows `l1, l2 f:v f:v`, those of the test set with the label 0 in place of the hidden
ones; `hierarchy.txt` holds lines `parent child`. The hierarchy is a graph that may have cycles, which no hierarchy
here has: the edges that close one are left out, and told of. A category that the hierarchy lacks is top-level.
"""

import warnings
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import msgspec

from classmark.data.formats.dataset import HIERARCHY_FILE
from classmark.data.formats.records import Record
from classmark.data.formats.svmlight import HIDDEN, read_svmlight
from classmark.data.options import DEFAULT_OPTIONS
from classmark.data.sets.cycles import Pair, acyclic
from classmark.data.sets.native import write_records
from classmark.data.sets.source import Source, pick
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats.lines import numbered_lines

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
