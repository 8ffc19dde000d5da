"""What a search tries: methods that suit the documents, and changes to how they read and learn.

`look_at` profiles the documents and their labels.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice
from typing import Any, NamedTuple

import msgspec
import numpy as np
from scipy.sparse import csr_array

from classmark.data.stored import FeatureRows
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.registry import OverMethods, Searching, find_method
from classmark.text import TextSettings
from classmark.text.encoders.kinds import find_folder
from classmark.text.settings import subject_and_body

SAMPLE = 1000
"""So many texts are looked at."""
SHORT = 30
"""Texts of fewer words are short: an encoder reads hundreds of them a second without a GPU."""


class Look(msgspec.Struct, frozen=True):
    """What documents and labels are."""

    documents: int
    labelled: int
    labels: float
    """How many own labels a labelled document has, in the mean."""
    one_label: bool
    """Whether every labelled document has exactly one."""
    categories: int
    depth: int
    words: float | None
    """How many words a text has, the median; None for features."""
    language: str | None
    """The language, where it is known."""
    nowhere: int = 0
    """How many documents are labelled as belonging nowhere."""
    mails: bool = False
    """Whether most texts are mails or messages, with headers."""

    @property
    def unlabelled(self) -> int:
        """How many documents have no label to learn from."""
        return self.documents - self.labelled

    def in_words(self) -> str:
        """Say it in a line.

        >>> Look(100, 10, 1.0, True, 4, 2, 7.0, "english").in_words()
        '100 documents, 10 of them labelled, 1.0 labels each, 4 categories in 2 levels, 7 words a text, english'
        """
        labelled = f", {self.labelled:,} of them labelled" if self.unlabelled else ""
        text = "features in place of text" if self.words is None else f"{self.words:.0f} words a text"
        known = f", {self.language}" if self.language else ""
        known += ", mails" if self.mails else ""
        return (
            f"{self.documents:,} documents{labelled}, {self.labels:.1f} labels each, "
            f"{self.categories:,} categories in {self.depth} levels, {text}{known}"
        )


def look_at(documents: Sequence[Any] | FeatureRows, own: csr_array, labelled: Any, hierarchy: Hierarchy) -> Look:
    """Look at documents, the own labels of those that are labelled, and the categories."""
    texts = _some_texts(documents)
    counts = np.diff(own[np.flatnonzero(labelled)].indptr)
    language = TextSettings(language="auto").for_documents(texts).language if texts else None
    return Look(
        documents=len(labelled),
        labelled=int(labelled.sum()),
        labels=float(counts.mean()) if counts.size else 0.0,
        one_label=bool((counts == 1).all()),
        categories=len(hierarchy),
        depth=hierarchy.depth,
        words=median_words(documents),
        language=None if language in ("unknown", "any") else language,
        nowhere=int((counts == 0).sum()),
        mails=2 * sum(subject_and_body(text) != text for text in texts) > len(texts),
    )


def median_words(documents: Any) -> float | None:
    """Give how many words a text has, the median of some; None where documents are features.

    >>> median_words(["it hoots", "an owl hoots at night", "what"])
    2.0
    """
    texts = _some_texts(documents)
    return float(np.median([len(text.split()) for text in texts])) if texts else None


def _some_texts(documents: Any) -> list[str]:
    if isinstance(documents, FeatureRows):
        return []
    return [one for one in islice(documents, SAMPLE) if isinstance(one, str)]


LINEAR = ("linear-svm", "topdown-svm")
"""The methods whose reading and settings are worth changing: what is best for one is for the other, mostly."""
FEW_A_CATEGORY = 30
"""With fewer labelled documents a category, what learns from unlabelled ones may win."""


class Candidate(msgspec.Struct, frozen=True):
    """A method and the settings that differ from its defaults."""

    method: str
    settings: dict[str, Any] = {}

    def changed(self, changes: Mapping[str, Any]) -> "Candidate":
        """Give a candidate with other settings too."""
        return Candidate(self.method, self.settings | dict(changes))

    def differing(self, other: "Candidate") -> dict[str, Any]:
        """Give the settings that another candidate does not have, or has otherwise."""
        return {name: value for name, value in self.settings.items() if other.settings.get(name, ...) != value}

    def in_words(self) -> str:
        """Write it as the command line takes it.

        >>> Candidate("linear-svm", {"C": 10.0, "stemmer": None}).in_words()
        'linear-svm C=10.0 stemmer=none'
        """
        values = (f"{name}={'none' if value is None else value}" for name, value in self.settings.items())
        return " ".join([self.method, *values])


def _learns_from_the_rest(look: Look) -> bool:
    """Say whether there are unlabelled documents, and few labelled ones."""
    return look.unlabelled > 0 and look.labelled < FEW_A_CATEGORY * look.categories


def has_encoder() -> bool:
    """Say whether an encoder of texts is installed."""
    try:
        return find_folder("sentence").is_dir()
    except (ImportError, InputError, OSError):
        return False


def has_gpu() -> bool:
    """Say whether torch sees a graphics processor."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        return False
    import torch

    return bool(torch.cuda.is_available())


SUITABLE: dict[str, Callable[[Look], bool]] = {
    "knn-bm25-hier": lambda look: True,
    "topdown-svm": lambda look: True,
    "nb-plus": lambda look: True,
    "linear-svm": lambda look: True,
    "mp-boost": lambda look: True,
    "pcem-plus": _learns_from_the_rest,
    "em-plus": _learns_from_the_rest,
    "self-training": _learns_from_the_rest,
    "frozen-encoder": lambda look: look.words is not None and look.words < SHORT and has_encoder(),
    "fine-tuned": lambda look: look.words is not None and has_encoder() and has_gpu(),
}
"""The methods that are tried by themselves, the cheap ones first, and when."""
SETTINGS: dict[str, dict[str, Any]] = {"self-training": {"teacher": "pcem-plus", "student": "linear-svm"}}
"""What differs from their defaults here."""


class Change(NamedTuple):
    """A change worth trying, where the text is text."""

    settings: Mapping[str, Any]
    of_text: bool = True


CHANGES = (
    Change({"headers": "subject"}),
    Change({"stop_words": "language"}),
    Change({"stemmer": None}),
    Change({"ngrams": 1}),
    Change({"ngram_weight": 1.0}),
    Change({"token_pattern": "words"}),
    Change({"sublinear": False}),
    Change({"token_pattern": r"(?=(\w{4}))", "stemmer": None, "ngrams": 1, "min_length": 1}),
    Change({"C": 0.3}, of_text=False),
    Change({"C": 3.0}, of_text=False),
    Change({"C": 10.0}, of_text=False),
    Change({"inner": "closed"}, of_text=False),
    Change({"inner": "reach"}, of_text=False),
)
"""What is tried of a linear method, one at a time."""


def methods_for(look: Look, wanted: Sequence[str] | None, without: Sequence[str]) -> list[str]:
    """Give the methods to try: those that are wanted, or else those that suit, but for those to leave out."""
    for name in (*(wanted or ()), *without):
        find_method(name)
    for name in wanted or ():
        if isinstance(find_method(name), OverMethods | Searching):
            raise InputError(f"{name} is made of other methods, which a search does by itself; name these")
    suitable = [name for name, suits in SUITABLE.items() if suits(look)] if wanted is None else list(wanted)
    return [name for name in suitable if name not in without]


def defaults_of(method: str, fixed: Mapping[str, Any]) -> Candidate:
    """Give a method as a search begins with it: in the language of the documents, and with the settings that are fixed.

    >>> defaults_of("nb-plus", {"headers": "subject", "C": 3}).settings
    {'language': 'auto', 'headers': 'subject'}
    """
    known = find_method(method)
    declared = {**known.declared(), **known.declared_of_text()}
    given = SETTINGS.get(method, {}) | {name: value for name, value in fixed.items() if name in declared}
    language = {"language": "auto"} if "language" in declared else {}
    return Candidate(method, language | given)


def variants_of(method: str, fixed: Mapping[str, Any], look: Look) -> list[Candidate]:
    """Give what is tried of a method in the first place: as it is and, of mails, without most of their headers.

    What few labels teach is soon drowned in the headers of unlabelled mails, so that those methods are tried without.
    """
    start = defaults_of(method, fixed)
    if not look.mails or "headers" in fixed or "headers" not in find_method(method).declared_of_text():
        return [start]
    without = start.changed({"headers": "subject"})
    return [without] if method in SETTINGS else [start] if method in LINEAR else [start, without]


def changes_of(candidate: Candidate, look: Look, fixed: Iterable[str]) -> list[Candidate]:
    """Give the candidate with each change that it can have and that is not fixed."""
    known = find_method(candidate.method)
    declared = {**known.declared(), **known.declared_of_text()}
    taken = set(fixed)
    return [
        candidate.changed(change.settings)
        for change in CHANGES
        if all(name in declared and name not in taken for name in change.settings)
        and all(_may_be(declared[name], value) for name, value in change.settings.items())
        and (look.words is not None or not change.of_text)
        and (look.mails or "headers" not in change.settings)
        and any(declared[name].default != value for name, value in change.settings.items())
    ]


def settings_of(candidate: Candidate, method: str, fixed: Mapping[str, Any]) -> Candidate:
    """Give a method with the settings of a candidate of another, as far as it has such."""
    known = find_method(method)
    declared = {**known.declared(), **known.declared_of_text()}
    shared = {
        name: value for name, value in candidate.settings.items() if name in declared and _may_be(declared[name], value)
    }
    return defaults_of(method, fixed).changed(shared)


def _may_be(declared: Any, value: Any) -> bool:
    return bool(declared.constraint.accepts(value))


def together(method: str, parts: Sequence[Candidate]) -> Candidate:
    """Give several candidates as the parts of one.

    >>> together("blend", [Candidate("nb"), Candidate("linear-svm", {"C": 3.0})]).settings
    {'parts': 'nb+linear-svm', 'linear-svm.C': 3.0}
    """
    settings: dict[str, Any] = {"parts": "+".join(part.method for part in parts)}
    for part in parts:
        settings |= {f"{part.method}.{name}": value for name, value in part.settings.items()}
    return Candidate(method, settings)
