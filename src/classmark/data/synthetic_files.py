"""Files as the LSHTC challenge gave them out, of any size, filled by the generator of `synthetic_lshtc`.

A folder has `train.lshtc`, `test.lshtc` and `hierarchy.txt`. Categories are numbers, as in the challenge, those of the
leaves first; terms are numbered from 1.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from classmark.arrays import Bytes, Integers, Positions
from classmark.compilation import kernel
from classmark.data.formats.output import writing
from classmark.data.synthetic_lshtc import LshtcBlock, make_lshtc, make_lshtc_hierarchy
from classmark.data.writing import check_free, check_no_file
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.progress import track

TRAIN, TEST, HIERARCHY = "train.lshtc", "test.lshtc", "hierarchy.txt"
LONGEST_NUMBER = 20
"""Digits of a whole number, and what stands beside it."""


class LshtcFiles(NamedTuple):
    """What was written."""

    folder: Path
    documents: int
    test_documents: int
    categories: int


def write_lshtc(
    folder: str | Path,
    n_documents: int,
    *,
    n_test: int | None = None,
    n_categories: int | None = None,
    n_terms: int | None = None,
    levels: int = 10,
    seed: int = 0,
    overwrite: bool = False,
) -> LshtcFiles:
    """Write documents of the generator, and their hierarchy, into a folder.

    Parameters
    ----------
    folder : str or Path
        Where to; it is made, or its three files are replaced with `overwrite`.
    n_documents : int
        How many documents to learn from.
    n_test : int, optional
        How many to test on; by default a tenth, 20,000 at most.
    n_categories, n_terms : int, optional
        How many there are to draw from; by default in the challenge's proportion to documents, 325,000 categories and
        1.6 million terms for 2.4 million documents.
    levels : int
        The levels of the hierarchy.
    seed : int
        The same seed gives the same files.
    overwrite : bool
        Whether files that are there may be replaced.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     made = write_lshtc(Path(folder, "small"), 1000, n_categories=8, n_terms=50, levels=3)
    ...     rows = Path(folder, "small", "train.lshtc").read_text().splitlines()
    >>> made.test_documents, made.categories, len(rows)
    (100, 14, 1000)
    >>> rows[0]
    '...:...'
    """
    if n_documents < 1 or (n_test is not None and n_test < 1):
        raise InputError(f"{n_documents!r} documents and {n_test!r} to test on; give numbers from 1")
    n_test = _given(n_test, min(20_000, max(1, n_documents // 10)))
    n_categories = _given(n_categories, max(2, n_documents * 325 // 2400))
    sizes = {"n_terms": _given(n_terms, max(100, n_documents * 2 // 3)), "n_categories": n_categories, "seed": seed}
    target = Path(folder)
    _check_target(target, overwrite)
    hierarchy, leaves = make_lshtc_hierarchy(n_categories, levels)
    target.mkdir(exist_ok=True)
    _write_hierarchy(hierarchy, leaves, target / HIERARCHY)
    for stream, (name, count) in enumerate({TRAIN: n_documents, TEST: n_test}.items()):
        _write_documents(target / name, make_lshtc(count, stream=stream, **sizes))
    return LshtcFiles(target, n_documents, n_test, len(hierarchy))


def _given(value: int | None, default: int) -> int:
    return default if value is None else value


def _check_target(folder: Path, overwrite: bool) -> None:
    check_no_file(folder)
    for name in (TRAIN, TEST, HIERARCHY):
        check_free(folder / name, overwrite)


def _write_hierarchy(hierarchy: Hierarchy, leaves: Integers, path: Path) -> None:
    """Write the edges, the leaves numbered before the other categories."""
    others = np.setdiff1d(np.arange(len(hierarchy)), leaves)
    numbers = np.empty(len(hierarchy), dtype=np.int64)
    numbers[np.concatenate([leaves, others])] = np.arange(1, len(hierarchy) + 1)
    edges = hierarchy.parents.tocoo()
    pairs = zip(numbers[edges.coords[1]].tolist(), numbers[edges.coords[0]].tolist(), strict=True)
    with writing(path) as file:
        file.writelines(b"%d %d\n" % pair for pair in pairs)


def _write_documents(path: Path, blocks: Iterator[LshtcBlock]) -> None:
    with writing(path) as file:
        file.writelines(_formatted(track(blocks, path.name)))


def _formatted(blocks: Iterator[LshtcBlock]) -> Iterator[memoryview]:
    for block in blocks:
        counts = block.counts
        room = np.empty(LONGEST_NUMBER * (2 * counts.nnz + counts.shape[0]), dtype=np.uint8)
        starts, weights = counts.indptr.astype(np.int64), counts.data.astype(np.int64)
        size = write_rows(starts, block.categories, counts.indices.astype(np.int32), weights, room)
        yield room[:size].data


@kernel
def write_number(number: int, room: Bytes, at: int) -> int:
    """Write the digits of a number >= 0 at a position, and give the position after them."""
    size, rest = 1, number // 10
    while rest:
        size, rest = size + 1, rest // 10
    for digit in range(size - 1, -1, -1):
        room[at + digit] = 48 + number % 10
        number //= 10
    return at + size


@kernel
def write_rows(starts: Positions, categories: Integers, terms: Integers, weights: Positions, room: Bytes) -> int:
    """Write one row per document, categories and terms counted from 1; give the number of bytes."""
    at = 0
    for row in range(len(categories)):
        at = write_number(int(categories[row]) + 1, room, at)
        for entry in range(starts[row], starts[row + 1]):
            room[at] = 32
            at = write_number(int(terms[entry]) + 1, room, at + 1)
            room[at] = 58
            at = write_number(weights[entry], room, at + 1)
        room[at] = 10
        at += 1
    return at
