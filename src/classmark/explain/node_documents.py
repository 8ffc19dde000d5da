"""The documents of a category: those it is surest of, those it is least sure of, and those that do not belong there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from classmark.arrays import Floats
from classmark.data import Corpus
from classmark.explain.marking import shown_text
from classmark.hierarchy import Name
from classmark.labels import encode
from classmark.pipeline import TextClassifier
from classmark.text.vectoriser import Document

DOCUMENTS_IN_A_BATCH = 1000
LONGEST = 160
"""So many characters of a document are shown."""


@dataclass(frozen=True)
class NodeDocument:
    """A document of a category, or one that was put there."""

    id: str
    """Its name."""
    labels: tuple[Name, ...]
    """What it is labelled with."""
    answered: tuple[Name, ...]
    """What the model answers."""
    sure: float
    """How probable the category is for it, or its score where the model knows no probabilities."""
    text: str
    """The beginning of its text."""


@dataclass(frozen=True, kw_only=True)
class NodeDocuments:
    """What a model makes of the documents of a category."""

    source: str
    """Where they come from."""
    labelled: int
    """How many are labelled with it, or with a category below it."""
    answered: int
    """How many of all documents the model puts there."""
    found: int
    """How many of those labelled with it the model puts there."""
    by: str
    """What `sure` is: `probability` or `score`."""
    surest: tuple[NodeDocument, ...]
    """Of those labelled with it the surest, the surest first."""
    least_sure: tuple[NodeDocument, ...]
    """Of those labelled with it the least sure, the least sure first."""
    wrong: tuple[NodeDocument, ...]
    """Those that the model puts there and that are labelled otherwise, the surest first."""


def beginning(document: Document, longest: int = LONGEST) -> str:
    r"""Give the beginning of a document in one line.

    >>> beginning("who  hoots\nat night", 12)
    'who hoots…'
    """
    shown = " ".join(shown_text(document).split())
    return shown if len(shown) <= longest else f"{shown[:longest].rsplit(' ', 1)[0]}…"


def documents_of(model: TextClassifier, node: int, corpus: Corpus, examples: int) -> NodeDocuments:
    """Find the documents of a category in a corpus, and ask the model about all that are labelled."""
    hierarchy = model.hierarchy_
    labels = encode([None if one is None else list(one) for one in corpus.labels], hierarchy)
    rows = np.flatnonzero(labels.labelled)
    own = hierarchy.own(labels.indicator)
    true = (hierarchy.close(labels.indicator)[:, [node]].toarray().ravel() > 0)[rows]
    answers, sure, put = _asked(model, node, _documents(corpus, rows))

    def shown(chosen: Sequence[int]) -> tuple[NodeDocument, ...]:
        # Documents that lie in a file are read in their order.
        places = sorted(chosen)
        taken = corpus.take(rows[places].tolist())
        found = {
            place: NodeDocument(
                name,
                _names(model, own.indices[own.indptr[rows[place]] : own.indptr[rows[place] + 1]].tolist()),
                _names(model, answers[place]),
                float(sure[place]),
                beginning(document),
            )
            for place, name, document in zip(places, taken.ids, taken.documents, strict=True)
        }
        return tuple(found[place] for place in chosen)

    surest_first = np.argsort(-sure, kind="stable")
    mine = surest_first[true[surest_first]]
    return NodeDocuments(
        source=corpus.source,
        labelled=int(true.sum()),
        answered=int(put.sum()),
        found=int((true & put).sum()),
        by="probability" if hasattr(model, "predict_proba") else "score",
        surest=shown(mine[:examples].tolist()),
        # A document is not shown twice where there are few.
        least_sure=shown(mine[examples:][::-1][:examples].tolist()),
        wrong=shown(surest_first[(put & ~true)[surest_first]][:examples].tolist()),
    )


def _documents(corpus: Corpus, rows: npt.NDArray[np.intp]) -> Iterable[Sequence[Document]]:
    """Give documents, some at a time."""
    for start in range(0, rows.size, DOCUMENTS_IN_A_BATCH):
        yield list(corpus.take(rows[start : start + DOCUMENTS_IN_A_BATCH].tolist()).documents)


def _asked(
    model: TextClassifier, node: int, batches: Iterable[Sequence[Document]]
) -> tuple[list[list[int]], Floats, npt.NDArray[np.bool_]]:
    """Give what a model answers to each document, how sure it is of a category, and whether that is in the answer."""
    answered = list[list[int]]()
    sure, put = [np.empty(0)], [np.empty(0, dtype=bool)]
    likely = hasattr(model, "predict_proba")
    for documents in batches:
        for batch in model.classifier_.answers(model.transform(documents)):
            everybody, there = np.arange(len(batch)), np.full(len(batch), node)
            sure.append(batch.chances(everybody, there) if likely else batch.scores(everybody, there))
            labels = batch.labels()
            put.append(labels[:, [node]].toarray().ravel() > 0)
            own = model.hierarchy_.own(labels)
            answered += [own.indices[own.indptr[row] : own.indptr[row + 1]].tolist() for row in range(len(batch))]
    return answered, np.concatenate(sure), np.concatenate(put)


def _names(model: TextClassifier, nodes: Sequence[int]) -> tuple[Name, ...]:
    return tuple(model.hierarchy_.names[node] for node in sorted(nodes))
