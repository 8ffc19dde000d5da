"""What there is: models and corpora."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from classmark.auto.expecting import expected_in_words
from classmark.data import CorpusOptions
from classmark.decision import format_decision
from classmark.hierarchy import Hierarchy, Name
from classmark.neighbours import LiveIndex
from classmark.persistence import is_index, read_header
from classmark.pipeline import TextClassifier
from classmark.probability import Promised
from classmark.service.corpora import read
from classmark.service.indexing import IndexInfo, index_info
from classmark.strategies.parts import parts_in_words
from classmark.trust import trust_in_words


@dataclass(frozen=True, kw_only=True)
class CorpusInfo:
    """What a corpus is."""

    corpus: str
    """Where it is."""
    documents: int
    """How many documents it has."""
    unlabelled: int
    """How many of them nobody has labelled."""
    belonging_nowhere: int
    """How many of them belong to no category."""
    splits: Mapping[str, int]
    """How many documents each split has."""
    hierarchy: str | None
    """The categories, in words."""
    tree: str | None = None
    """The categories, drawn, where that is asked for."""


@dataclass(frozen=True, kw_only=True)
class ModelInfo:
    """What a model file is."""

    model: str
    """Where it is."""
    method: str
    """The name of the method."""
    settings: Mapping[str, Any]
    """The settings of the method."""
    text: Mapping[str, Any]
    """How text is read."""
    selection: str | None
    """Which terms were kept."""
    decision: str
    """How scores become label sets."""
    because: str | None = None
    """Why this decision, where nobody has chosen it."""
    unlabelled: str | None = None
    """How far unlabelled documents were trusted, and why, where that was chosen."""
    parts: str | None = None
    """Of which methods it is made, and how much each counts, where there are several."""
    expected: str | None = None
    """What to expect of new documents, where the model was searched for (`auto`)."""
    hierarchy: str
    """The categories, in words."""
    terms: int
    """How many terms there are, or coordinates of vectors."""
    seed: int | None
    """The seed of everything random."""
    format: int
    """The version of the file's format."""
    libraries: Mapping[str, str]
    """The versions of the libraries that made it."""
    bytes: int
    """The size of the file."""
    promises: Sequence[Promised] | None = None
    """What became of held-out training documents where so many of the labels given should be right."""
    tree: str | None = None
    """The categories, drawn, where that is asked for."""


def info(path: str, options: CorpusOptions | None = None, *, tree: bool = False) -> ModelInfo | CorpusInfo | IndexInfo:
    """Describe a model file, a corpus or an index, with its hierarchy drawn where that is asked for."""
    if is_index(path):
        return _index_info(path, tree)
    return _model_info(path, tree) if is_model(Path(path)) else _corpus_info(path, options, tree)


def _index_info(path: str, tree: bool) -> IndexInfo:
    known = LiveIndex.open(path).categories if tree else None
    drawn = None if known is None else _drawn(known.hierarchy, known.titles)
    return replace(index_info(path), tree=drawn)


def _corpus_info(path: str, options: CorpusOptions | None, tree: bool) -> CorpusInfo:
    corpus = read(path, options=options)
    hierarchy = corpus.hierarchy
    titles: dict[Name, str] = {node: text.name for node, text in corpus.nodes.items() if text.name}
    return CorpusInfo(
        corpus=path,
        documents=len(corpus),
        unlabelled=corpus.labels.count(None),
        belonging_nowhere=corpus.labels.count([]),
        splits={str(name): corpus.splits.count(name) for name in dict.fromkeys(corpus.splits) if name is not None},
        hierarchy=None if hierarchy is None else repr(hierarchy),
        tree=_drawn(hierarchy, titles) if tree else None,
    )


def _drawn(hierarchy: Hierarchy | None, titles: Mapping[Name, str]) -> str | None:
    return None if hierarchy is None else hierarchy.draw(titles=titles)


def is_model(path: Path) -> bool:
    """Return whether a file is meant to be a model: by its suffix, or by its first bytes.

    A safetensors file begins with the length of its header in 8 bytes, then the header, a JSON object. The folder of a
    live index is a model too.
    """
    if not path.is_file() or path.suffix == ".classmark":
        return path.is_file() or is_index(path)
    with path.open("rb") as file:
        length, brace = int.from_bytes(file.read(8), "little"), file.read(1)
    # The length alone does not tell: a gzip file without a time stamp begins with 559,903.
    return 0 < length < path.stat().st_size and brace == b"{"


def _expected(model: TextClassifier) -> str | None:
    """Say what a search expects of new documents, if there was one."""
    expected = (model.search_ or {}).get("expected")
    return None if expected is None else expected_in_words(expected)


def model_facts(model: TextClassifier) -> dict[str, Any]:
    """Say how a fitted model was made, and what it promises."""
    promise = model.classifier_.promise_
    return {
        "settings": dict(model.settings or {}),
        "selection": None if model.selection is None else str(model.selection),
        "decision": format_decision(model.classifier_.decision_),
        "because": model.classifier_.decision_reason_ or None,
        "parts": parts_in_words(model.classifier_),
        "expected": _expected(model),
        "hierarchy": repr(model.hierarchy_),
        "terms": len(model.vectoriser_.vocabulary_),
        "seed": model.random_state,
        "promises": [] if promise is None else list(promise.table()),
    }


def _model_info(path: str, tree: bool) -> ModelInfo:
    model = TextClassifier.load(path)
    header = read_header(path)
    state, promise = header.state, model.classifier_.promise_
    return ModelInfo(
        model=path,
        method=state["method"],
        settings=state["settings"],
        text=state["text"],
        selection=state["selection"],
        decision=format_decision(model.classifier_.decision_),
        because=model.classifier_.decision_reason_ or None,
        unlabelled=trust_in_words(model.classifier_),
        parts=parts_in_words(model.classifier_),
        expected=_expected(model),
        hierarchy=repr(model.hierarchy_),
        terms=len(model.vectoriser_.vocabulary_),
        seed=state["random_state"],
        format=header.format,
        libraries=header.libraries,
        bytes=Path(path).stat().st_size,
        promises=None if promise is None else promise.table(),
        tree=_drawn(model.hierarchy_, model.titles or {}) if tree else None,
    )
