"""What a check finds: findings, each with its level, how often, the first places, and what to do."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from classmark.data.assembly import where_of_label
from classmark.data.outline import Outline
from classmark.inspection.kinds import KINDS, LEVELS


@dataclass(frozen=True, kw_only=True)
class Example:
    """A place where something is found."""

    where: str
    """The file and the line, or the category."""
    what: str
    """What is there."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something about a corpus that somebody should know."""

    kind: str
    """Its name."""
    level: str
    """`error` where reading refuses the corpus as it is, `warning` where training or answers may suffer, or `note`."""
    count: int
    """How often it is found."""
    what: str
    """What is found, in words."""
    then: str
    """What reading and training do about it."""
    remedy: str
    """What to do."""
    examples: Sequence[Example] = ()
    """The first of them, with their places."""


@dataclass(frozen=True, kw_only=True)
class CorpusCheck:
    """What is wrong with a corpus, and what it is like."""

    corpus: str
    """Where it is."""
    format: str
    """The name of its format."""
    documents: int
    """How many documents could be read."""
    unlabelled: int
    """How many of them nobody has labelled."""
    belonging_nowhere: int
    """How many of them belong to no category."""
    splits: Mapping[str, int]
    """How many documents each split has."""
    categories: int | None
    """How many categories the hierarchy has; none without one."""
    depth: int | None
    """How many levels they have."""
    labels: Mapping[str, float]
    """How many labels a labelled document has: mean and most."""
    words: Mapping[str, int]
    """How many words, or features, a document has: least, median and most."""
    documents_a_category: Mapping[str, int]
    """How many documents have a category, of those that some document has: least, median and most."""
    languages: Mapping[str, int]
    """How many documents are told to be in each language."""
    findings: Sequence[Finding]
    """What was found, errors first."""
    verdict: str
    """What `train` would do with the corpus as it is."""

    @property
    def errors(self) -> list[Finding]:
        """The findings for which reading refuses the corpus."""
        return [one for one in self.findings if one.level == "error"]


class Tally:
    """Counts what is found of one kind, and keeps the first places.

    Examples
    --------
    >>> tally = Tally("one-word", limit=1)
    >>> tally.add("birds.jsonl:3", "'owl'")
    >>> tally.add("birds.jsonl:8", "'gull'")
    >>> found, = tally.findings()
    >>> found.count, found.examples
    (2, (Example(where='birds.jsonl:3', what="'owl'"),))
    """

    def __init__(self, kind: str, limit: int) -> None:
        self.kind = kind
        self.count = 0
        self.limit = limit
        self.examples: list[Example] = []

    @property
    def has_room(self) -> bool:
        """Whether a further example would be kept."""
        return len(self.examples) < self.limit

    def add(self, where: str, what: str, times: int = 1) -> None:
        """Count something, and keep its place if there is room."""
        self.count += times
        if self.has_room:
            self.examples.append(Example(where=where, what=what))

    def findings(self, **other: str) -> Iterator[Finding]:
        """Give what was found, if anything; words that are named stand in place of those of the kind."""
        if self.count:
            words = KINDS[self.kind]._asdict() | other
            yield Finding(kind=self.kind, count=self.count, examples=tuple(self.examples), **words)


def in_order(findings: Sequence[Finding]) -> list[Finding]:
    """Give errors first, then warnings, then notes, each as they come."""
    return sorted(findings, key=lambda finding: LEVELS.index(finding.level))


class Places:
    """Says where documents stand: the file and the line."""

    def __init__(self, outline: Outline, file: Path) -> None:
        self._outline = outline
        self._file = file

    def __getitem__(self, row: int) -> str:
        return self._outline.where(row, self._file)

    def of_label(self, row: int, label: str) -> str:
        """Say where a label of a document stands, which may be in a file of subjects."""
        return where_of_label(self._outline[row], label, self._file)

    def beside(self, row: int, other: int) -> str:
        """Say where a document stands to somebody who knows where another does: in the same file, the line alone."""
        (file, _, line), (before, _, _) = (self[one].rpartition(":") for one in (row, other))
        return f"line {line}" if file == before else self[row]
