"""The words that speak loudest for categories: by what a model has learned, or else by the documents."""

from collections.abc import Sequence

from classmark.explain.words import strongest_words
from classmark.pipeline import TextClassifier
from classmark.readings import Readings
from classmark.service.reporting.words import TYPICAL, Words
from classmark.text import Analyser, TextVectoriser


def speaking_words(words: Words, model: TextClassifier | None = None) -> list[tuple[str, ...]]:
    """Give each node the words that speak for it by the model; where it has none, those typical of its documents."""
    typical = words.typical()
    if model is None:
        return typical
    try:
        found = strongest_words(model, top=TYPICAL)
    except ValueError:  # an encoder has no words, and a majority knows none
        return typical
    written = words.spoken(_analysers(model))
    return [
        tuple(dict.fromkeys(_as_written(term, written) for term, _ in one.speaking_for)) or others
        for one, others in zip(found, typical, strict=True)
    ]


def _analysers(model: TextClassifier) -> Sequence[Analyser]:
    vectoriser = model.vectoriser_
    ways = [way for _, way in vectoriser.ways()] if isinstance(vectoriser, Readings) else [vectoriser]
    return [way.analyser_ for way in ways if isinstance(way, TextVectoriser)]


def _as_written(term: str, written: dict[str, str]) -> str:
    """Give a term, or each word of a run of them, as documents have it.

    >>> _as_written("buffer stock", {"stock": "stocks"})
    'buffer stocks'
    """
    return " ".join(written.get(part, part) for part in term.split(" "))
