"""How text becomes a term matrix, as settings with names: what a method's defaults and the command line speak in.

`subject_and_body` removes the headers of mail and news messages except the subject.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import Stemmer

from classmark.checks import BOOLEAN, Constraint, choice, instance, integer, is_whole, optional, real
from classmark.errors import InputError
from classmark.parameters import Parameterized
from classmark.text.stopwords import STOP_WORDS

HEADERS = re.compile(r"(?:[!-9;-~]+:.*\n(?:[ \t].*\n)*)+\r?\n")
"""Lines with a name, a colon and a value, perhaps going on in the next line after a space, and then an empty line."""
SENDER = re.compile(r"^(?:from|subject):", re.IGNORECASE | re.MULTILINE)
SUBJECT = re.compile(r"^subject:[ \t]*((?:.*)(?:\n[ \t].*)*)", re.IGNORECASE | re.MULTILINE)
REPLY = re.compile(r"^(?:(?:re|aw|fwd?)[ \t]*(?:\[\d+\])?:[ \t]*)+", re.IGNORECASE)


def subject_and_body(text: str) -> str:
    r"""Give the subject, without what replies put before it, and the body of a message; other texts as they are.

    >>> subject_and_body("From: Ann <ann@owl.org>\nSubject: Re: Owls\nLines: 2\n\nThey hoot.")
    'Owls\nThey hoot.'
    >>> subject_and_body("Note: owls hoot.\n\nThey do.")
    'Note: owls hoot.\n\nThey do.'
    """
    return "\n".join(text[span] for span in spans_read(text))


def spans_read(text: str) -> list[slice]:
    r"""Give where the subject and the body of a message are; all of another text.

    >>> spans_read("From: Ann\nSubject: Re: Owls\n\nThey hoot.")
    [slice(23, 27, None), slice(29, 39, None)]
    """
    headers = HEADERS.match(text)
    if headers is None or not SENDER.search(headers[0]):
        return [slice(0, len(text))]
    subject = SUBJECT.search(headers[0])
    body = slice(headers.end(), len(text))
    if subject is None:
        return [body]
    words = subject[1].rstrip()
    reply = REPLY.match(words)
    start = subject.start(1)
    return [slice(start + (reply.end() if reply else 0), start + len(words)), body]


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from classmark.parted import Rows
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


TEXT = instance(str, "text")
WEIGHTINGS = ("tfidf", "counts", "binary", "bm25", "bm25-printed", "log-entropy")


FREQUENCY = Constraint(
    lambda value: integer(ge=1).accepts(value) if is_whole(value) else real(ge=0, le=1).accepts(value),
    "a whole number of documents from 1, or a part of them from 0.0 to 1.0",
    lambda text: int(text) if text.isdigit() else float(text),
)

Lowercase = Annotated[
    bool, BOOLEAN, "Whether text is folded to lower case; stop words are known in any, and stemmers expect lower case."
]
TokenPattern = Annotated[
    str,
    instance(str, "'letters', 'words' or a regular expression"),
    "What a token is: a run of letters, a run of letters and digits (words), or what an expression, or its group, "
    "matches.",
]
RemoveNumbers = Annotated[bool, BOOLEAN, "Whether tokens of digits alone are dropped."]
MinLength = Annotated[int, integer(ge=1), "The shortest token kept, in characters, before stemming."]
MinDocuments = Annotated[int | float, FREQUENCY, "The least documents that a term is in, a number or a part of all."]
MaxDocuments = Annotated[int | float, FREQUENCY, "The most documents that a term is in, a number or a part of all."]
MinDocumentsOfRuns = Annotated[
    int | float, FREQUENCY, "The least documents that a run of several tokens is in; most stand in one alone."
]
MostTerms = Annotated[
    int | None, optional(integer(ge=1)), "How many terms are kept, the most frequent ones; the alphabet breaks ties."
]
Weighting = Annotated[str, choice(WEIGHTINGS), "How terms are weighted."]
Norm = Annotated[str | None, optional(choice(["l2", "l1"])), "The length that every document is scaled to, if any."]
K1 = Annotated[float, real(ge=0), "BM25's k1: how late a count saturates."]
B = Annotated[float, real(ge=0, le=1), "BM25's b: how much a document's length counts."]

EncoderName = Annotated[
    str,
    instance(str, "terms, sentence, sentence:FOLDER, static:FOLDER, or one of the last three with +terms"),
    "What makes numbers of texts: counts of terms, an encoder that makes vectors, or vectors with terms beside them.",
]


class TextSettings(Parameterized, frozen=True):
    """The settings of analyser, vectoriser and weighting in one place.

    Examples
    --------
    >>> settings = TextSettings(language="german")
    >>> settings.analyser().terms("Die Häuser der Stadt")
    ['haus', 'stadt']
    """

    language: Annotated[str, TEXT, "The language of stop words and stemmer; auto: the documents' own."] = "english"
    stop_words: Annotated[
        str | None,
        optional(TEXT),
        "The stop words: those of the language, none, or those of another language by its name.",
    ] = "language"
    stemmer: Annotated[
        str | None, optional(TEXT), "The stemmer: the language's, none, porter, or that of a Snowball language."
    ] = "language"
    lowercase: Lowercase = True
    token_pattern: TokenPattern = "letters"
    remove_numbers: RemoveNumbers = False
    min_length: MinLength = 1
    ngrams: Annotated[int, integer(ge=1, le=20), "The longest run of tokens that is a term."] = 1
    ngram_min_df: MinDocumentsOfRuns = 1
    ngram_weight: Annotated[float, real(gt=0), "What a longer run counts beside a single token."] = 1.0
    min_df: MinDocuments = 1
    max_df: MaxDocuments = 1.0
    max_features: MostTerms = None
    weighting: Weighting = "tfidf"
    k1: K1 = 1.2
    b: B = 0.75
    sublinear: Annotated[bool | None, optional(BOOLEAN), "Whether 1 + ln tf stands for tf; None: with tfidf alone."] = (
        False
    )
    norm: Norm = "l2"
    headers: Annotated[
        str, choice(["keep", "subject"]), "What is read of a message's headers: all, or the subject alone."
    ] = "keep"
    encoder: EncoderName = "terms"

    @property
    def by_terms(self) -> bool:
        """Whether documents become counts of terms, not vectors of an encoder."""
        return self.encoder == "terms"

    @property
    def told_by_terms(self) -> bool:
        """Whether the terms of a document can say why it got its categories."""
        return self.by_terms

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
        if "language" not in (self.stop_words, self.stemmer):
            return replace(self, language="any")
        from classmark.text.language import detect_language

        found = detect_language(one for one in self.prepared(documents) if isinstance(one, str))
        if found is not None:
            return replace(self, language=found)
        stop_words, stemmer = (None if one == "language" else one for one in (self.stop_words, self.stemmer))
        return replace(self, language="unknown", stop_words=stop_words, stemmer=stemmer)

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
                raise InputError(f"setting {name}={getattr(self, name)}: must be language, none or {_one_of(known)}")
        if "language" in (self.stop_words, self.stemmer):
            self._check_language()

    def _check_language(self) -> None:
        """Refuse a language that there are no stop words or no stemmer for, with what to set instead."""
        if self.language == "auto":
            raise InputError("setting language=auto: there are no documents to find the language of; name it")
        languages = [name for name in Stemmer.algorithms() if "porter" not in name]
        if self.language not in languages:
            raise InputError(
                f"setting language={self.language}: must be auto or {_one_of(languages)};"
                " for any other set stop_words=none and stemmer=none"
            )
        if self.stop_words == "language" and self.language not in STOP_WORDS:
            raise InputError(
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

    def fitted_weighting(self, counts: "Rows", runs: "NDArray[np.bool_] | None") -> "TermWeighting":
        """Give the weighting of these settings, fitted; runs of several tokens count as the settings say."""
        weighting = self.term_weighting().fit(counts)
        if runs is not None:
            weighting.idf_[runs] *= self.ngram_weight
        return weighting


def _one_of(names: Iterable[str]) -> str:
    return f"one of {', '.join(sorted(names))}"
