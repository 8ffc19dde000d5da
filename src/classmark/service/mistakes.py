"""Where a model goes wrong: by category, and document by document."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.data import Corpus
from classmark.data.formats.output import write_lines, writing
from classmark.hierarchy import Name
from classmark.metrics import flat_scores
from classmark.pipeline import TextClassifier

INSTEAD = 3
"""How many categories are named that the documents of one got instead."""


@dataclass(frozen=True, kw_only=True)
class WrongCategory:
    """A category that documents of another one got instead."""

    category: Name
    """Its name."""
    documents: int
    """How many documents got it."""


@dataclass(frozen=True, kw_only=True)
class CategoryFigures:
    """How good the answers are for one category; a document belongs to a category and to its ancestors."""

    category: Name
    """Its name."""
    title: str | None = None
    """What people call it, where the corpus says so."""
    documents: int
    """How many documents belong to it."""
    predicted: int
    """How many documents were put into it."""
    precision: float
    """The part of the documents put into it that belong there."""
    recall: float
    """The part of its documents that were put into it."""
    f1: float
    """The harmonic mean of precision and recall."""
    instead: Sequence[WrongCategory]
    """The most frequent wrong categories, own labels alone, of the documents that the category has lost."""


def by_category(model: TextClassifier, true: csr_array, predicted: csr_array) -> list[CategoryFigures]:
    """Give the figures of each category with documents, true or predicted."""
    hierarchy, titles = model.hierarchy_, model.titles or {}
    true, predicted = hierarchy.close(true), hierarchy.close(predicted)
    scores = flat_scores(true, predicted)
    given = np.asarray(predicted.sum(axis=0)).ravel()
    instead = _instead(model, true, predicted)
    return [
        CategoryFigures(
            category=name,
            title=titles.get(name),
            documents=int(scores.support[node]),
            predicted=int(given[node]),
            precision=float(scores.precision[node]),
            recall=float(scores.recall[node]),
            f1=float(scores.f1[node]),
            instead=_most_frequent(instead, node, hierarchy.names),
        )
        for node, name in enumerate(hierarchy.names)
        if scores.support[node] or given[node]
    ]


def _instead(model: TextClassifier, true: csr_array, predicted: csr_array) -> csr_array:
    """Count for each node, of the documents it has lost, their wrong labels."""
    lost = true.astype(np.int64) - true.multiply(predicted).astype(np.int64)
    own = model.hierarchy_.own(predicted).astype(np.int64)
    return csr_array(lost.T @ (own - own.multiply(true)))


def _most_frequent(instead: csr_array, node: int, names: Any) -> list[WrongCategory]:
    row = slice(instead.indptr[node], instead.indptr[node + 1])
    columns, counts = instead.indices[row], instead.data[row]
    order = np.lexsort((columns, -counts))[:INSTEAD]
    return [
        WrongCategory(category=names[columns[place]], documents=int(counts[place])) for place in order if counts[place]
    ]


def wrong_documents(
    model: TextClassifier, corpus: Corpus, rows: npt.NDArray[np.intp], true: csr_array, predicted: csr_array
) -> Iterator[dict[str, Any]]:
    """Give the documents with a wrong or a missing label: what is true, what was predicted, and the document.

    `rows` are the places in the corpus of the documents that the label sets belong to.
    """
    hierarchy = model.hierarchy_
    true, predicted = hierarchy.close(true), hierarchy.close(predicted)
    own_true, own_predicted = hierarchy.own(true), hierarchy.own(predicted)
    wrong = abs(true.astype(np.int8) - predicted.astype(np.int8)).sum(axis=1)
    places = np.flatnonzero(wrong)
    documents = corpus.take(rows[places].tolist())
    for place, name, document in zip(places.tolist(), documents.ids, documents.documents, strict=True):
        yield {
            "id": name,
            "labels": named(own_true, place, hierarchy.names),
            "predicted": named(own_predicted, place, hierarchy.names),
            "document": document,
        }


def write_errors(path: str, found: Iterable[dict[str, Any]]) -> int:
    """Write errors as JSON Lines, whole or not at all; give their number."""
    with writing(Path(path)) as file:
        return write_lines(found, file)


def named(labels: csr_array, row: int, names: Any) -> list[Any]:
    """Give the names of a document's labels, in the order of the nodes."""
    return [names[node] for node in sorted(labels.indices[labels.indptr[row] : labels.indptr[row + 1]].tolist())]
