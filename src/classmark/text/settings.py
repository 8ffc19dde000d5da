"""How text becomes a term matrix, as settings with names: what a method's defaults and the command line speak in."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import Stemmer
from msgspec import Meta

from classmark.text.mail import subject_and_body
from classmark.text.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from classmark.text.analyser import Analyser
    from classmark.text.vectoriser import Document, TextVectoriser
    from classmark.text.weighting import TermWeighting


class Prepared:
    """Documents whose messages are read without their headers, as often as the documents themselves can be."""

    def __init__(self, documents: "Iterable[Document]") -> None:
        self.documents = documents

    def __len__(self) -> int:
        return len(self.documents)  # type: ignore[arg-type]

    def __iter__(self) -> "Iterator[Document]":
        return (subject_and_body(one) if isinstance(one, str) else one for one in self.documents)


class TextSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of analyser, vectoriser and weighting in one place.

    Examples
    --------
    >>> settings = TextSettings(language="german")
    >>> settings.analyser().terms("Die Häuser der Stadt")
    ['haus', 'stadt']
    """

    language: Annotated[str, Meta(description="the language of stop words and stemmer; auto: the documents' own")] = (
        "english"
    )
    stop_words: Annotated[str | None, Meta(description="language, none, or the name of another language")] = "language"
    stemmer: Annotated[str | None, Meta(description="language, none, porter, or a Snowball language")] = "language"
    lowercase: Annotated[bool, Meta(description="fold to lower case")] = True
    token_pattern: Annotated[str, Meta(description="letters, words, or a regular expression")] = "letters"
    remove_numbers: Annotated[bool, Meta(description="drop tokens of digits alone")] = False
    min_length: Annotated[int, Meta(ge=1, description="the shortest token kept")] = 1
    ngrams: Annotated[int, Meta(ge=1, le=20, description="terms are runs of up to this many tokens")] = 1
    ngram_min_df: Annotated[int | float, Meta(description="least documents (or share of them) a longer run is in")] = 1
    ngram_weight: Annotated[float, Meta(gt=0, description="what a longer run counts beside a single token")] = 1.0
    min_df: Annotated[int | float, Meta(description="least documents (or share of them) a term is in")] = 1
    max_df: Annotated[int | float, Meta(description="most documents (or share of them) a term is in")] = 1.0
    max_features: Annotated[int | None, Meta(description="keep only so many of the most frequent terms")] = None
    weighting: Annotated[
        Literal["tfidf", "counts", "binary", "bm25", "bm25-printed", "log-entropy"],
        Meta(description="how terms are weighted: tfidf, counts, binary, bm25, bm25-printed or log-entropy"),
    ] = "tfidf"
    k1: Annotated[float, Meta(ge=0, description="BM25: how late a count saturates")] = 1.2
    b: Annotated[float, Meta(ge=0, le=1, description="BM25: how much a document's length counts")] = 0.75
    sublinear: Annotated[bool | None, Meta(description="1 + ln tf instead of tf; none: with tfidf alone")] = False
    norm: Annotated[Literal["l2", "l1"] | None, Meta(description="length every document is scaled to")] = "l2"
    headers: Annotated[
        Literal["keep", "subject"], Meta(description="subject: of a message's headers, read the subject alone")
    ] = "keep"
    encoder: Annotated[
        str, Meta(description="terms, or what makes vectors of texts instead: sentence, sentence:FOLDER, static:FOLDER")
    ] = "terms"

    @property
    def by_terms(self) -> bool:
        """Whether documents become counts of terms, not vectors of an encoder."""
        return self.encoder == "terms"

    def prepared(self, documents: "Iterable[Document]") -> "Iterable[Document]":
        """Give documents as they are read, texts without the headers that are not to be."""
        if self.headers == "keep":
            return documents
        return Prepared(documents)

    def for_documents(self, documents: "Iterable[Document]") -> "TextSettings":
        """Give these settings with the language of some documents in the place of `auto`.

        Documents in no language that there are stop words for are read without stop words and stemmer.

        >>> TextSettings(language="auto").for_documents(["Das ist nicht der Weg nach Hause"]).language
        'german'
        """
        if self.language != "auto":
            return self
        asking = [name for name in ("stop_words", "stemmer") if getattr(self, name) == "language"]
        if not asking:
            return msgspec.structs.replace(self, language="any")
        from classmark.text.language import detect_language

        found = detect_language(one for one in self.prepared(documents) if isinstance(one, str))
        if found is not None:
            return msgspec.structs.replace(self, language=found)
        return msgspec.structs.replace(self, language="unknown", **dict.fromkeys(asking))

    def analyser(self) -> "Analyser":
        """Give the analyser of these settings."""
        from classmark.text.analyser import Analyser

        self._check_languages()
        stemmer = "porter" if self.language == "english" else self.language
        return Analyser(
            lowercase=self.lowercase,
            token_pattern=self.token_pattern,
            stop_words=self.language if self.stop_words == "language" else self.stop_words,
            stemmer=stemmer if self.stemmer == "language" else self.stemmer,
            remove_numbers=self.remove_numbers,
            min_length=self.min_length,
            ngrams=(1, self.ngrams),
        )

    def _check_languages(self) -> None:
        """Refuse stop words and a stemmer that there are not, with what to set instead."""
        for name, known in (("stop_words", STOP_WORDS), ("stemmer", Stemmer.algorithms())):
            if getattr(self, name) not in (None, "language", *known):
                raise ValueError(f"setting {name}={getattr(self, name)}: must be language, none or {_one_of(known)}")
        if "language" in (self.stop_words, self.stemmer):
            self._check_language()

    def _check_language(self) -> None:
        """Refuse a language that there are no stop words or no stemmer for, with what to set instead."""
        if self.language == "auto":
            raise ValueError("setting language=auto: there are no documents to find the language of; name it")
        languages = [name for name in Stemmer.algorithms() if "porter" not in name]
        if self.language not in languages:
            raise ValueError(
                f"setting language={self.language}: must be auto or {_one_of(languages)};"
                " for any other set stop_words=none and stemmer=none"
            )
        if self.stop_words == "language" and self.language not in STOP_WORDS:
            raise ValueError(
                f"setting language={self.language}: it has a stemmer, but no stop words here; set stop_words=none too"
            )

    def vectoriser(self) -> "TextVectoriser":
        """Give the vectoriser of these settings, to be fitted."""
        from classmark.text.vectoriser import TextVectoriser

        return TextVectoriser(
            self.analyser(),
            min_df=self.min_df,
            max_df=self.max_df,
            max_features=self.max_features,
            ngram_min_df=self.ngram_min_df,
        )

    def term_weighting(self) -> "TermWeighting":
        """Give the weighting of these settings, to be fitted."""
        from classmark.text.weighting import TermWeighting

        sublinear = self.weighting == "tfidf" if self.sublinear is None else self.sublinear
        return TermWeighting(self.weighting, sublinear=sublinear, norm=self.norm, k1=self.k1, b=self.b)


def _one_of(names: Iterable[str]) -> str:
    return f"one of {', '.join(sorted(names))}"
