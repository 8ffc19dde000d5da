"""What categories and models are called in a report."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from classmark.hierarchy import Name
from classmark.service.naming import name_of
from classmark.wording import visible

LONGEST = 60
"""So many characters of a name stand in a sentence."""


class Names:
    """What the nodes of a hierarchy are called in sentences: by their titles, where they have some.

    >>> Names(["owl", "c1"], {"c1": "gull"}).listed([1, 0])
    '“gull” and “owl”'
    """

    def __init__(self, names: Sequence[Name], titles: Mapping[Name, str] | None = None) -> None:
        self.names = [name_of(name) for name in names]
        self.titles = [(titles or {}).get(name) for name in names]

    def __getitem__(self, node: int) -> str:
        shown = visible(" ".join((self.titles[node] or self.names[node]).split()))
        return f"“{shown if len(shown) <= LONGEST else '…' + shown[1 - LONGEST :]}”"

    def listed(self, nodes: Iterable[int]) -> str:
        """List some in words."""
        return in_words([self[node] for node in nodes])


def in_words(words: Sequence[str]) -> str:
    """Put words into a row, an `and` before the last one.

    >>> in_words(["one", "two", "three"])
    'one, two and three'
    """
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def counted(count: int, what: str, many: str | None = None) -> str:
    """Give a number of things in words.

    >>> counted(1, "document"), counted(1200, "category", "categories")
    ('1 document', '1,200 categories')
    """
    return f"{count:,} {what if count == 1 else many or what + 's'}"


def percent(share: float) -> str:
    """Give a share in hundredths, never rounded to all or nothing.

    >>> percent(0.5), percent(0.999), percent(0.001), percent(1.0)
    ('50 %', 'over 99 %', 'under 1 %', '100 %')
    """
    whole = round(100 * share)
    if whole == 100 and share < 1:
        return "over 99 %"
    return "under 1 %" if whole == 0 and share > 0 else f"{whole} %"


def model_names(first: str, second: str) -> tuple[str, str]:
    """Give two models short names that differ: those of their files, or all of their paths.

    >>> model_names("runs/1/model.classmark", "runs/nb.classmark"), model_names("a/m.classmark", "b/m.classmark")
    (('model', 'nb'), ('a/m.classmark', 'b/m.classmark'))
    """
    short = Path(first).stem, Path(second).stem
    return short if short[0] != short[1] else (first, second) if first != second else ("A", "B")
