"""The words of a text that make a score: the shares of terms, put where the terms stand.

A term that stands in a text several times has its share there in equal parts, and a run of several words in each of
its words.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise

import numpy as np

from classmark.errors import InputError
from classmark.explain.piece import Piece, richest
from classmark.explain.shares import runs_of
from classmark.pipeline import TextClassifier
from classmark.reader import Readings
from classmark.text import TextSettings, TextVectoriser
from classmark.text.parts import TextsOfParts
from classmark.text.places import Aligned, Place, places
from classmark.text.vectoriser import Document

BETWEEN = ", "
"""What stands between the ready-made features of a document where it is shown."""

Span = tuple[int, int]


def shown_text(document: Document) -> str:
    """Give a document as it is shown: a text as it is, ready-made features one after another.

    >>> shown_text({"ice cream": 2, "sun": 1})
    'ice cream, sun'
    """
    return document if isinstance(document, str) else BETWEEN.join(document)


def pieces(
    model: TextClassifier, document: Document, shares: Mapping[str, float], *, longest: int | None = None
) -> tuple[list[Piece], bool]:
    """Cut a document into pieces, each with the shares of the terms that it makes.

    Parameters
    ----------
    model : TextClassifier
        The model, which says how texts are read.
    document : str or mapping
        The document.
    shares : mapping
        What each term adds to a score; terms that are not in the document, or that nothing is known of, do nothing.
    longest : int, optional
        The most characters; of a longer text the part is given that has most of the shares, by absolute value, cut
        between words where that can be.

    Returns
    -------
    pieces : list of Piece
        Together they are the text, or its part.
    cut : bool
        Whether something was left out.

    Examples
    --------
    >>> model = TextClassifier().fit(["hoots at night", "cries over the sea"], ["owl", "gull"])
    >>> marked, cut = pieces(model, "Who hoots? It HOOTS.", {"hoots": 1.0, "night": 0.5})
    >>> [(piece.text, piece.share) for piece in marked], cut
    ([('Who ', 0.0), ('hoots', 0.5), ('? It ', 0.0), ('HOOTS', 0.5), ('.', 0.0)], False)
    """
    return TermOccurrences(model, document, shares).pieces(shares, longest=longest)


class TermOccurrences:
    """Occurrences of terms in a document, found in one pass over it, to mark it for any number of categories.

    Parameters
    ----------
    model : TextClassifier
        The model, which says how texts are read.
    document : str or mapping
        The document.
    terms : collection of str
        The terms to find: all that `pieces` and `as_written` are called with later.
    """

    def __init__(self, model: TextClassifier, document: Document, terms: Collection[str]) -> None:
        self._text = shown_text(document)
        self._places = list(standing(model, document, terms))

    def pieces(self, shares: Mapping[str, float], *, longest: int | None = None) -> tuple[list[Piece], bool]:
        """Cut the document into pieces, as the function `pieces` does."""
        if longest is not None and longest < 1:
            raise InputError(f"longest={longest}: must be an integer >= 1")
        found = marked(self._text, [place for place in self._places if place.term in shares], shares)
        if longest is None or len(self._text) <= longest:
            return found, False
        return richest(found, longest), True

    def as_written(self, terms: Collection[str]) -> dict[str, str]:
        """Return each of some terms as the document spells its first occurrence; a stem is seldom a word.

        >>> model = TextClassifier("nb-plus").fit(["hooting at night", "cries over the sea"], ["owl", "gull"])
        >>> TermOccurrences(model, "Who was hooting?", ["hoot", "night"]).as_written(["hoot", "night"])
        {'hoot': 'hooting'}
        """
        spelling = dict[str, str]()
        for place in self._places:
            if place.term in terms and place.term not in spelling:
                spelling[place.term] = " ".join(self._text[start:end] for start, end in place.spans)
        return spelling


def standing(model: TextClassifier, document: Document, terms: Collection[str]) -> Iterator[Place]:
    """Give where those of some terms that are in a document stand in what is shown of it."""
    found: Iterable[Place]
    if not isinstance(document, str):
        found = _features(document)
    elif not model.text_.told_by_terms:
        found = _words(model, document)
    else:
        read = (places(way.analyser_.reader(), document, subject_alone=alone) for way, alone in _ways(model))
        # Parts that read in different ways may find the same term in the same place.
        found = dict.fromkeys(place for way in read for place in way if place.term in terms)
    return (place for place in found if place.term in terms)


def _ways(model: TextClassifier) -> Iterator[tuple[TextVectoriser, bool]]:
    """Give what counts terms, in each way of reading, and whether it leaves the headers of messages out."""
    vectoriser, text = model.vectoriser_, model.text_
    read: Iterable[tuple[TextSettings, object]] = [(text, vectoriser)]
    if isinstance(vectoriser, Readings):
        read = vectoriser.ways()
    for settings, way in read:
        if isinstance(way, TextVectoriser):
            yield way, settings.headers == "subject"


def _features(document: Mapping[str, float]) -> Iterator[Place]:
    ends = accumulate(len(term) + len(BETWEEN) for term in document)
    for term, end in zip(document, ends, strict=True):
        behind = end - len(BETWEEN)
        yield Place(term, ((behind - len(term), behind),))


def _words(model: TextClassifier, text: str) -> Iterator[Place]:
    """Give the words, or runs of words, that were left out to see what the score loses."""
    # Several parts each leave out by themselves what they do not read.
    whole = model.text_.headers == "keep" or isinstance(model.text_, TextsOfParts)
    aligned = Aligned.of(text, subject_alone=not whole)
    for words in runs_of(aligned.text):
        spans = tuple(aligned.span(*word.span()) for word in words)
        yield Place(" ".join(word[0] for word in words), spans)


def marked(text: str, found: Sequence[Place], shares: Mapping[str, float]) -> list[Piece]:
    """Cut a text into pieces by the places of terms, each with its part of their shares.

    >>> marked("ice cream", [Place("ice", ((0, 3),)), Place("ice cream", ((0, 3), (4, 9)))], {"ice": 1, "ice cream": 3})
    [Piece(text='ice', share=2.5), Piece(text=' ', share=0.0), Piece(text='cream', share=1.5)]
    """
    if not text:
        return []
    spans = _shares_of_spans(found, shares)
    ends = np.array([*spans], dtype=np.intp).reshape(-1, 2)
    cuts = np.unique([0, len(text), *ends.ravel()])
    first, behind = np.searchsorted(cuts, ends).T
    # Ways of reading that find different tokens cut each other's; each part of a token has its share by its length.
    token = np.repeat(np.arange(len(ends)), behind - first)
    part = np.concatenate([np.empty(0, np.intp), *map(np.arange, first, behind)]) if token.size > len(ends) else first
    of_a_character = np.fromiter(spans.values(), float) / (ends[:, 1] - ends[:, 0])
    marks = np.bincount(part, of_a_character[token] * np.diff(cuts)[part], minlength=cuts.size - 1)
    return [
        Piece(text=text[start:end], share=share)
        for (start, end), share in zip(pairwise(cuts.tolist()), marks.tolist(), strict=True)
    ]


def _shares_of_spans(found: Sequence[Place], shares: Mapping[str, float]) -> dict[Span, float]:
    """Give each token its part of the shares of the terms that it is in."""
    times = defaultdict[str, int](int)
    for place in found:
        times[place.term] += 1
    total = defaultdict[Span, float](float)
    for place in found:
        for span in place.spans:
            total[span] += shares[place.term] / times[place.term] / len(place.spans)
    return total
