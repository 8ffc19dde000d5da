"""The one way from documents to the matrix that a classifier sees: headers, language, terms or vectors, weights."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain, islice

from scipy.sparse import csr_array

from classmark.text import TermWeighting, TextSettings, TextVectoriser
from classmark.text.counting import check_documents
from classmark.text.vectoriser import Document
from classmark.weak import TextEncoder

DOCUMENTS_TO_KNOW_A_LANGUAGE = 1000


@dataclass(frozen=True)
class Reader:
    r"""What reads documents in one way, once it has seen those that are learned from.

    Attributes
    ----------
    text : TextSettings
        How documents are read, the language found in the place of `auto`.
    vectoriser : TextVectoriser or TextEncoder
        What makes rows of them: counts of terms, or vectors.

    Examples
    --------
    >>> reader, counts = Reader.learn(TextSettings(headers="subject"), ["From: Ann\nSubject: Owls\n\nThey hoot."])
    >>> reader.vectoriser.vocabulary_, counts.toarray()
    (['hoot', 'owl'], array([[1., 1.]]))
    """

    text: TextSettings
    vectoriser: TextVectoriser | TextEncoder

    @classmethod
    def learn(cls, text: TextSettings, documents: Iterable[Document]) -> tuple["Reader", csr_array]:
        """Learn to read from documents, read once; give the reader and their rows, not weighted yet."""
        if text.language == "auto":
            check_documents(documents)
            documents = iter(documents)
            first = list(islice(documents, DOCUMENTS_TO_KNOW_A_LANGUAGE))
            text, documents = text.for_documents(first), chain(first, documents)
        vectoriser = text.vectoriser() if text.by_terms else TextEncoder(text.encoder)
        rows = vectoriser.fit_transform(text.prepared(documents))
        return cls(text, vectoriser), csr_array(rows)

    def rows(self, documents: Iterable[Document]) -> csr_array:
        """Give the rows of documents, not weighted yet."""
        return csr_array(self.vectoriser.transform(self.text.prepared(documents)))

    def weighting(self) -> TermWeighting | None:
        """Give what weighs rows, to be fitted; vectors have no weights."""
        return self.text.term_weighting() if self.text.by_terms else None

    def weigh(self, rows: csr_array) -> tuple[csr_array, Callable[[csr_array], csr_array]]:
        """Weigh the rows that are learned from; give them, and what weighs others in the same way."""
        weighting = self.weighting()
        if weighting is None:
            return rows, lambda others: others
        return csr_array(weighting.fit_transform(rows)), lambda others: csr_array(weighting.transform(others))
