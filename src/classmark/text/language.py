"""Which language texts are in, told by the function words that no other language has."""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import chain, islice

from classmark.text.analyser import Analyser
from classmark.text.stopwords import STOP_WORDS

ENOUGH_TOKENS = 100_000
"""How many tokens are looked at."""
MOST_OF_A_WORD = 0.01
"""The fraction of tokens up to which a word counts: *for* and *at* are frequent in Danish, but they are only two."""
LEAST_FRACTION = 0.05
"""The least fraction of tokens that speak for a language; running text has twice that, titles few function words."""
LEAST_HITS = 3
"""The least number of words found, in a few short texts."""
LEAST_LEAD = 2.0
"""How many times as much it must be as that of any other language."""


def detect_language(texts: Iterable[str]) -> str | None:
    """Give the language of texts, one of those with stop words, or None where it is none of them, or none clearly.

    A function word that several languages have, such as *in*, says nothing, and no word says much alone: a language
    without a list here, such as Swedish, is not taken for its neighbours.

    Examples
    --------
    >>> detect_language(["Wer hat den Wein getrunken?", "Das ist nicht der Weg nach Hause."])
    'german'
    >>> detect_language(["Vem har druckit vinet?", "Det är inte vägen hem."]) is None
    True
    """
    read = Analyser(token_pattern="letters").reader().tokens
    return language_of(Counter(islice(chain.from_iterable(map(read, texts)), ENOUGH_TOKENS)))


def language_of(tokens: Counter[str]) -> str | None:
    """Give the language of texts by how often they have each word, in small letters.

    >>> language_of(Counter("wer hat den wein getrunken das ist nicht der weg nach hause".split()))
    'german'
    """
    most = max(1.0, MOST_OF_A_WORD * tokens.total())
    owners = _owners()
    hits = dict.fromkeys(STOP_WORDS, 0.0)
    for word, count in tokens.items():
        if word in owners:
            hits[owners[word]] += min(count, most)
    best, second = sorted(hits, key=lambda language: -hits[language])[:2]
    least = max(LEAST_HITS, LEAST_FRACTION * tokens.total(), LEAST_LEAD * hits[second])
    return best if hits[best] >= least else None


@cache
def _owners() -> dict[str, str]:
    """Give the stop words of two letters and more that no other language has, each with its language."""
    languages = Counter(chain.from_iterable(STOP_WORDS.values()))
    return {
        word: language
        for language, words in STOP_WORDS.items()
        for word in words
        if len(word) > 1 and languages[word] == 1
    }
