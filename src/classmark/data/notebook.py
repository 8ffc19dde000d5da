"""A corpus in a notebook: how many documents there are in which split, their labels, and the first of them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from classmark import markup
from classmark.hierarchy.notebook import tree_html

if TYPE_CHECKING:
    from classmark.data.corpus import Corpus

FIRST = 5
"""So many documents are shown."""
LABELS = 5
"""So many labels of a document are shown."""
SPLITS = 20
"""So many splits are shown."""


def corpus_html(corpus: "Corpus") -> str:
    """Show what a corpus is."""
    titles = {name: node.name for name, node in corpus.nodes.items() if node.name}
    parts = [_splits(corpus), _categories(corpus), _first(corpus, titles)]
    if corpus.hierarchy is not None:
        parts.append(markup.folded("categories", tree_html(corpus.hierarchy, titles)))
    return markup.panel(f"Corpus: {len(corpus):,} documents from {corpus.source}", *parts)


def _splits(corpus: "Corpus") -> str:
    """Count documents by split, and among them those without a label."""
    every, open_, nowhere = Counter(corpus.splits), Counter[str | None](), Counter[str | None]()
    for split, labels in zip(corpus.splits, corpus.labels, strict=True):
        open_[split] += labels is None
        nowhere[split] += labels == []
    rows = [
        ("none" if split is None else split, *(f"{count[split]:,}" for count in (every, open_, nowhere)))
        for split, _ in every.most_common(SPLITS)
    ]
    return markup.table(["split", "documents", "not labelled", "belonging nowhere"], rows)


def _categories(corpus: "Corpus") -> str:
    sizes = [len(labels) for labels in corpus.labels if labels]
    used = {label for labels in corpus.labels for label in labels or ()}
    of_all = "" if corpus.hierarchy is None else f" of {len(corpus.hierarchy):,}"
    pairs = [
        ("labels a document", f"{sum(sizes) / len(sizes):.2f}" if sizes else None),
        ("categories used", f"{len(used):,}{of_all}"),
        ("hierarchy", "none" if corpus.hierarchy is None else repr(corpus.hierarchy).strip("<>")),
    ]
    return markup.facts(pairs)


def _first(corpus: "Corpus", titles: Mapping[str, str]) -> str:
    """Show the first documents; those that stay in a file may have gone from there."""
    try:
        documents = list(islice(corpus.documents, FIRST))
    except (OSError, ValueError) as error:
        return f"<div>{markup.quiet(error)}</div>"
    rows = zip(corpus.ids, documents, (_labels(labels, titles) for labels in corpus.labels), strict=False)
    return markup.table(["id", "document", "labels"], rows)


def _labels(labels: list[str] | None, titles: Mapping[str, str]) -> str:
    """Give the first labels by the names that people know them by."""
    return "not labelled" if labels is None else ", ".join(_named(labels, titles)) or "none: belongs nowhere"


def _named(labels: list[str], titles: Mapping[str, str]) -> Iterator[str]:
    yield from (titles.get(label, label) for label in labels[:LABELS])
    if len(labels) > LABELS:
        yield f"… {len(labels) - LABELS:,} more"
