"""Findings of a check of a corpus: the table of their kinds, their places, and the lines that readers reject."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from classmark.data.assembly import where_of_label
from classmark.data.formats.records import Outline
from classmark.errors import InputError

LEVELS = ("error", "warning", "note")
REFUSED = "reading refuses the corpus"
UNTRAINABLE = frozenset(["no-labels", "no-train"])
"""What can be read, and predicted, but not trained on."""
KEPT = "they are learned from as they are"
NEVER = "no method can learn them, and most never answer with them"


class Kind(NamedTuple):
    """A kind of finding."""

    level: str
    what: str
    then: str
    remedy: str


KINDS: dict[str, Kind] = {
    "stopped": Kind(
        "error",
        "reading ended before the end",
        f"{REFUSED}, and what comes after is not checked",
        "mend it, and check again",
    ),
    "line": Kind("error", "lines that cannot be read", REFUSED, "mend the lines"),
    "hierarchy-line": Kind("error", "faults in what tells the categories", REFUSED, "mend the file"),
    "cycle": Kind("error", "cycles in the hierarchy", REFUSED, "take one edge of each out"),
    "unknown-label": Kind(
        "error",
        "labels that the hierarchy does not have",
        REFUSED,
        "add them there, mend them, or drop them (--unknown-labels drop)",
    ),
    "path-gap": Kind("error", "label paths that cannot be read", REFUSED, "write every part, and call none ROOT"),
    "no-documents": Kind("error", "no document could be read", REFUSED, "give at least one"),
    "id-twice": Kind("error", "ids that stand before already", REFUSED, "give each document its own id"),
    "no-labels": Kind(
        "warning",
        "no document has a label",
        "train refuses it, but for --weak",
        "label some, or name the column that has the labels (--label-column)",
    ),
    "no-train": Kind(
        "warning",
        "splits, but none called train",
        "train refuses it",
        "name the split (--split), or divide anew (convert --resplit)",
    ),
    "leak": Kind(
        "warning",
        "near duplicates across splits",
        "figures on the test split come out too good",
        "keep them together (convert --by-group near-duplicates), or take one out",
    ),
    "other-labels": Kind(
        "warning", "near duplicates with different labels", KEPT, "decide which labels are right, or give all of them"
    ),
    "same-text": Kind(
        "warning", "texts that stand before already in the same split", KEPT, "take the copies out, unless meant"
    ),
    "no-split": Kind(
        "warning", "documents without a split beside those that have one", "no command uses them", "give them one"
    ),
    "empty": Kind("warning", "empty texts", KEPT, "take them out, or find the column of the text (--text-column)"),
    "encoding": Kind(
        "warning",
        "texts with broken characters, such as Ã© for é",
        KEPT,
        "read the original again in its own encoding, and save it as UTF-8",
    ),
    "control": Kind("warning", "texts with control characters", KEPT, "take them out of the texts"),
    "joined-labels": Kind("warning", "labels that may be several in one", "each is one name", "say so"),
    "path-labels": Kind("warning", "labels that look like paths", "each is one name, and there is no tree", "say so"),
    "edge-twice": Kind("warning", "edges of the hierarchy that stand twice", "one is kept", "take the others out"),
    "test-only": Kind(
        "warning", "categories in other splits and never in train", NEVER, "divide anew (convert --resplit stratified)"
    ),
    "never": Kind("warning", "categories without any document", NEVER, "add documents, or take the categories out"),
    "single": Kind(
        "warning", "categories with a single training document", "they are hardly learned", "add documents, or merge"
    ),
    "siblings": Kind(
        "warning", "siblings with nearly the same words", "they are confused easily", "merge them, or tell them apart"
    ),
    "split-language": Kind(
        "warning",
        "splits in another main language than train",
        "what was learned fits them badly",
        "divide anew (convert --resplit random)",
    ),
    "few": Kind("note", "categories with 2 to 4 training documents", "they are learned badly", "add documents"),
    "near": Kind("note", "near duplicates in the same split", KEPT, "fine, if meant so"),
    "one-word": Kind("note", "texts of one word", KEPT, "fine, if meant so"),
    "long": Kind("note", "texts far longer than the others", KEPT, "see whether several documents stand in one"),
    "markup": Kind("note", "texts with remains of HTML", "tags count as words", "take the tags out"),
    "other-language": Kind("note", "documents in another language than most", KEPT, "fine, if meant so"),
    "odd-split": Kind("note", "splits of an unusual name", "used where --split names them", "fine, if meant so"),
    "label-twice": Kind("note", "documents with a label twice", "it counts once", "fine, if meant so"),
    "inner-label": Kind(
        "note", "documents with a label that has categories below it", "they end there", "fine, if meant so"
    ),
    "one-child": Kind("note", "categories with a single child", "nothing can be told apart there", "merge the two"),
    "not-a-child": Kind(
        "note",
        "parents that are no child, in a file that names top categories",
        "they are top categories too",
        "mend their names, or write them below ROOT",
    ),
}
"""By name; where the words depend on what is found, they are the usual ones."""


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


class FindingLog:
    """Counts of findings by kind and remedy, with the first places of each.

    Parameters
    ----------
    limit : int
        Number of places that are kept of each finding.

    Examples
    --------
    >>> log = FindingLog(limit=1)
    >>> log.add("one-word", "birds.jsonl:3", "'owl'")
    >>> log.add("one-word", "birds.jsonl:8", "'gull'")
    >>> found, = log.findings()
    >>> found.count, found.examples
    (2, (Example(where='birds.jsonl:3', what="'owl'"),))
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._counts = Counter[tuple[str, str]]()
        self._examples: dict[tuple[str, str], list[Example]] = {}
        self._words: dict[tuple[str, str], dict[str, str]] = {}

    def has_room(self, kind: str) -> bool:
        """Return whether a further example of a kind would be kept."""
        return self._counts[kind, ""] < self.limit

    def add(self, kind: str, where: str, what: str, *, key: str = "", words: Mapping[str, str] | None = None) -> None:
        """Count something; `words` replace those of the kind, and each `key` is a finding of its own."""
        self._counts[kind, key] += 1
        self._words.setdefault((kind, key), dict(words or {}))
        examples = self._examples.setdefault((kind, key), [])
        if len(examples) < self.limit:
            examples.append(Example(where=where, what=what))

    def collector(self, kind: str) -> Callable[[InputError], None]:
        """Return a function that adds errors of readers, one finding for each remedy.

        >>> log = FindingLog(limit=5)
        >>> take = log.collector("line")
        >>> take(InputError("birds.jsonl:3: the id is a list; write a string or an integer"))
        >>> take(InputError("birds.jsonl:7: the id is null; write a string or an integer"))
        >>> found, = log.findings()
        >>> found.count, found.remedy, found.examples[0].where
        (2, 'write a string or an integer', 'birds.jsonl:3')
        """

        def take(error: InputError) -> None:
            where, what, remedy = taken_apart(str(error))
            words = {"remedy": remedy} if remedy else None
            self.add(kind, where, what, key=VARYING.sub("", remedy), words=words)

        return take

    def findings(self) -> list[Finding]:
        """Return all findings, errors first, then warnings, then notes, each in the order of the table."""
        order = list(KINDS)
        found = [
            Finding(
                kind=kind,
                count=count,
                examples=tuple(self._examples[kind, key]),
                **(KINDS[kind]._asdict() | self._words[kind, key]),
            )
            for (kind, key), count in self._counts.items()
        ]
        return sorted(found, key=lambda one: (LEVELS.index(one.level), order.index(one.kind)))


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


PLACE = re.compile(r"(?P<where>.+?(?::\d+)?): (?P<what>.*)", re.DOTALL)
VARYING = re.compile(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\d+")
"""What differs between messages that say to do the same."""


def taken_apart(message: str) -> tuple[str, str, str]:
    """Take a message apart: where, what, and what to do.

    >>> taken_apart("birds.csv:3: a label is empty; give it a name or take it out")
    ('birds.csv:3', 'a label is empty', 'give it a name or take it out')
    """
    found = PLACE.fullmatch(message)
    where, rest = found.group("where", "what") if found else ("", message)
    what, _, remedy = rest.rpartition("; ")
    return (where, what, remedy) if what else (where, remedy, "")
