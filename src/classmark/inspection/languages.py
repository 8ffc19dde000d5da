"""Which languages documents are in, and which of them are not like the others."""

from collections import Counter
from collections.abc import Iterator

from classmark.data.outline import Outline
from classmark.inspection.findings import Finding, Places, Tally
from classmark.inspection.words import Content
from classmark.text.language import language_of

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

    def findings(self, outline: Outline, places: Places, limit: int) -> Iterator[Finding]:
        """Give the documents in another language than most, and the splits."""
        counts = self.counts()
        if not counts:
            return
        main = next(iter(counts))
        tally = Tally("other-language", limit)
        for row, language in enumerate(self._found):
            if language not in (main, None):
                tally.add(places[row], f"{language}, not {main}")
        yield from tally.findings()
        yield from self._of_splits(outline, limit)

    def _of_splits(self, outline: Outline, limit: int) -> Iterator[Finding]:
        """Compare the main language of each split with that of the training documents."""
        by_split: dict[str | None, Counter[str]] = {}
        for split, language in zip(outline.splits, self._found, strict=True):
            if language is not None:
                by_split.setdefault(split, Counter())[language] += 1
        main = {split: counts.most_common(1)[0][0] for split, counts in by_split.items()}
        tally = Tally("split-language", limit)
        for split, language in main.items():
            if language != main.get("train", language):
                tally.add(f"split {split or 'none'}", f"mostly {language}, and train is mostly {main['train']}")
        yield from tally.findings()
