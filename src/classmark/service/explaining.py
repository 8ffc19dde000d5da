"""Why a text got its categories."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from classmark.decision import format_decision
from classmark.explain import Explanation, to_json
from classmark.explain import explain as explain_document
from classmark.pipeline import TextClassifier
from classmark.service.answering import read_text
from classmark.service.results import plain


@dataclass(frozen=True, kw_only=True)
class Explained:
    """A text, explained."""

    explanations: Sequence[Explanation]
    """The score of each category, and where it comes from."""
    decision: str
    """How scores became label sets."""


@plain.register
def _(value: Explanation) -> Any:
    return to_json([value])[0]


def explain(model: str, text: str, categories: Sequence[str] | None = None, top: int = 10) -> Explained:
    """Explain by a model file the categories of a text, or others; `-` reads the text from standard input."""
    given = read_text() if text == "-" else text
    return explain_text(TextClassifier.load(model), given, categories, top)


def explain_text(model: TextClassifier, text: str, categories: Sequence[str] | None = None, top: int = 10) -> Explained:
    """Explain by a fitted model the categories of a text, or others."""
    found = explain_document(model, text, None if categories is None else list(categories), top)
    return Explained(explanations=found, decision=format_decision(model.classifier_.decision_))
