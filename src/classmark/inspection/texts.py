"""Checks of single texts, with their words as numbers and their languages.

Words, runs of three words, and whole texts are numbers that are always the same.
"""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from classmark.arrays import finalised
from classmark.data.corpus import Document
from classmark.data.formats.records import Outline
from classmark.inspection.findings import FindingLog, Places
from classmark.text.language import language_of

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


ENOUGH = 500
"""How many words of a document are looked at."""


class Languages:
    """Tells the languages of texts one at a time."""

    def __init__(self) -> None:
        self._found: list[str | None] = []

    def look(self, content: Content) -> None:
        """Look at a document; features are in no language."""
        self._found.append(language_of(Counter(content.words[:ENOUGH])) if content.is_text else None)

    def counts(self) -> dict[str, int]:
        """Give how many documents are in each language, the most frequent first."""
        return dict(Counter(filter(None, self._found)).most_common())

    def check(self, outline: Outline, places: Places, log: FindingLog) -> None:
        """Add the documents in another language than most, and the splits."""
        counts = self.counts()
        if not counts:
            return
        main = next(iter(counts))
        for row, language in enumerate(self._found):
            if language not in (main, None):
                log.add("other-language", places[row], f"{language}, not {main}")
        by_split: dict[str | None, Counter[str]] = {}
        for split, language in zip(outline.splits, self._found, strict=True):
            if language is not None:
                by_split.setdefault(split, Counter())[language] += 1
        mains = {split: counts.most_common(1)[0][0] for split, counts in by_split.items()}
        for split, language in mains.items():
            if language != mains.get("train", language):
                log.add(
                    "split-language",
                    f"split {split or 'none'}",
                    f"mostly {language}, and train is mostly {mains['train']}",
                )


BROKEN = re.compile("[ÃÂ][\x80-\xbf]|â€|\ufffd")
"""What UTF-8 looks like when it was read as Latin-1, and what stands where a character was lost."""
CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
"""What neither shows nor breaks a line or a page."""
MARKUP = re.compile(r"</[a-zA-Z][a-zA-Z0-9]*>|<(?:br|p|div)\b[^<>]*>|&(?:amp|lt|gt|nbsp|quot|#\d{2,5});")
AROUND = 20
"""So many characters on both sides of what is found are shown."""
LONG, TIMES = 2000, 20
"""A text is far longer than the others with more words than this, and so many times as many as the median."""


def _found(pattern: re.Pattern[str], begins: str = "") -> Callable[[str, Content], str | None]:
    """Give a function that shows where a pattern is found in a text first; `begins` are its first characters."""

    def find(text: str, content: Content) -> str | None:
        # Looking for single characters is far quicker, and most texts have none of them.
        if begins and not any(character in text for character in begins):
            return None
        found = pattern.search(text)
        return found and _shown(text, max(0, found.start() - AROUND), found.end() + AROUND)

    return find


def _shown(text: str, start: int, end: int) -> str:
    before, after = "…" if start else "", "…" if end < len(text) else ""
    return f"{before}{text[start:end]!r}{after}"


FAULTS: dict[str, Callable[[str, Content], str | None]] = {
    "empty": lambda text, content: None if text.strip() else "no text",
    "one-word": lambda text, content: _shown(text.strip(), 0, 2 * AROUND) if len(content.words) == 1 else None,
    "encoding": _found(BROKEN, "ÃÂâ\ufffd"),
    "control": _found(CONTROL),
    "markup": _found(MARKUP, "<&"),
}
"""What to look for in a text; each shows what is there, or nothing."""


class TextFaults:
    """Looks at texts one at a time, and keeps their lengths."""

    def __init__(self, log: FindingLog) -> None:
        self.lengths = array("q")
        self._log = log

    def look(self, document: Document, content: Content, where: Callable[[], str]) -> None:
        """Look at a document; where it stands is asked only if something is found."""
        self.lengths.append(len(content.words))
        if not isinstance(document, str):
            if not content.words:
                self._log.add("empty", where(), "no features")
            return
        for kind, find in FAULTS.items():
            shown = find(document, content)
            if shown is not None:
                self._log.add(kind, where(), shown)

    def check_lengths(self, places: Places) -> None:
        """Add the texts that are far longer than the others."""
        lengths = np.asarray(self.lengths)
        if not lengths.size:
            return
        median = int(np.median(lengths))
        for row in np.flatnonzero(lengths > max(LONG, TIMES * median)).tolist():
            self._log.add(
                "long", places[row], f"{lengths[row]:,} words; half of the documents have {median:,} or fewer"
            )
