"""An index in parts on the workers of a cluster: each has some documents, and finds the nearest ones among them.

What depends on all documents, their mean length and the weights of terms, is known to who asks, and comes with the
queries; so a part scores its documents as the whole index would. The best of all parts are put together as those of
segments are: of equal scores the lower number first.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.index.matching import Weighed
from classmark.index.nearest import Neighbours, numbers_in, search_segment
from classmark.index.scoring import Measure
from classmark.index.searching import Queries
from classmark.index.segment import build_segment, rows_of, weigh_segment
from classmark.parallel import Place, Residents, balanced_ranges


class IndexPart:
    """Some documents of an index.

    Parameters
    ----------
    measure : Measure
        How documents are compared.
    n_threads : int
        How many threads search.
    counts : csr_array
        The documents.
    norms : array
        What their lengths make of their frequencies, by the mean length of all.
    first : int
        The number of the first one.
    """

    def __init__(
        self, measure: Measure, n_threads: int, counts: csr_array, norms: npt.NDArray[np.float32], first: int
    ) -> None:
        self.n_threads, self.first = n_threads, first
        self.segment = build_segment(*rows_of(counts), measure)
        weights = weigh_segment(self.segment, norms, measure, n_threads, None)
        segment = self.segment
        self.weighed = Weighed(segment.rows, segment.lists, weights, segment.bits, segment.signatures)

    def top(self, queries: Queries, k: int) -> Neighbours:
        """Find the nearest documents here; the terms of the queries are columns."""
        inside = queries._replace(terms=numbers_in(self.segment.vocabulary, queries.terms))
        return search_segment(self.weighed, inside, min(k, len(self.segment)), self.first, self.n_threads)


@contextmanager
def spread(place: Place, counts: csr_array, norms: npt.NDArray[np.float32], measure: Measure) -> Iterator[Residents]:
    """Spread the documents of an index over the workers of a cluster, as many entries on each."""
    ranges = balanced_ranges(counts.indptr, place.n_workers)
    parts = [(csr_array(counts[start:stop]), norms[start:stop], start) for start, stop in ranges]
    needed = 40.0 * counts.nnz / len(parts)
    with place.residents(IndexPart, parts, (measure, place.n_threads), needed=needed) as residents:
        yield residents
