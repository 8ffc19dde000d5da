"""Data of the size of the LSHTC challenge: `python -m benchmarks.synthetic_lshtc FOLDER` writes its files.

A document's terms are drawn from a Zipfian distribution: the chance of the term of rank r is proportional to r^-1.07.
Its category is drawn from another, so that a few categories have many documents and most have few, and a part of its
terms from a small set of the category's own, so that neighbours tell something about categories; these sets are drawn
from the same distribution of terms. The hierarchy is a tree of `levels` levels whose sizes grow geometrically; its
leaves have the documents.

Documents are made in blocks, each from a stream of its own: memory stays bounded, and the first blocks of a large
corpus are those of a small one.

The folder has `train.lshtc`, `test.lshtc` and `hierarchy.txt`. Categories are numbers, as in the challenge, those of
the leaves first; terms are numbered from 1.
"""

import argparse
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack

from classmark.arrays import Bytes, Floats, Integers, Positions
from classmark.compilation import kernel
from classmark.data.formats.output import writing
from classmark.data.writing import check_free, check_no_file
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.progress import track

ZIPF = 1.07
BLOCK = 1 << 15
OWN_TERMS = 12
OWN_FRACTION = 0.15
LENGTH_FOR_TERMS = 1.22
"""Draws for each different term wanted: some terms are drawn twice."""

TRAIN, TEST, HIERARCHY = "train.lshtc", "test.lshtc", "hierarchy.txt"
LONGEST_NUMBER = 20
"""Digits of a whole number, and what stands beside it."""


class LshtcBlock(NamedTuple):
    """Some documents: their term counts, and the number of each one's category among the leaves."""

    counts: csr_array
    categories: Integers


def make_lshtc(
    n_documents: int,
    *,
    n_terms: int = 1_600_000,
    n_categories: int = 325_000,
    terms_a_document: float = 40,
    seed: int = 0,
    stream: int = 0,
) -> Iterator[LshtcBlock]:
    """Yield documents in blocks of up to 32,768.

    Parameters
    ----------
    n_documents : int
        How many documents in all.
    n_terms, n_categories : int
        The numbers of terms and of categories to draw from.
    terms_a_document : float
        About how many different terms a document has.
    seed : int
        The same seed gives the same distributions and documents.
    stream : int
        Other documents of the same distributions: 0 to learn from, 1 to test on, for example.

    Examples
    --------
    >>> blocks = list(make_lshtc(100_000, n_terms=50_000, n_categories=900))
    >>> [block.counts.shape for block in blocks]
    [(32768, 50000), (32768, 50000), (32768, 50000), (1696, 50000)]
    >>> round(blocks[0].counts.nnz / 32768)  # of 1.6 million terms it would be 40
    37
    """
    for name, value in {"n_documents": n_documents, "n_terms": n_terms, "n_categories": n_categories}.items():
        if value < 1:
            raise InputError(f"{name}={value!r}: must be an integer >= 1")
    if not terms_a_document > 0:
        raise InputError(f"terms_a_document={terms_a_document!r}: must be a number > 0")
    of_terms, of_categories = _zipfian(n_terms), _zipfian(n_categories)
    own_rng = np.random.default_rng([seed, 0])
    own = _drawn(of_terms, own_rng.random(n_categories * OWN_TERMS)).reshape(n_categories, OWN_TERMS)
    for block, first in enumerate(range(0, n_documents, BLOCK)):
        rng = np.random.default_rng([seed, 1 + stream, block])
        # Always whole blocks: the documents of a smaller corpus are the first ones of a larger.
        categories = _drawn(of_categories, rng.random(BLOCK))
        lengths = np.maximum(rng.poisson(terms_a_document * LENGTH_FOR_TERMS, BLOCK), 1)
        terms = _drawn(of_terms, rng.random(int(lengths.sum())))
        from_own = rng.random(len(terms)) < OWN_FRACTION
        owners = np.repeat(categories, lengths)[from_own]
        terms[from_own] = own[owners, rng.integers(OWN_TERMS, size=len(owners))]
        ends = np.concatenate([[0], np.cumsum(lengths)])
        counts = csr_array((np.ones(len(terms), np.float32), terms, ends), shape=(BLOCK, n_terms))
        counts.sum_duplicates()
        size = min(BLOCK, n_documents - first)
        yield LshtcBlock(csr_array(counts[:size]), categories[:size])


def make_lshtc_matrix(n_documents: int, **options: int) -> LshtcBlock:
    """Give all documents in one matrix; the parameters are those of `make_lshtc`.

    >>> make_lshtc_matrix(40_000, n_terms=1000, n_categories=10).counts.shape
    (40000, 1000)
    """
    blocks = list(make_lshtc(n_documents, **options))
    counts = csr_array(vstack([block.counts for block in blocks], format="csr"))
    return LshtcBlock(counts, np.concatenate([block.categories for block in blocks]))


def make_lshtc_hierarchy(n_categories: int = 325_000, levels: int = 10) -> tuple[Hierarchy, Integers]:
    """Give a tree with a number of leaves, all on the last level, and the nodes of the leaves.

    The levels grow by the same factor, and the children of a level are spread evenly over it.

    >>> hierarchy, leaves = make_lshtc_hierarchy(8, levels=3)
    >>> len(hierarchy), [hierarchy.names[leaf] for leaf in leaves[:3]]
    (14, ['3.0', '3.1', '3.2'])
    """
    if n_categories < 1 or levels < 1:
        raise InputError(f"n_categories={n_categories!r} and levels={levels!r}: give numbers from 1")
    sizes = [max(1, round(n_categories ** (level / levels))) for level in range(1, levels + 1)]
    hierarchy = Hierarchy.from_edges(_edges_of_levels(sizes))
    leaves = [hierarchy.position(_name(levels, number)) for number in range(sizes[-1])]
    return hierarchy, np.array(leaves, dtype=np.int32)


def _edges_of_levels(sizes: list[int]) -> Iterator[tuple[str | None, str]]:
    """Yield the edges of a tree, given how many nodes each level has."""
    yield from ((None, _name(1, number)) for number in range(sizes[0]))
    for level, (above, size) in enumerate(pairwise(sizes), 1):
        yield from ((_name(level, number * above // size), _name(level + 1, number)) for number in range(size))


def _name(level: int, number: int) -> str:
    return f"{level}.{number}"


def _zipfian(n: int) -> Floats:
    """Give the cumulated chances of ranks 1 to n."""
    cumulated = np.cumsum(np.arange(1, n + 1, dtype=np.float64) ** -ZIPF)
    return np.asarray(cumulated / cumulated[-1])


def _drawn(cumulated: Floats, uniform: Floats) -> Integers:
    """Turn uniform numbers into ranks, counted from 0."""
    ranks = np.empty(len(uniform), np.int32)
    _look_up(cumulated, _guide(cumulated), uniform, ranks)
    return ranks


def _guide(cumulated: Floats) -> Positions:
    """Say where the search for a number starts: at the rank of the next lower of 65,536 equal steps."""
    return np.searchsorted(cumulated, np.arange(1 << 16) / (1 << 16), side="right")


@kernel
def _look_up(cumulated: Floats, guide: Positions, uniform: Floats, ranks: Integers) -> None:
    """Find the first rank whose cumulated chance is above each number, by halves between two steps of the guide."""
    for number in range(len(uniform)):
        step = int(uniform[number] * len(guide))
        low = guide[step]
        high = guide[step + 1] if step + 1 < len(guide) else len(cumulated) - 1
        high = min(high, len(cumulated) - 1)
        while low < high:
            middle = (low + high) // 2
            if cumulated[middle] > uniform[number]:
                high = middle
            else:
                low = middle + 1
        ranks[number] = min(low, len(cumulated) - 1)


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
    if n_test is None:
        n_test = min(20_000, max(1, n_documents // 10))
    if n_categories is None:
        n_categories = max(2, n_documents * 325 // 2400)
    if n_terms is None:
        n_terms = max(100, n_documents * 2 // 3)
    sizes = {"n_terms": n_terms, "n_categories": n_categories, "seed": seed}
    target = Path(folder)
    check_no_file(target)
    for name in (TRAIN, TEST, HIERARCHY):
        check_free(target / name, overwrite)
    hierarchy, leaves = make_lshtc_hierarchy(n_categories, levels)
    target.mkdir(exist_ok=True)
    _write_hierarchy(hierarchy, leaves, target / HIERARCHY)
    for stream, (name, count) in enumerate({TRAIN: n_documents, TEST: n_test}.items()):
        with writing(target / name) as file:
            file.writelines(_formatted(track(make_lshtc(count, stream=stream, **sizes), name)))
    return LshtcFiles(target, n_documents, n_test, len(hierarchy))


def _write_hierarchy(hierarchy: Hierarchy, leaves: Integers, path: Path) -> None:
    """Write the edges, the leaves numbered before the other categories."""
    others = np.setdiff1d(np.arange(len(hierarchy)), leaves)
    numbers = np.empty(len(hierarchy), dtype=np.int64)
    numbers[np.concatenate([leaves, others])] = np.arange(1, len(hierarchy) + 1)
    edges = hierarchy.parents.tocoo()
    pairs = zip(numbers[edges.coords[1]].tolist(), numbers[edges.coords[0]].tolist(), strict=True)
    with writing(path) as file:
        file.writelines(b"%d %d\n" % pair for pair in pairs)


def _formatted(blocks: Iterator[LshtcBlock]) -> Iterator[memoryview]:
    for block in blocks:
        counts = block.counts
        room = np.empty(LONGEST_NUMBER * (2 * counts.nnz + counts.shape[0]), dtype=np.uint8)
        starts, weights = counts.indptr.astype(np.int64), counts.data.astype(np.int64)
        size = write_rows(starts, block.categories, counts.indices.astype(np.int32), weights, room)
        yield room[:size].data


@kernel
def write_number(number: int, room: Bytes, at: int) -> int:
    """Write the digits of a number from 0 at a position, and give the position after them."""
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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--documents", type=int, default=24_000, help="training documents")
    parser.add_argument("--test-documents", type=int, help="by default a tenth, 20,000 at most")
    parser.add_argument("--categories", type=int, help="leaves of the tree; by default in the challenge's proportion")
    parser.add_argument("--terms", type=int, help="by default in the challenge's proportion")
    parser.add_argument("--levels", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--force", action="store_true", help="replace files that exist")
    given = parser.parse_args()
    try:
        made = write_lshtc(
            given.folder,
            given.documents,
            n_test=given.test_documents,
            n_categories=given.categories,
            n_terms=given.terms,
            levels=given.levels,
            seed=given.seed,
            overwrite=given.force,
        )
    except (OSError, ValueError) as error:
        parser.error(str(error))
    print(f"{made.folder}: {made.documents:,} documents, {made.test_documents:,} more, {made.categories:,} categories")
