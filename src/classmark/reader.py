"""The one way from documents to the matrix that a classifier sees: headers, language, terms or vectors, weights."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.data.names import category_texts
from classmark.data.sharded import ShardedDocuments
from classmark.data.stored import FeatureRows
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import NodeText
from classmark.parallel import elsewhere
from classmark.parted import PartedMatrix, Rows, here, mapped
from classmark.text import TermWeighting, TextSettings, TextVectoriser
from classmark.text.counting import check_documents
from classmark.text.encoders.features import TextEncoder, VectorsAndTerms, features_of
from classmark.text.encoders.tokens import Tokeniser
from classmark.text.parted_terms import count_in_parts
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
