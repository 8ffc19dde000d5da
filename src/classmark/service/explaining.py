"""Why a text got its categories, and what a model knows of a category."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from classmark.data import CorpusOptions
from classmark.data.formats.output import writing
from classmark.decision import format_decision
from classmark.errors import InputError
from classmark.explain import Explanation, NodeExplanation, Words, to_json
from classmark.explain import explain as explain_document
from classmark.explain import explain_node as explain_category
from classmark.explain.nodes import beginning
from classmark.pipeline import TextClassifier
from classmark.service.answering import read_text
from classmark.service.corpora import check_output, read_for, read_with
from classmark.service.results import plain


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked about a text beside its categories."""

    why_not: str | bool = False
    """Whether to set each category against the best that is not in the answer, or the category to set it against."""
    along: bool = False
    """Whether to give the scores along the path."""
    marked: bool = False
    """Whether to give the text in pieces, with what each adds to the score."""
    documents: str | None = None
    """Where to look up the texts of neighbours, which models do not keep."""


@dataclass(frozen=True, kw_only=True)
class Explained:
    """A text, explained."""

    explanations: Sequence[Explanation]
    """The score of each category, and where it comes from."""
    decision: str
    """How scores became label sets."""


@dataclass(frozen=True, kw_only=True)
class SavedPage:
    """A page that was written."""

    page: str
    """The file."""
    bytes: int
    """Its size."""


@plain.register
def _(value: Explanation) -> Any:
    return to_json([value])[0]


@plain.register
def _(value: Words) -> Any:
    both = {"for": value.speaking_for, "against": value.against}
    return {name: [{"word": word, "weight": weight} for word, weight in words] for name, words in both.items()}


def explain(
    model: str,
    text: str,
    categories: Sequence[str] | None = None,
    top: int = 10,
    asked: Asked | None = None,
    *,
    options: CorpusOptions | None = None,
) -> Explained:
    """Explain by a model file the categories of a text, or others; `-` reads the text from standard input."""
    given = read_text() if text == "-" else text
    return explain_text(TextClassifier.load(model), given, categories, top, asked, options)


def explain_text(
    model: TextClassifier,
    text: str,
    categories: Sequence[str] | None = None,
    top: int = 10,
    asked: Asked | None = None,
    options: CorpusOptions | None = None,
) -> Explained:
    """Explain the categories of a text, or others, by a fitted model; a text without known terms has none."""
    asked = asked or Asked()
    found = explain_document(
        model,
        text,
        None if categories is None else list(categories),
        top,
        why_not=asked.why_not,
        along=asked.along,
        marked=asked.marked,
    )
    if model.lacks_known_terms(model.transform([text]))[0]:
        found = [replace(one, accepted=False) for one in found]
    if asked.documents is not None:
        found = _looked_up(model, found, asked.documents, options or CorpusOptions())
    return Explained(explanations=found, decision=format_decision(model.classifier_.decision_))


def _looked_up(
    model: TextClassifier, found: Sequence[Explanation], data: str, options: CorpusOptions
) -> list[Explanation]:
    """Give neighbours the beginnings of their texts, found by their ids."""
    if not hasattr(model.classifier_, "ids_"):
        raise InputError(f"{data}: the model has no neighbours to look up there; leave --documents out")
    wanted = {near.id for one in found for near in one.neighbours}
    corpus = read_with(model, data, options, stored=True)
    rows = [row for row, name in enumerate(corpus.ids) if name in wanted]
    chosen = corpus.take(rows)
    texts = {name: beginning(document) for name, document in zip(chosen.ids, chosen.documents, strict=True)}
    return [
        replace(one, neighbours=tuple(replace(near, text=texts.get(near.id or "")) for near in one.neighbours))
        for one in found
    ]


def explain_node(
    model: str,
    node: str,
    data: str | None = None,
    top: int = 10,
    *,
    splits: Sequence[str] | None = None,
    options: CorpusOptions | None = None,
) -> NodeExplanation:
    """Say what a model file knows of a category, and, where documents are given, what it makes of those there."""
    loaded = TextClassifier.load(model)
    loaded.hierarchy_.position(node)
    documents = None if data is None else read_for(loaded, data, options or CorpusOptions(), splits, stored=True)
    return explain_category(loaded, node, top, documents=documents)


def write_page(path: str, page: str, *inputs: str | None) -> SavedPage:
    """Write a page, whole or not at all, and never over what was read."""
    check_output(path, *inputs)
    content = page.encode("utf-8", "replace")
    with writing(Path(path)) as file:
        file.write(content)
    return SavedPage(page=path, bytes=len(content))
