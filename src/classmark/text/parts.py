"""How a method of several parts reads text: each part in its own way."""

from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Self

from classmark.checks import instance, python_only
from classmark.text.settings import TextSettings

if TYPE_CHECKING:
    from classmark.text.vectoriser import Document


class TextsOfParts(TextSettings, frozen=True):
    """How the parts of a method read text, each in its own way; the other settings are those of the first.

    Examples
    --------
    >>> both = TextsOfParts.of([TextSettings(stemmer=None), TextSettings(encoder="sentence")])
    >>> both.stemmer, [part.encoder for part in both.parts], both.by_terms
    (None, ['terms', 'sentence'], False)
    """

    parts: Annotated[
        tuple[TextSettings, ...],
        python_only(instance(tuple, "a tuple of TextSettings")),
        "The settings of each part.",
    ] = ()

    @classmethod
    def of(cls, parts: Iterable[TextSettings]) -> Self:
        """Give the settings of all parts."""
        parts = tuple(parts)
        first = {one.name: getattr(parts[0], one.name) for one in fields(TextSettings)}
        # Where one part waits for the documents to say their language, all are asked for it.
        waits = any(part.language == "auto" for part in parts)
        return cls(**first | ({"language": "auto"} if waits else {}), parts=parts)

    @property
    def by_terms(self) -> bool:
        """Never: what a classifier sees has been weighed by each part."""
        return False

    @property
    def told_by_terms(self) -> bool:
        """Whether every part reads terms."""
        return all(part.told_by_terms for part in self.parts)

    def prepared(self, documents: "Iterable[Document]") -> "Iterable[Document]":
        """Give documents as they are: each part leaves out what it does not read."""
        return documents

    def for_documents(self, documents: "Iterable[Document]") -> "TextSettings":
        """Give these settings with the language of some documents in the place of `auto`, in each part."""
        documents = list(documents)
        return self.of(part.for_documents(documents) for part in self.parts)
