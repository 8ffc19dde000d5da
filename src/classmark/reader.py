"""Readers: from documents to the matrix that a classifier sees, with headers, language, terms or vectors, and weights.

`Readings` are several readers of the same documents, one for each part of a method. Each part has its own columns,
weighted as it asks for; parts that read in the same way share theirs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise
from typing import Any, NamedTuple, Self, TypeAlias, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack

from classmark.data.names import category_texts
from classmark.data.sharded import ShardedDocuments
from classmark.data.stored import FeatureRows
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import NodeText
from classmark.parallel import elsewhere
from classmark.parted import PartedMatrix, Rows, here, mapped
from classmark.persistence import State
from classmark.seen import row_numbers, token_numbers
from classmark.text import TermWeighting, TextSettings, TextVectoriser
from classmark.text.counting import check_documents
from classmark.text.encoders.features import (
    TextEncoder,
    VectorsAndTerms,
    features_of,
    restored_features,
    restored_terms,
    terms_state,
)
from classmark.text.encoders.tokens import Tokeniser
from classmark.text.parted_terms import count_in_parts
from classmark.text.parts import TextsOfParts
from classmark.text.vectoriser import Document

Vectoriser: TypeAlias = TextVectoriser | TextEncoder | VectorsAndTerms | Tokeniser
R = TypeVar("R", bound=csr_array | PartedMatrix)

DOCUMENTS_TO_KNOW_A_LANGUAGE = 1000


class Weigher(NamedTuple):
    """What weighs rows as those that were learned from; vectors have no weights."""

    weighting: TermWeighting | None

    def __call__(self, rows: csr_array) -> csr_array:
        """Give rows as a classifier sees them."""
        return rows if self.weighting is None else csr_array(self.weighting.transform(rows))


@dataclass(frozen=True)
class Reader:
    r"""What reads documents in one way, once it has seen those that are learned from.

    Attributes
    ----------
    text : TextSettings
        How documents are read, the language found in the place of `auto`.
    vectoriser : TextVectoriser, TextEncoder, VectorsAndTerms or Tokeniser
        What makes rows of them: counts of terms, vectors, both, or numbers of tokens.
    runs : array of bool, optional
        Which terms are runs of several tokens.

    Examples
    --------
    >>> reader, counts = Reader.learn(TextSettings(headers="subject"), ["From: Ann\nSubject: Owls\n\nThey hoot."])
    >>> reader.vectoriser.vocabulary_, counts.toarray()
    (['hoot', 'owl'], array([[1., 1.]]))
    """

    text: TextSettings
    vectoriser: Vectoriser
    runs: npt.NDArray[np.bool_] | None = None

    @classmethod
    def learn(cls, text: TextSettings, documents: Iterable[Document], own: Any = None) -> tuple["Reader", csr_array]:
        """Learn to read from documents, read once; give the reader and their rows, not weighted yet.

        What a classifier reads texts by itself with, `own`, takes the place of terms and vectors: a `Tokeniser`, or
        `Readings` for several parts.
        """
        with cls.learning(text, documents, own) as (reader, rows):
            return reader, here(rows)

    @classmethod
    @contextmanager
    def learning(
        cls, text: TextSettings, documents: Iterable[Document], own: Any = None
    ) -> Iterator[tuple["Reader", Rows]]:
        """Do what `learn` does, but leave rows that were made on the workers of a cluster there, inside the block."""
        if text.language == "auto":
            check_documents(documents)
            text, documents = _with_language(text, documents)
        place = elsewhere()
        if isinstance(documents, ShardedDocuments) and place is not None and own is None and text.by_terms:
            terms, counts = count_in_parts(place, text, documents)
            with closing(counts):
                yield cls(text, terms, terms.runs_), counts
            return
        vectoriser = own or (text.vectoriser() if text.by_terms else features_of(text))
        rows = vectoriser.fit_transform(text.prepared(documents))
        yield cls(text, vectoriser, getattr(vectoriser, "runs_", None)), csr_array(rows)

    def selected(self, columns: npt.NDArray[np.intp]) -> "Reader":
        """Give a reader that knows some of the terms alone."""
        if not isinstance(self.vectoriser, TextVectoriser):
            raise InputError("an encoder has no terms to select")
        terms = [self.vectoriser.vocabulary_[column] for column in columns]
        runs = None if self.runs is None else self.runs[columns]
        return replace(self, vectoriser=TextVectoriser.from_vocabulary(terms, self.vectoriser.analyser), runs=runs)

    def rows(self, documents: Iterable[Document]) -> csr_array:
        """Give the rows of documents, not weighted yet."""
        return csr_array(self.vectoriser.transform(self.text.prepared(documents)))

    def names(self, weigher: Weigher, nodes: Mapping[Any, NodeText]) -> Callable[[Hierarchy], csr_array]:
        """Give what reads the names and descriptions of categories as documents are read, a row for each category."""

        def read(hierarchy: Hierarchy) -> csr_array:
            known = {name: text for name, text in nodes.items() if name in hierarchy and text.words}
            return weigher(self.rows(category_texts(hierarchy, known or None)))

        return read

    def weigh(self, rows: R) -> tuple[R, Weigher]:
        """Weigh the rows that are learned from; give them, and what weighs others in the same way."""
        if not self.text.by_terms:
            return rows, Weigher(None)
        weigher = Weigher(self.text.fitted_weighting(rows, self.runs))
        return mapped(rows, weigher.__call__), weigher


def _with_language(text: TextSettings, documents: Iterable[Document]) -> tuple[TextSettings, Iterable[Document]]:
    """Find the language of the first documents; give the documents again, all of them."""
    if isinstance(documents, FeatureRows):
        return text.for_documents(()), documents
    if isinstance(documents, ShardedDocuments):
        return text.for_documents(islice(documents, DOCUMENTS_TO_KNOW_A_LANGUAGE)), documents
    documents = iter(documents)
    first = list(islice(documents, DOCUMENTS_TO_KNOW_A_LANGUAGE))
    return text.for_documents(first), chain(first, documents)


NUMBER_OF_A_BLOCK = np.uint64(0x9E3779B97F4A7C15)
"""What keeps the numbers of documents in one way of reading apart from those in another."""


class Readings:
    """Reads documents in the ways of all parts, in the place of a `TextVectoriser`.

    Parameters
    ----------
    text : TextsOfParts
        How each part reads.
    tokenisers : mapping from int to Tokeniser
        What the parts that read texts themselves read them by, by the number of the part.

    Attributes
    ----------
    columns : list of slice
        Which columns each part sees.
    """

    def __init__(self, text: TextsOfParts, tokenisers: Mapping[int, Tokeniser]) -> None:
        self.text, self.tokenisers = text, tokenisers
        ways = [(part, tokenisers.get(number)) for number, part in enumerate(text.parts)]
        self._like = [ways.index(way) for way in ways]
        self._read: dict[int, tuple[Reader, Weigher]] = {}

    @property
    def vocabulary_(self) -> list[str]:
        """Names of the columns, those of one way of reading after those of another."""
        return [name for reader, _ in self._read.values() for name in reader.vectoriser.vocabulary_]

    def ways(self) -> Iterator[tuple[TextSettings, Vectoriser]]:
        """Give the settings of text and the vectoriser of each way of reading."""
        return ((reader.text, reader.vectoriser) for reader, _ in self._read.values())

    @property
    def columns(self) -> list[slice]:
        """Which columns each part sees."""
        ends = np.cumsum([0, *(len(reader.vectoriser.vocabulary_) for reader, _ in self._read.values())]).tolist()
        found = {number: slice(*pair) for number, pair in zip(self._read, pairwise(ends), strict=True)}
        return [found[number] for number in self._like]

    def fit_transform(self, documents: Iterable[Any]) -> csr_array:
        """Learn to read from documents, which are held meanwhile, and give their rows."""
        documents = _reusable(documents)
        blocks = []
        for number in dict.fromkeys(self._like):
            reader, counts = Reader.learn(self.text.parts[number], documents, self.tokenisers.get(number))
            rows, weigher = reader.weigh(counts)
            self._read[number] = reader, weigher
            blocks.append(rows)
        return csr_array(hstack(blocks, format="csr"))

    def transform(self, documents: Iterable[Any]) -> csr_array:
        """Give the rows of documents, which are held meanwhile."""
        documents = _reusable(documents)
        blocks = [weigher(reader.rows(documents)) for reader, weigher in self._read.values()]
        return csr_array(hstack(blocks, format="csr"))

    def numbers(self, X: csr_array) -> npt.NDArray[np.uint64]:
        """Give each row a number by which its document is known again, made of all ways of reading it."""
        found = np.zeros(X.shape[0], dtype=np.uint64)
        for number in self._read:
            number_of = token_numbers if number in self.tokenisers else row_numbers
            found = found * NUMBER_OF_A_BLOCK + number_of(csr_array(X[:, self.columns[number]]))
        return found

    def to_state(self) -> State:
        """Give what a model file keeps of each way of reading, besides the settings of text."""
        read = self._read.values()
        ways = [way_state(reader.vectoriser, weigher.weighting) for reader, weigher in read]
        return {"like": list(self._like), "ways": ways}

    @classmethod
    def from_state(cls, text: TextsOfParts, tokenisers: Mapping[int, Tokeniser], state: State) -> Self:
        """Take up what a model file has."""
        found = cls(text, tokenisers)
        found._like = like = msgspec.convert(state["like"], list[int])
        if len(like) != len(text.parts) or any(not 0 <= one <= number for number, one in enumerate(like)):
            raise InputError("the model's ways to read text are not those of its parts")
        for number, kept in zip(dict.fromkeys(like), state["ways"], strict=True):
            settings = text.parts[number]
            vectoriser, weighting = restored_way(settings, tokenisers.get(number), kept)
            found._read[number] = Reader(settings, vectoriser), Weigher(weighting)
        return found


def tokenisers_of(classifier: Any) -> dict[int, Tokeniser]:
    """Give what the parts that read texts themselves read them by, by the number of the part."""
    return {
        number: (getattr(part, "tokeniser_", None) or part.tokeniser())
        for number, part in enumerate(classifier.inside())
        if part.reads_texts
    }


def own_reading(classifier: Any, text: TextSettings) -> Tokeniser | Readings | None:
    """Give what reads documents where that is not for the settings of text alone to say."""
    if isinstance(text, TextsOfParts):
        return Readings(text, tokenisers_of(classifier))
    return classifier.tokeniser() if classifier.reads_texts else None


def numbers_by(vectoriser: Any) -> Callable[[csr_array], npt.NDArray[np.uint64]]:
    """Give what makes numbers of rows, by which documents are known again."""
    if isinstance(vectoriser, Readings):
        return vectoriser.numbers
    return token_numbers if isinstance(vectoriser, Tokeniser) else row_numbers


def _reusable(documents: Iterable[Any]) -> Any:
    """Give documents that can be read several times."""
    return documents if isinstance(documents, FeatureRows) else list(documents)


def way_state(vectoriser: Vectoriser, weighting: TermWeighting | None) -> State:
    """Give what a model file keeps of one way of reading; a tokeniser is kept by the classifier."""
    if isinstance(vectoriser, Tokeniser):
        return {}
    if isinstance(vectoriser, TextVectoriser):
        assert weighting is not None
        return terms_state(vectoriser, weighting)
    return vectoriser.to_state()


def restored_way(
    text: TextSettings, tokeniser: Tokeniser | None, state: State
) -> tuple[Vectoriser, TermWeighting | None]:
    """Give what reads and weighs as one way of a model file does."""
    if tokeniser is not None:
        return tokeniser, None
    if not text.by_terms:
        return restored_features(text, state), None
    return restored_terms(text, state)
