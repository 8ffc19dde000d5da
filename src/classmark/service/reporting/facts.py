"""What a report is about, in words: the model, the documents, the versions."""

import platform
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any

from classmark import __version__
from classmark.data import Corpus
from classmark.decision import format_decision
from classmark.hierarchy import Hierarchy
from classmark.pipeline import TextClassifier
from classmark.report.contents import Fact
from classmark.service.reporting.naming import counted
from classmark.strategies.parts import parts_in_words

LIBRARIES = ("numpy", "scipy", "scikit-learn")


def facts_of_model(model: TextClassifier, which: str = "") -> Iterator[Fact]:
    """Say what a model is; which one, where there are two."""
    said = {
        "method": model.method if isinstance(model.method, str) else type(model.method).__name__,
        "settings": ", ".join(f"{name} {value}" for name, value in (model.settings or {}).items()) or "as usual",
        "parts": parts_in_words(model.classifier_),
        "decision": format_decision(model.classifier_.decision_),
        "probabilities": model.calibration or ("its own" if _has_own(model) else "none"),
        "trained on": counted(model.trained_on_.size, "different document") if model.trained_on_.size else None,
        "terms": f"{len(model.vectoriser_.vocabulary_):,}",
    }
    for name, value in said.items():
        if value:
            yield Fact(name=f"{which}, {name}" if which else name, value=str(value))


def _has_own(model: TextClassifier) -> bool:
    return hasattr(model.classifier_, "predict_proba")


def facts_of_corpus(corpus: Corpus, evaluated: Corpus | None = None) -> Iterator[Fact]:
    """Say what documents there are."""
    yield Fact(name="data", value=corpus.source)
    splits = Counter(split for split in corpus.splits if split is not None)
    parts = f" ({', '.join(f'{name} {count:,}' for name, count in splits.items())})" if splits else ""
    yield Fact(name="documents", value=f"{len(corpus):,}{parts}")
    if evaluated is not None:
        yield Fact(name="evaluated", value=_evaluated(evaluated))
    unlabelled = corpus.labels.count(None)
    if unlabelled:
        yield Fact(name="without labels", value=counted(unlabelled, "document"))
    if corpus.hierarchy is not None:
        yield Fact(name="categories", value=_categories(corpus.hierarchy))


def _evaluated(corpus: Corpus) -> str:
    splits = sorted({split for split in corpus.splits if split is not None})
    which = f" of the split{'s' if len(splits) > 1 else ''} {', '.join(splits)}" if splits else ""
    return f"{counted(len(corpus), 'labelled document')}{which}"


def _categories(hierarchy: Hierarchy) -> str:
    several = "" if hierarchy.is_tree else ", some below several parents"
    levels = f"on {hierarchy.depth} levels{several}; {hierarchy.leaves.size:,} have none below them"
    return f"{len(hierarchy):,} {levels if hierarchy.depth > 1 else 'side by side'}"


def facts_of_versions() -> Iterator[Fact]:
    """Say what made the report."""
    made = [
        f"classmark {__version__}",
        *(f"{library} {version(library)}" for library in LIBRARIES),
        f"Python {platform.python_version()}",
    ]
    yield Fact(name="made by", value=", ".join(made))


def figures_of(figures: dict[str, Any]) -> list[Fact]:
    """Give the main measures."""
    hierarchical, leaves = figures["hierarchical"], figures["leaves"]
    named: Sequence[tuple[str, str]] = [
        ("documents", f"{figures['documents']:,}"),
        ("hF", f"{hierarchical['hf']:.3f}"),
        ("precision (hP)", f"{hierarchical['hp']:.3f}"),
        ("recall (hR)", f"{hierarchical['hr']:.3f}"),
        ("micro F1, end categories", f"{leaves['micro_f1']:.3f}"),
        ("right in full", f"{figures['subset_accuracy']:.3f}"),
    ]
    return [Fact(name=name, value=value) for name, value in named]
