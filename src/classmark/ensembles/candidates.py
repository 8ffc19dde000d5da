"""Which categories of a document are looked at again: the best of each part, so that thousands of categories are few.

With k of each part, what a document costs does not depend on the number of categories, once these are scored.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from classmark.arrays import Floats, Integers, Positions
from classmark.compilation import kernel
from classmark.parallel import even_ranges, n_threads, threads

BEST_OF_A_PART = 10
"""How many of the best ends of each part are candidates.

Of the right categories .996 are among them on `reuters90` (three parts) and .670 on `wordnet_nouns` (two); with 20 it
is .999 and .689, and what a reranker made of these was no better, in twice the time.
"""
MOST = 60
"""How many candidates a document has at most, whatever the number of parts."""


class Candidates(NamedTuple):
    """Pairs of a document and a category, those of a document together, in node order.

    Attributes
    ----------
    starts : array of int, (n_documents + 1,)
        The pairs of document i are those from `starts[i]` to `starts[i + 1]`.
    nodes : array of int, (n_pairs,)
        The positions of the categories.
    """

    starts: Positions
    nodes: Integers

    @property
    def sizes(self) -> Positions:
        """How many candidates each document has."""
        return np.diff(self.starts)

    @property
    def documents(self) -> Positions:
        """The document of each pair."""
        return np.repeat(np.arange(len(self.starts) - 1), self.sizes)


def best_of_parts(
    parts: Sequence[Floats],
    ends: Integers,
    count: int = BEST_OF_A_PART,
    most: int = MOST,
    n_jobs: int | None = None,
) -> Candidates:
    """Give for each document the best ends of every part, each once.

    Where they are too many, the first of all parts come before the second of any, and those of the first part before
    those of the next. What a part knows nothing of is none of its best, so a document may have few candidates, or none.

    Parameters
    ----------
    parts : sequence of arrays of float, (n_documents, n_nodes)
        The scores of own labels; minus infinity where nothing is known. Of equal scores the first counts as better.
    ends : array of int
        The positions of the nodes that can be own labels, rising.
    count : int
        How many of each part.
    most : int
        How many in all.
    n_jobs : int, optional
        How many threads look for them; the result is the same for any number.

    Examples
    --------
    >>> one, other = np.array([[3.0, 2.0, 1.0, 9.0]]), np.array([[-np.inf, -np.inf, 5.0, 9.0]])
    >>> best_of_parts([one, other], np.array([0, 1, 2]), count=2).nodes
    array([0, 1, 2], dtype=int32)
    >>> best_of_parts([one, other], np.array([0, 1, 2]), count=2, most=2).nodes
    array([0, 2], dtype=int32)
    """
    chosen = [_best(scores, ends, min(count, ends.size), n_threads(n_jobs)) for scores in parts]
    n_documents = len(chosen[0])
    # Rank by rank, and part by part within a rank; -1 is none.
    places = np.stack(chosen, axis=2).reshape(n_documents, chosen[0].shape[1] * len(chosen))
    rows, columns = np.nonzero(places >= 0)
    pairs, first = np.unique(rows * ends.size + places[rows, columns], return_index=True)
    turn = np.empty(len(pairs), np.int64)
    turn[np.argsort(first)] = np.arange(len(pairs))
    documents = pairs // ends.size
    # The turns of a document follow each other.
    within = turn - np.searchsorted(documents, documents)
    kept = within < most
    starts = np.searchsorted(documents[kept], np.arange(n_documents + 1)).astype(np.int64)
    return Candidates(starts, ends[pairs[kept] % ends.size].astype(np.int32))


def _best(scores: Floats, ends: Integers, count: int, jobs: int) -> Integers:
    """Give the places of each document's best among the ends, best first, and -1 where nothing more is known."""
    places = np.full((len(scores), count), -1, np.int32)
    with threads(jobs) as run:
        run(find_best, [(scores[a:b], ends, places[a:b]) for a, b in even_ranges(len(scores), jobs)])
    return places


@kernel
def find_best(scores: Floats, ends: Integers, places: Integers) -> None:
    """Write the places of the best among the ends, best first, the first of equals first.

    In one pass: hardly any score of thousands gets among the best, and one that does is moved up to its place.
    """
    count = places.shape[1]
    best = np.empty(count)
    for document in range(len(scores)):
        found = 0
        for place in range(ends.size):
            score = scores[document, ends[place]]
            if not score > -np.inf or (found == count and score <= best[count - 1]):
                continue
            rank = min(found, count - 1)
            while rank > 0 and best[rank - 1] < score:
                best[rank], places[document, rank] = best[rank - 1], places[document, rank - 1]
                rank -= 1
            best[rank], places[document, rank] = score, place
            found = min(found + 1, count)
