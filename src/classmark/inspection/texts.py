"""What a single text shows: that it is empty, of one word, far too long, broken, or not only text."""

import re
from array import array
from collections.abc import Callable, Iterator

import numpy as np

from classmark.data.corpus import Document
from classmark.inspection.findings import Finding, Places, Tally
from classmark.inspection.words import Content

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

    def __init__(self, limit: int) -> None:
        self.lengths = array("q")
        self._limit = limit
        self._tallies = {kind: Tally(kind, limit) for kind in FAULTS}

    def look(self, document: Document, content: Content, where: Callable[[], str]) -> None:
        """Look at a document; where it stands is asked only if something is found."""
        self.lengths.append(len(content.words))
        if not isinstance(document, str):
            if not content.words:
                self._tallies["empty"].add(where(), "no features")
            return
        for kind, find in FAULTS.items():
            shown = find(document, content)
            if shown is not None:
                self._tallies[kind].add(where(), shown)

    def findings(self, places: Places) -> Iterator[Finding]:
        """Give what was found."""
        for tally in self._tallies.values():
            yield from tally.findings()
        yield from self._too_long(places)

    def _too_long(self, places: Places) -> Iterator[Finding]:
        lengths = np.asarray(self.lengths)
        if not lengths.size:
            return
        median, tally = int(np.median(lengths)), Tally("long", self._limit)
        for row in np.flatnonzero(lengths > max(LONG, TIMES * median)).tolist():
            tally.add(places[row], f"{lengths[row]:,} words; half of the documents have {median:,} or fewer")
        yield from tally.findings()
