"""The search kernel: the exact best k of a segment, most postings unread.

A query's bands become *items*. An item's *gain* is what it adds to the bound of a document's score: the bound of its
band, times the weight of the term in the query, less that of the term's lighter bands (a document stands in one band
of a term). Items are sorted by gain per posting, rare terms first and the light bands of frequent terms last, so that
`remaining[i]`, the sum of the gains from item i on, falls as fast as postings allow. Then:

1. *Seeds.* The first few thousand postings give documents that promise well. They are scored from their rows, and the
   k-th best score is the threshold θ: no document below it is among the best k.
2. *Accumulate.* Where `remaining[i]` is below θ, a document that appears only from item i on cannot reach it (MaxScore,
   Turtle and Flood 1995): only the items before are read. Documents are done in blocks that fit the cache. One whose
   sum can still reach θ with what remains becomes a candidate at that moment.
3. *Verify.* A candidate's *signature* says which of the 64 most useful frequent terms it has, so what remains is
   bounded more tightly by eight look-ups. Who passes is scored from its row.

A score is always computed in one way, from the document's row in the order of terms, in double precision, and rounded
to single precision once; sums of postings only decide who is looked at, with a margin for their rounding. So the
answers are those of a search that looks at everything, to the last bit.

With `n_forced` items given, only documents in one of these first items may answer (the paper's candidates); the other
items then only add to documents that are there.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from classmark.bisection import first_from
from classmark.compilation import kernel
from classmark.index.kernels import BANDS, Heap, Table, Weighed, highest, pour, push, put, rising, score

BLOCK = 1 << 16
"""Documents in a block: their sums take a quarter of a mebibyte."""
SEED_POSTINGS = 2048
LEAST = np.float32(1e-37)
PRESENCE = np.float32(1e-30)
"""What a term without a weight counts in a sum, where it is one that chooses candidates."""
ROUNDING = 2.0**-23
POSTINGS_A_ROW = 64
"""Where few documents may answer, scoring one from its row costs about as much as reading this many postings."""
NONE: int = np.int64(0)  # type: ignore[assignment]
"""A number of things that grows from 0. A plain 0 has a type of its own, and what it is given to is compiled twice."""
READ_SHARE = 0.35
"""Items are read until what remains is below this share of θ: reading on leaves fewer candidates to verify."""


class Queries(NamedTuple):
    """Queries as rows of terms, in the segment's own numbers (-1: unknown), with the terms' factors, ascending.

    `forced` marks the terms that choose candidates, if `only_forced` is set; `sizes` has the number of features of
    each query, for `overlap`.
    """

    starts: npt.NDArray[np.int64]
    terms: npt.NDArray[np.int32]
    factors: npt.NDArray[np.float32]
    forced: npt.NDArray[np.bool_]
    sizes: npt.NDArray[np.float64]
    only_forced: bool


class Items(NamedTuple):
    """The items of a query, sorted."""

    terms: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    cursors: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    factors: npt.NDArray[np.float32]
    gains: npt.NDArray[np.float64]
    remaining: npt.NDArray[np.float64]


class Space(NamedTuple):
    """What a thread works in: a block's sums, its candidates with theirs, and the bounds of a signature's bytes."""

    sums: npt.NDArray[np.float32]
    candidates: npt.NDArray[np.int64]
    totals: npt.NDArray[np.float32]
    heads: npt.NDArray[np.float64]
    bounds: npt.NDArray[np.float32]


@kernel
def search(
    segment: Weighed,
    queries: Queries,
    block: int,
    first: int,
    last: int,
    documents: npt.NDArray[np.int32],
    scores: npt.NDArray[np.float32],
) -> None:
    """Answer a range of queries, each in its row of `documents` and `scores`; `block` is a number of documents."""
    k, longest = documents.shape[1], 1
    for query in range(first, last):
        longest = max(longest, queries.starts[query + 1] - queries.starts[query])
    table = new_table(longest)
    items = new_items(longest * BANDS)
    unsorted, rates = new_items(longest * BANDS), np.empty(longest * BANDS, np.float64)
    n_sums = min(block, max(len(segment.signatures), 1))
    # The seeds' sums are addressed by the last bits of a document's number, whatever the block.
    n_slots = 1
    while n_slots < n_sums:
        n_slots *= 2
    space = Space(
        np.zeros(n_slots, np.float32),
        np.empty(n_slots, np.int64),
        np.empty(n_slots, np.float32),
        np.zeros(64, np.float64),
        np.zeros((8, 256), np.float32),
    )
    heap = Heap(np.empty(k, np.float32), np.empty(k, np.int64))
    seeds = Heap(np.empty(k + k // 2, np.float32), np.empty(k + k // 2, np.int64))
    for query in range(first, last):
        table.keys[:] = -1
        n_items, n_forced = find_items(segment, queries, query, table, unsorted, rates)
        sort_items(unsorted, rates, n_items, items)
        size = queries.sizes[query]
        least = seed(segment, items, n_forced, table, size, k, seeds, space)
        found = search_blocks(segment, items, n_items, n_forced, table, size, block, least, heap, space)
        pour(heap, found, documents[query], scores[query])


@kernel(inline=True)
def new_table(longest: int) -> Table:
    """Make room for the terms of a query."""
    slots = 1024
    while slots < 16 * longest:
        slots *= 2
    return Table(np.full(slots, -1, np.int32), np.zeros(slots, np.float64))


@kernel
def new_items(most: int) -> Items:
    """Make room for items."""
    return Items(
        np.empty(most, np.int32),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.float32),
        np.empty(most, np.float64),
        np.empty(most + 1, np.float64),
    )


@kernel(inline=True)
def find_items(
    segment: Weighed, queries: Queries, query: int, table: Table, items: Items, rates: npt.NDArray[np.float64]
) -> tuple[int, int]:
    """Note a query's items, and for each the rate that they are sorted by; give their number, and of the forced."""
    n_items, n_forced = NONE, NONE
    for position in range(queries.starts[query], queries.starts[query + 1]):
        term, factor = queries.terms[position], queries.factors[position]
        forced = queries.only_forced and queries.forced[position]
        if term < 0 or (factor <= 0 and not forced):
            continue
        put(table, term, np.float64(factor))
        before = n_items
        n_items = add_items(segment, term, max(factor, PRESENCE), items, rates, n_items)
        if forced:
            # Above every gain of a posting: they come first. Among themselves their order does not matter.
            for item in range(before, n_items):
                rates[item] += 1e30
            n_forced += n_items - before
    return n_items, n_forced if queries.only_forced else n_items


@kernel
def add_items(
    segment: Weighed, term: int, factor: float, items: Items, rates: npt.NDArray[np.float64], n_items: int
) -> int:
    """Note the items of a term, the lightest band first."""
    starts, bounds = segment.lists.starts, segment.weights.bounds
    first = np.int64(term) * BANDS
    bound, rate = 0.0, 0.0
    for band in range(first + BANDS - 1, first - 1, -1):
        start, end = starts[band], starts[band + 1]
        if start == end:
            continue
        highest = max(bound, np.float64(factor * bounds[band]))
        # No heavier band has a lower rate, so that a term's bands are always read heaviest first.
        rate = max(rate, (highest - bound) / (end - start))
        items.terms[n_items], items.starts[n_items], items.ends[n_items] = term, start, end
        items.factors[n_items], items.gains[n_items], rates[n_items] = factor, highest - bound, rate
        n_items += 1
        bound = highest
    return n_items


@kernel(inline=True)
def sort_items(unsorted: Items, rates: npt.NDArray[np.float64], n_items: int, items: Items) -> None:
    """Sort the items by their rates, highest first, and sum up the gains from each on."""
    order = rising(rates[:n_items])
    items.remaining[n_items] = 0.0
    for position in range(n_items - 1, -1, -1):
        source = order[n_items - 1 - position]
        items.terms[position] = unsorted.terms[source]
        items.starts[position] = unsorted.starts[source]
        items.cursors[position] = unsorted.starts[source]
        items.ends[position] = unsorted.ends[source]
        items.factors[position] = unsorted.factors[source]
        items.gains[position] = unsorted.gains[source]
        items.remaining[position] = items.remaining[position + 1] + unsorted.gains[source]


@kernel(inline=True)
def seed(
    segment: Weighed, items: Items, n_forced: int, table: Table, size: float, k: int, seeds: Heap, space: Space
) -> np.float32:
    """Give a score that k documents reach, from those that the first items promise most of; 0 if they are too few."""
    sums, lists = space.sums, segment.lists
    mask = np.uint32(len(sums) - 1)
    n_read, n_postings = 0, 0
    while n_read < n_forced and n_postings < SEED_POSTINGS:
        start, end, factor = items.starts[n_read], items.ends[n_read], items.factors[n_read]
        documents, weights = lists.documents[start:end], segment.weights.postings[start:end]
        for position in range(len(documents)):
            sums[documents[position] & mask] += factor * weights[position]
        n_postings += end - start
        n_read += 1
    n_seeds, floor = NONE, np.float32(0)
    for item in range(n_read):
        documents = lists.documents[items.starts[item] : items.ends[item]]
        for position in range(len(documents)):
            total = sums[documents[position] & mask]
            sums[documents[position] & mask] = 0
            if total > floor:
                n_seeds = push(seeds, n_seeds, total, int(documents[position]))
                floor = seeds.scores[0] if n_seeds == len(seeds.scores) else floor
    if n_seeds < k:
        return np.float32(0)
    for position in range(n_seeds):
        seeds.scores[position] = score(segment, seeds.documents[position], table, size)
    return highest(seeds.scores[:n_seeds], k)


@kernel(inline=True)
def search_blocks(
    segment: Weighed,
    items: Items,
    n_items: int,
    n_forced: int,
    table: Table,
    size: float,
    block: int,
    least: np.float32,
    heap: Heap,
    space: Space,
) -> int:
    """Fill the heap with the best documents, those that reach the score `least`; give how many there are."""
    n_documents, found, n_read, last_read = len(segment.signatures), NONE, n_items, -1
    # What the rounding of sums may hide: half a unit in the last position for each addition.
    margin = 1 - ROUNDING * (n_items + 128)
    rest = 0.0
    for first in range(0, n_documents, block):
        stop = min(first + block, n_documents)
        if found == len(heap.scores):
            least = max(least, heap.scores[0])
        needed = np.float64(least) * margin * (size if size > 0 else 1.0)
        n_read = items_to_read(items, n_read, n_forced, needed)
        if n_read != last_read:
            rest = bound_heads(segment, items, n_read, n_items, space)
            last_read = n_read
        read_block(segment, items, n_read, n_forced, first, stop, space)
        cut = np.float32(max(needed - items.remaining[n_read], LEAST))
        n_candidates = collect(segment, items, n_read, first, cut, space)
        n_candidates = keep_promising(
            segment, n_candidates, first, rest, needed, size, np.float64(least) * margin, space
        )
        found = score_candidates(segment, n_candidates, first, table, size, margin, least, heap, found, space)
    return found


@kernel(inline=True)
def score_candidates(
    segment: Weighed,
    n_candidates: int,
    first: int,
    table: Table,
    size: float,
    margin: float,
    least: np.float32,
    heap: Heap,
    found: int,
    space: Space,
) -> int:
    """Score the candidates of a block, those with the best bounds first, and put them into the heap; give its size."""
    needed = np.float64(least) * margin * (size if size > 0 else 1.0)
    pivot = split_at(space.totals[:n_candidates], len(heap.scores))
    for round_ in range(2):
        for position in range(n_candidates):
            bound = space.totals[position]
            if (bound >= pivot) != (round_ == 0) or np.float64(bound) < needed:
                continue
            document = first + space.candidates[position]
            value = score(segment, document, table, size)
            if value >= least and value > 0:
                found = push(heap, found, value, document)
                if found == len(heap.scores) and heap.scores[0] > least:
                    least = heap.scores[0]
                    needed = np.float64(least) * margin * (size if size > 0 else 1.0)
    return found


@kernel
def split_at(bounds: npt.NDArray[np.float32], k: int) -> np.float32:
    """Give the k-th highest bound: scored first, these candidates raise θ enough to drop most of the others."""
    if len(bounds) <= k:
        return np.float32(0)
    return highest(bounds, k)


@kernel
def items_to_read(items: Items, n_read: int, n_forced: int, needed: float) -> int:
    """Give how many items must be read, or are worth it: after them only candidates can reach `needed`."""
    while n_read > 0 and items.remaining[n_read - 1] < READ_SHARE * needed:
        n_read -= 1
    n_postings = 0
    for item in range(n_read):
        if item < n_forced:
            n_postings += items.ends[item] - items.cursors[item]
        elif items.ends[item] - items.cursors[item] > POSTINGS_A_ROW * n_postings:
            return item
    return n_read


@kernel(inline=True)
def keep_promising(
    segment: Weighed,
    n_candidates: int,
    first: int,
    rest: float,
    needed: float,
    size: float,
    least: float,
    space: Space,
) -> int:
    """Keep the candidates that can reach `needed` by their signatures, bounds in position of their sums."""
    kept = 0
    for position in range(n_candidates):
        slot = space.candidates[position]
        bound = np.float64(space.totals[position]) + rest + head_bound(segment.signatures[first + slot], space)
        if bound >= needed and not (size > 0 and is_too_long(segment, first + slot, size, bound, least)):
            space.candidates[kept], space.totals[kept] = slot, bound
            kept += 1
    return kept


@kernel
def is_too_long(segment: Weighed, document: int, size: float, bound: float, least: float) -> bool:
    """Say whether a document has too many features for those in common: C / (N_1 + N_2 - C) stays below `least`."""
    features = segment.rows.starts[document + 1] - segment.rows.starts[document]
    too_long: bool = bound * (1 + least) < least * (features + size)
    return too_long


@kernel
def bound_heads(segment: Weighed, items: Items, n_read: int, n_items: int, space: Space) -> float:
    """Tabulate what the head terms among the items from `n_read` on may add, a byte of a signature at a time.

    Give what the other items may add.
    """
    rest, heads, bounds = 0.0, space.heads, space.bounds
    heads[:] = 0.0
    for item in range(n_read, n_items):
        bit = segment.bits[items.terms[item]]
        if bit >= 0:
            heads[bit] += items.gains[item]
        else:
            rest += items.gains[item]
    for byte in range(8):
        for bit in range(8):
            bound = np.float32(heads[8 * byte + bit])
            for below in range(1 << bit):
                bounds[byte, below + (1 << bit)] = bounds[byte, below] + bound
    return rest


@kernel
def head_bound(signature: np.uint64, space: Space) -> np.float32:
    """Look up what the head terms that a document has may add."""
    total = np.float32(0)
    for byte in range(8):
        total += space.bounds[byte, signature & np.uint64(255)]
        signature >>= np.uint64(8)
    return total


@kernel
def read_block(segment: Weighed, items: Items, n_read: int, n_forced: int, first: int, stop: int, space: Space) -> None:
    """Add up the postings of a block of documents."""
    lists = segment.lists
    for item in range(n_read):
        start = items.cursors[item]
        end = items.ends[item]
        if stop < len(segment.signatures):
            end = start + position_of(lists.documents[start:end], np.uint32(stop))
        items.starts[item], items.cursors[item] = start, end
        documents, weights = lists.documents[start:end], segment.weights.postings[start:end]
        if item < n_forced:
            add_postings(documents, weights, items.factors[item], np.uint32(first), space.sums)
        else:
            add_to_present(documents, weights, items.factors[item], np.uint32(first), space.sums)


@kernel
def position_of(documents: npt.NDArray[np.uint32], stop: np.uint32) -> int:
    """Find the first document of a list from `stop` on: in steps that double, then by halves."""
    step = 1
    while step <= len(documents) and documents[step - 1] < stop:
        step *= 2
    return first_from(documents, step // 2, min(step - 1, len(documents)), stop)


@kernel
def add_postings(
    documents: npt.NDArray[np.uint32],
    weights: npt.NDArray[np.float32],
    factor: np.float32,
    first: np.uint32,
    sums: npt.NDArray[np.float32],
) -> None:
    """Add the postings of an item to the sums."""
    for position in range(len(documents)):
        sums[documents[position] - first] += factor * weights[position]


@kernel
def add_to_present(
    documents: npt.NDArray[np.uint32],
    weights: npt.NDArray[np.float32],
    factor: np.float32,
    first: np.uint32,
    sums: npt.NDArray[np.float32],
) -> None:
    """Add the postings of an item to the sums of documents that have one already."""
    for position in range(len(documents)):
        if sums[documents[position] - first] > 0:
            sums[documents[position] - first] += factor * weights[position]


@kernel
def collect(segment: Weighed, items: Items, n_read: int, first: int, cut: np.float32, space: Space) -> int:
    """Note the documents of the postings read whose sums reach `cut`, and set all sums back to 0."""
    sums, found = space.sums, 0
    for item in range(n_read):
        documents = segment.lists.documents[items.starts[item] : items.cursors[item]]
        for position in range(len(documents)):
            slot = documents[position] - np.uint32(first)
            total = sums[slot]
            if total >= cut:
                space.candidates[found], space.totals[found] = slot, total
                found += 1
            sums[slot] = 0
    return found
