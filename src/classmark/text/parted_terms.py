"""Counting the terms of documents in shards on the workers of a cluster.

Each worker counts the terms of its shards, numbered as they come. The vocabulary is put together here, exactly: the
terms of all workers by the alphabet, a range of it at a time, with the documents that each is in, so that nobody ever
holds more than the terms that stay and those of one range. Then every worker learns which of its terms have which
column.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.data.options import CorpusOptions
from classmark.data.sharded import Shard, ShardedDocuments
from classmark.parallel import Place, balanced_ranges
from classmark.parted import MatrixParts, PartedMatrix, RowsPart, with_columns
from classmark.progress import track_several
from classmark.text.counting import Document, column_sums, count
from classmark.text.settings import TextSettings
from classmark.text.vectoriser import LearnedTerms, TextVectoriser

CHARACTERS_AT_A_TIME = 1 << 22
DOCUMENTS_AT_A_TIME = 1 << 12
TERMS_IN_A_RANGE = 1 << 18
"""How many terms of all workers together are merged at a time, about."""
MEMORY_TO_READ = 128e6
"""What a worker needs for the terms of its shards, about: a million of them."""


class SomeTerms(NamedTuple):
    """Terms in alphabetical order: in how many documents each is, how often in all, and whether it is a run."""

    names: list[str]
    df: Floats
    totals: Floats
    runs: npt.NDArray[np.bool_]

    def merged(self) -> "SomeTerms":
        """Bring terms in any order into that of the alphabet, each once.

        >>> some = SomeTerms(["b", "a", "b"], np.array([1.0, 2.0, 3.0]), np.ones(3), np.zeros(3, dtype=bool))
        >>> some.merged().names, some.merged().df, some.merged().totals
        (['a', 'b'], array([2., 4.]), array([1., 2.]))
        """
        names = self.names
        order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.intp)
        ordered = [names[number] for number in order.tolist()]
        kept = [name for name, _ in groupby(ordered)]
        group = np.cumsum([before != name for before, name in pairwise([None, *ordered])], dtype=np.intp) - 1
        size = len(kept)
        # What is a term by itself in one document is no run in another.
        alone = np.bincount(group, ~self.runs[order], size) > 0
        df, totals = (np.bincount(group, values[order], size).astype(float) for values in (self.df, self.totals))
        return SomeTerms(kept, df, totals, ~alone)

    def between(self, low: str, high: str | None) -> "SomeTerms":
        """Give the terms of a range of the alphabet."""
        start = bisect_left(self.names, low)
        stop = len(self.names) if high is None else bisect_left(self.names, high)
        return self.take(np.arange(start, stop))

    def take(self, numbers: npt.NDArray[np.intp]) -> "SomeTerms":
        """Give the terms with some numbers."""
        names = [self.names[number] for number in numbers.tolist()]
        return SomeTerms(names, self.df[numbers], self.totals[numbers], self.runs[numbers])

    @classmethod
    def joined(cls, parts: Sequence["SomeTerms"]) -> "SomeTerms":
        """Put terms one after the other."""
        names = [name for part in parts for name in part.names]
        df, totals = (np.concatenate([part[column] for part in parts]) for column in (1, 2))
        return cls(names, df, totals, np.concatenate([part.runs for part in parts]))


class TermsPart(RowsPart):
    """The documents of some shards as rows of counts, in files of this worker."""

    def __init__(self, text: TextSettings, options: CorpusOptions) -> None:
        super().__init__()
        self._text, self._options = text, options
        self._vectoriser = text.vectoriser()
        self._terms = LearnedTerms(text.analyser())
        self._df, self._totals = np.zeros(0), np.zeros(0)
        self._known: SomeTerms | None = None
        self._columns = np.zeros(0, np.int32)

    def read(self, shards: list[tuple[Shard, npt.NDArray[np.int64] | None]]) -> None:
        """Count the terms of shards."""
        for shard, rows in shards:
            for some in _at_a_time(iter(self._text.prepared(shard.documents(self._options, rows)))):
                self._take(count(some, self._terms.lookup, binary=self._vectoriser.binary))

    def _take(self, counts: csr_array) -> None:
        self.store.append(counts)
        size = len(self._terms)
        self._df = _longer(self._df, size) + column_sums(counts.indices, None, size)
        self._totals = _longer(self._totals, size) + column_sums(counts.indices, counts.data, size)

    def _all(self) -> SomeTerms:
        """Give all terms of this part."""
        if self._known is None:
            names = self._terms.names(np.arange(len(self._terms)))
            self._known = SomeTerms(names, self._df, self._totals, self._terms.runs()).merged()
        return self._known

    def landmarks(self, every: int) -> list[str]:
        """Give every so many-th term."""
        return self._all().names[::every]

    def between(self, low: str, high: str | None) -> SomeTerms:
        """Give the terms of a range of the alphabet."""
        return self._all().between(low, high)

    def adopt(self, vocabulary: list[str]) -> int:
        """Learn which terms have which columns, and forget the terms; give how many runs were not counted."""
        columns = {term: column for column, term in enumerate(vocabulary)}
        names = self._terms.names(np.arange(len(self._terms)))
        self._columns = np.fromiter((columns.get(name, -1) for name in names), np.int32, len(names))
        self.n_columns = len(vocabulary)
        left_out = self._terms.left_out
        self._known, self._terms = None, LearnedTerms(self._text.analyser())
        return left_out

    def _stored(self, rows: npt.NDArray[np.int64]) -> csr_array:
        return with_columns(super()._stored(rows), self._columns, self.n_columns)


def _longer(values: Floats, size: int) -> Floats:
    return np.append(values, np.zeros(size - len(values)))


def _at_a_time(documents: Iterator[Document]) -> Iterator[list[Document]]:
    """Give documents in lists that are neither long nor large."""
    some: list[Document] = []
    characters = 0
    for document in documents:
        some.append(document)
        characters += len(document)
        if characters >= CHARACTERS_AT_A_TIME or len(some) >= DOCUMENTS_AT_A_TIME:
            yield some
            some, characters = [], 0
    if some:
        yield some


def count_in_parts(
    place: Place, text: TextSettings, documents: ShardedDocuments
) -> tuple[TextVectoriser, PartedMatrix]:
    """Learn the vocabulary of documents in shards, and count, on the workers; see `TextVectoriser.fit_transform`."""
    vectoriser = text.vectoriser()
    vectoriser.check()
    shards = documents.of_shards()
    starts = np.cumsum([0, *(shard.state.size for shard, _ in shards)])
    mine = [shards[start:stop] for start, stop in balanced_ranges(starts, place.n_workers)]
    parts = MatrixParts(place, TermsPart, [()] * len(mine), (text, documents.options), MEMORY_TO_READ)
    try:
        for number in track_several(range(max(map(len, mine))), "rounds of reading shards"):
            parts.tell("read", [(some[number : number + 1],) for some in mine])
        kept = _vocabulary(parts, vectoriser, len(documents))
        left_out = sum(parts.tell("adopt", [(kept.names,)] * len(mine)))
        vectoriser.take_terms(kept.names, kept.runs, left_out)
        sizes = parts.residents.ask("sizes")
        return vectoriser, PartedMatrix.all_of(parts, sizes, len(kept.names))
    except BaseException:
        parts.close()
        raise


def _vocabulary(parts: MatrixParts, vectoriser: TextVectoriser, n_documents: int) -> SomeTerms:
    """Merge the terms of all parts, and keep those that the vectoriser keeps."""
    every = max(1, TERMS_IN_A_RANGE // 16)
    marks = sorted({mark for part in parts.residents.ask("landmarks", every) for mark in part})
    bounds: list[str | None] = ["", *marks[16::16], None]
    found = []
    for low, high in pairwise(bounds):
        some = SomeTerms.joined(parts.residents.ask("between", low, high)).merged()
        found.append(some.take(vectoriser.kept(some.df, some.runs, n_documents)))
    # Ranges follow each other, and so do their terms.
    kept = SomeTerms.joined(found)
    kept = kept.take(vectoriser.most_frequent(kept.totals))
    vectoriser.check_left(len(kept.names), n_documents)
    return kept
