"""Files as the LSHTC challenge gave them out, of any size, filled by the generator of `synthetic_lshtc`.

A folder has `train.lshtc`, `test.lshtc` and `hierarchy.txt`. Categories are numbers, as in the challenge, those of the
leaves first; terms are numbered from 1.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from classmark.compilation import kernel
from classmark.data.formats.output import writing
from classmark.data.synthetic_lshtc import LshtcBlock, make_lshtc, make_lshtc_hierarchy
from classmark.data.writing import check_free
from classmark.persistence import check_writable
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
    >>> with TemporaryDirectory() as place:
    ...     made = write_lshtc(Path(place, "small"), 1000, n_categories=8, n_terms=50, levels=3)
    ...     rows = Path(place, "small", "train.lshtc").read_text().splitlines()
    >>> made.test_documents, made.categories, len(rows)
    (100, 14, 1000)
    >>> rows[0]
    '...:...'
    """
    if n_documents < 1 or (n_test is not None and n_test < 1):
        raise ValueError(f"{n_documents!r} documents and {n_test!r} to test on; give numbers from 1")
    n_test = min(20_000, max(1, n_documents // 10)) if n_test is None else n_test
    n_categories = max(2, n_documents * 325 // 2400) if n_categories is None else n_categories
    n_terms = max(100, n_documents * 2 // 3) if n_terms is None else n_terms
    place = Path(folder)
    _check_place(place, overwrite)
    hierarchy, leaves = make_lshtc_hierarchy(n_categories, levels)
    names = np.empty(len(hierarchy), dtype=np.int64)
    others = np.setdiff1d(np.arange(len(hierarchy)), leaves)
    names[leaves], names[others] = np.arange(1, leaves.size + 1), leaves.size + 1 + np.arange(others.size)
    place.mkdir(exist_ok=True)
    edges = hierarchy.parents.tocoo()
    with writing(place / HIERARCHY) as file:
        pairs = zip(names[edges.coords[1]].tolist(), names[edges.coords[0]].tolist(), strict=True)
        file.writelines(b"%d %d\n" % pair for pair in pairs)
    sizes = {"n_terms": n_terms, "n_categories": n_categories, "seed": seed}
    for name, count, stream in ((TRAIN, n_documents, 0), (TEST, n_test, 1)):
        with writing(place / name) as file:
            file.writelines(_formatted(track(make_lshtc(count, stream=stream, **sizes), name)))
    return LshtcFiles(place, n_documents, n_test, len(hierarchy))


def _check_place(place: Path, overwrite: bool) -> None:
    check_writable(place.with_name(".new"))
    if place.exists() and not place.is_dir():
        raise FileExistsError(f"{place}: a file of that name is there; give the name of a folder")
    for name in (TRAIN, TEST, HIERARCHY):
        check_free(place / name, overwrite)


def _formatted(blocks: Iterator[LshtcBlock]) -> Iterator[memoryview]:
    for block in blocks:
        counts = block.counts
        room = np.empty(LONGEST_NUMBER * (2 * counts.nnz + counts.shape[0]), dtype=np.uint8)
        starts, weights = counts.indptr.astype(np.int64), counts.data.astype(np.int64)
        size = write_rows(starts, block.categories, counts.indices.astype(np.int32), weights, room)
        yield room[:size].data


@kernel
def write_number(number: int, room: npt.NDArray[np.uint8], place: int) -> int:
    """Write the digits of a number from 0, and give the place after them."""
    size, rest = 1, number // 10
    while rest:
        size, rest = size + 1, rest // 10
    for digit in range(size - 1, -1, -1):
        room[place + digit] = 48 + number % 10
        number //= 10
    return place + size


@kernel
def write_rows(
    starts: npt.NDArray[np.int64],
    categories: npt.NDArray[np.int32],
    terms: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    room: npt.NDArray[np.uint8],
) -> int:
    """Write a row a document, categories and terms counted from 1; give the number of bytes."""
    place = 0
    for row in range(len(categories)):
        place = write_number(int(categories[row]) + 1, room, place)
        for entry in range(starts[row], starts[row + 1]):
            room[place] = 32
            place = write_number(int(terms[entry]) + 1, room, place + 1)
            room[place] = 58
            place = write_number(weights[entry], room, place + 1)
        room[place] = 10
        place += 1
    return place
