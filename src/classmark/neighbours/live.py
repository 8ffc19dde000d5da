"""A live index as a classifier: its documents vote, as they are now."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classmark.decision import Decision
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import Told, told
from classmark.index.categories import checked_decision
from classmark.index.live import LiveIndex
from classmark.index.manifest import Manifest

READING = (
    *("language", "stop_words", "stemmer", "lowercase"),
    *("token_pattern", "remove_numbers", "min_length", "ngrams"),
)
"""The text settings that say how words are read; the others say what is made of the counts."""


@dataclass(frozen=True)
class Live:
    """An index, the method that finds the documents that the index finds, with its settings, and the categories."""

    index: LiveIndex
    method: str
    settings: dict[str, Any]
    hierarchy: Hierarchy | None
    told: Told
    decision: Decision | None

    @classmethod
    def open(cls, path: str | Path) -> "Live":
        """Open an index as it is now."""
        index = LiveIndex.open(path)
        known = index.categories
        hierarchy, texts = (None, told({})) if known is None else (known.hierarchy, known.told())
        decision = checked_decision(index.manifest.decision, hierarchy)
        return cls(index, *method_of(index.manifest), hierarchy, texts, decision)


def method_of(manifest: Manifest) -> tuple[str, dict[str, Any]]:
    """Give the method that finds the documents that an index finds, and its settings."""
    settings: dict[str, Any] = {name: getattr(manifest.text, name) for name in READING}
    if manifest.scoring == "overlap":
        return "knn-overlap", settings
    weights = {"scoring": manifest.scoring, "bm25_k1": manifest.k1, "bm25_b": manifest.b, "idf": manifest.idf}
    return "knn-bm25", settings | weights
