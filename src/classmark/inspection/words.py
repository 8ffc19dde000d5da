"""Texts as numbers: words, runs of three words, and whole texts, each a number that is always the same."""

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from classmark.arrays import finalised
from classmark.data.corpus import Document

Numbers: TypeAlias = npt.NDArray[np.uint64]

WORD = re.compile(r"\w+")
RUN = 3
"""How many words make a shingle."""
REMEMBERED = 500_000
"""So many words are remembered with their numbers; then memory is given back."""
FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)


def words_of(text: str) -> list[str]:
    """Give the words of a text, in small letters.

    >>> words_of("The owl hoots -- at night.")
    ['the', 'owl', 'hoots', 'at', 'night']
    """
    return WORD.findall(text.casefold())


class WordNumbers(dict[str, int]):
    """Gives each word a number of 64 bits, the same in any order of words."""

    def __missing__(self, word: str) -> int:
        if len(self) >= REMEMBERED:
            self.clear()
        number = int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
        self[word] = number
        return number

    def of(self, words: Sequence[str]) -> Numbers:
        """Give the numbers of words."""
        return np.fromiter(map(self.__getitem__, words), np.uint64, len(words))


class Content(NamedTuple):
    """A document: its words, or the features it has, and their numbers; features have no order, and are sorted."""

    words: list[str]
    numbers: Numbers
    is_text: bool

    @property
    def shingles(self) -> Numbers:
        """What of it is compared with other documents: runs of words, or features."""
        return shingles(self.numbers) if self.is_text else self.numbers


class Contents:
    """Makes words and numbers of documents."""

    def __init__(self) -> None:
        self._numbers = WordNumbers()

    def of(self, document: Document) -> Content:
        """Take a document apart."""
        if isinstance(document, str):
            words = words_of(document)
            return Content(words, self._numbers.of(words), is_text=True)
        words = [term for term, weight in document.items() if weight]
        return Content(words, np.sort(self._numbers.of(words)), is_text=False)


def shingles(numbers: Numbers) -> Numbers:
    """Give a number for each run of three words; a text of fewer words is one run.

    >>> owl, hoots, at, night = WordNumbers().of(["owl", "hoots", "at", "night"])
    >>> shingles(np.array([owl, hoots, at, night])).size, shingles(np.array([owl, hoots])).size
    (2, 1)
    """
    if not numbers.size:
        return numbers
    run = min(RUN, numbers.size)
    sums = np.zeros(numbers.size - run + 1, dtype=np.uint64)
    for place in range(run):
        sums += numbers[place : place + sums.size] * FACTORS[place]
    return finalised(sums)


def whole(numbers: Numbers) -> int:
    """Give a number for a whole text: its words in their order."""
    return int.from_bytes(blake2b(numbers.tobytes(), digest_size=8).digest(), "little")
