"""What some documents and their labels are: what a search begins from, and tells."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import msgspec
import numpy as np
from scipy.sparse import csr_array

from classmark.data.stored import FeatureRows
from classmark.hierarchy import Hierarchy
from classmark.text import TextSettings
from classmark.text.mail import subject_and_body

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
