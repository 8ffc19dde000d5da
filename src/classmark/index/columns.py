"""Documents to counts over the terms of an index, which grow with them: here, or on the workers of a cluster.

A term that the index does not know gets the next column when it is first seen. So workers count some documents each,
over terms of their own, and give these in the order in which they saw them; here, batch after batch, terms get the
columns that they would have got in one go.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.data.stored import WIDEST, GrowingMatrix
from classmark.parallel import balanced_ranges, in_order
from classmark.text.analyser import Analyser, TermReader
from classmark.text.counting import Document, check_documents, count, lookup_of, sized

LETTERS_IN_A_TASK = 1 << 23
"""About how much text a worker reads at a time. Each term of a batch gets its column here, so that larger ones leave
less to be done here: a sixth of what counting takes with these, and half of it with ones of an eighth their size."""
LETTERS_A_FEATURE = 8


class Growing(dict[str, int]):
    """The columns of the terms that were asked for; one that is not known gets the next column.

    What is known is looked up, never copied: an index may have millions of terms, and a query has a few.

    >>> columns = Growing({"owl": 0})
    >>> columns["gull"], columns["owl"], columns["gull"], columns.unknown
    (1, 0, 1, ['gull'])
    """

    def __init__(self, known: Mapping[str, int]) -> None:
        super().__init__()
        self._known = known
        self.unknown: list[str] = []

    def __missing__(self, term: str) -> int:
        column = self._known.get(term)
        if column is None:
            column = len(self._known) + len(self.unknown)
            self.unknown.append(term)
        self[term] = column
        return column


class Counted(NamedTuple):
    """What a worker has counted: its terms in the order of their columns, and the rows of its documents."""

    terms: list[str]
    counts: csr_array


def count_here(
    documents: Sequence[Document], reader: TermReader, known: Mapping[str, int]
) -> tuple[csr_array, list[str]]:
    """Count terms, those too that the index does not know, which are given in the order of their columns.

    >>> counts, unknown = count_here(["owls hoot", "owls"], Analyser().reader(), {"hoot": 0})
    >>> counts.toarray().tolist(), unknown
    ([[1.0, 1.0], [0.0, 1.0]], ['owls'])
    """
    columns = Growing(known)
    counts = count(documents, lookup_of(reader, columns.__getitem__), binary=False)
    return sized(counts, counts.indices, len(known) + len(columns.unknown)), columns.unknown


def count_on_workers(
    documents: Sequence[Document], analyser: Analyser, known: Mapping[str, int]
) -> tuple[csr_array, list[str]]:
    """Count as `count_here` does, where work is done; what is read at once is counted here."""
    check_documents(documents)
    starts = np.cumsum([0, *map(_letters, documents)])
    ranges = balanced_ranges(starts, -(-int(starts[-1]) // LETTERS_IN_A_TASK))
    if len(ranges) < 2:
        return count_here(documents, analyser.reader(), known)
    columns, matrix = Growing(known), GrowingMatrix()
    # As dictionaries: other mappings may be more than a worker can read.
    tasks = (
        ([dict(one) if isinstance(one, Mapping) else one for one in documents[start:stop]],) for start, stop in ranges
    )
    for found in in_order(count_some, tasks, shared=(analyser,)):
        if found is None:
            # Some document is none: counted here, it is found again, and told by its number among all.
            return count_here(documents, analyser.reader(), known)
        numbers = np.fromiter(map(columns.__getitem__, found.terms), dtype=np.int32, count=len(found.terms))
        counts = found.counts
        rows = csr_array((counts.data, numbers[counts.indices], counts.indptr), shape=(counts.shape[0], WIDEST))
        rows.sort_indices()
        matrix.extend(rows.data.astype(np.float64), rows.indices, np.diff(rows.indptr))
    counts = matrix.finished()
    return sized(counts, counts.indices, len(known) + len(columns.unknown)), columns.unknown


def count_some(analyser: Analyser, documents: list[Document]) -> Counted | None:
    """Count the terms of some documents on a worker, whose reader stays with the analyser; None if one is no document.

    >>> counted = count_some(Analyser(), ["gulls cry", "owls and gulls"])
    >>> counted.terms, counted.counts.indices.tolist()
    (['gulls', 'cry', 'owls', 'and'], [0, 1, 0, 2, 3])
    """
    try:
        counts, terms = count_here(documents, analyser.reader(), {})
    except ValueError:
        return None
    return Counted(terms, csr_array((_in_bytes(counts.data), counts.indices, counts.indptr), shape=counts.shape))


def _in_bytes(counts: Floats) -> npt.NDArray[Any]:
    """Give counts in a byte each if they fit, otherwise as they are: twelve bytes an entry are much to send."""
    if counts.max(initial=0) > np.iinfo(np.uint8).max:
        return counts
    narrow = counts.astype(np.uint8)
    return narrow if np.array_equal(narrow, counts) else counts


def _letters(document: object) -> int:
    """Say how long a document is, about; what is none has a length, too, and is refused where it is counted."""
    if isinstance(document, str):
        return len(document)
    return LETTERS_A_FEATURE * len(document) if isinstance(document, Mapping) else 1
