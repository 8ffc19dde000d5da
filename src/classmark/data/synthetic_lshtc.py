"""Data of the size of the LSHTC challenge, so that anyone can measure at full scale.

A document's terms are drawn from a Zipfian distribution: the chance of the term of rank r is proportional to r^-1.07.
Its category is drawn from another, so that a few categories have many documents and most have few, and a part of its
terms from a small set of the category's own, so that neighbours tell something about categories; these sets are drawn
from the same distribution of terms. The hierarchy is a tree of `levels` levels whose sizes grow geometrically; its
leaves have the documents.

Documents are made in blocks, each from a stream of its own: memory stays bounded, and the first blocks of a large
corpus are those of a small one.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack

from classmark.arrays import Floats, Integers, Positions
from classmark.compilation import kernel
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy

ZIPF = 1.07
BLOCK = 1 << 15
OWN_TERMS = 12
OWN_FRACTION = 0.15
LENGTH_FOR_TERMS = 1.22
"""Draws for each different term wanted: some terms are drawn twice."""


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
