"""HTML of a corpus for notebooks: its splits, labels and first documents."""

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from classmark.hierarchy.notebook import outline_of
from classmark.html import render

if TYPE_CHECKING:
    from classmark.data.corpus import Corpus

MAX_DOCUMENTS, MAX_LABELS, MAX_SPLITS = 5, 5, 20
"""Numbers of documents, of labels of a document, and of splits that are shown."""


def corpus_html(corpus: "Corpus") -> str:
    """Return the representation of a corpus."""
    titles = {name: node.name for name, node in corpus.nodes.items() if node.name}
    unlabeled, unassigned = Counter[str | None](), Counter[str | None]()
    for split, labels in zip(corpus.splits, corpus.labels, strict=True):
        unlabeled[split] += labels is None
        unassigned[split] += labels == []
    splits = [
        ("none" if split is None else split, f"{number:,}", f"{unlabeled[split]:,}", f"{unassigned[split]:,}")
        for split, number in Counter(corpus.splits).most_common(MAX_SPLITS)
    ]
    documents, problem = [], None
    try:
        documents = list(islice(corpus.documents, MAX_DOCUMENTS))
    except (OSError, ValueError) as error:  # the file that the documents are read from may be missing by now
        problem = str(error)

    def labels_of(labels: list[str] | None) -> str:
        if labels is None:
            return "not labelled"
        more = [f"… {len(labels) - MAX_LABELS:,} more"] if len(labels) > MAX_LABELS else []
        return (
            ", ".join([*(titles.get(label, label) for label in labels[:MAX_LABELS]), *more]) or "none: belongs nowhere"
        )

    sizes = [len(labels) for labels in corpus.labels if labels]
    used = len({label for labels in corpus.labels for label in labels or ()})
    tree = corpus.hierarchy
    return render(
        "notebook/corpus.html",
        title=f"Corpus: {len(corpus):,} documents from {corpus.source}",
        splits=splits,
        pairs=[
            ("labels a document", f"{sum(sizes) / len(sizes):.2f}" if sizes else None),
            ("categories used", f"{used:,}" + ("" if tree is None else f" of {len(tree):,}")),
            ("hierarchy", "none" if tree is None else repr(tree).strip("<>")),
        ],
        error=problem,
        documents=zip(corpus.ids, documents, map(labels_of, corpus.labels), strict=False),
        outline=None if tree is None else outline_of(tree, titles),
    )
