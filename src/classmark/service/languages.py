"""Which of some languages a text is in, by py3langid, which knows about a hundred."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from classmark.errors import InputError, needing
from classmark.wording import listed

ISO_CODES = {
    "dutch": "nl",
    "english": "en",
    "french": "fr",
    "german": "de",
    "italian": "it",
    "portuguese": "pt",
    "spanish": "es",
}
"""How the languages that texts are read in are written in two letters."""
UNKNOWN = "und"
"""What stands for no language in particular."""


@dataclass(frozen=True, kw_only=True)
class LanguageChance:
    """How probable it is that a text is in a language."""

    language: str | None
    """The language, by its code; None for any other."""
    score: float
    """The probability."""


def iso_code(language: str) -> str:
    """Give the code of a language of the analyser's; `und` where it is none.

    >>> iso_code("german"), iso_code("any")
    ('de', 'und')
    """
    return ISO_CODES.get(language, UNKNOWN)


def detect_among(text: str, languages: Sequence[str]) -> list[LanguageChance]:
    """Say how probable each of some languages is, the most probable first, and how probable any other."""
    chances = _chances(text)
    if unknown := [name for name in languages if name not in _known()]:
        raise InputError(f"unsupported candidate languages: {listed(unknown)}; give codes such as en, fi or sv")
    there = {name: chances.get(name, 0.0) for name in languages}
    found = [LanguageChance(language=name, score=there[name]) for name in sorted(there, key=lambda one: -there[one])]
    return [*found, LanguageChance(language=None, score=max(0.0, 1.0 - sum(there.values())))]


def _chances(text: str) -> dict[str, float]:
    with needing("detecting languages needs py3langid", "serve"):
        from py3langid import rank
    names, scores = zip(*rank(text), strict=True)
    odds = np.exp(np.asarray(scores, dtype=np.float64) - max(scores))
    return dict(zip(names, (odds / odds.sum()).tolist(), strict=True))


@cache
def _known() -> frozenset[str]:
    return frozenset(_chances("a"))
