"""A category by itself: its words, its place, what is nearest to it, and its documents."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from classmark.arrays import Floats
from classmark.data import Corpus
from classmark.errors import InputError
from classmark.explain.contrast import path_of
from classmark.explain.marking import shown_text
from classmark.explain.words import Words, cosines, strongest_words
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
                _label_names(model, own.indices[own.indptr[rows[place]] : own.indptr[rows[place] + 1]].tolist()),
                _label_names(model, answers[place]),
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


def _label_names(model: TextClassifier, nodes: Sequence[int]) -> tuple[Name, ...]:
    return tuple(model.hierarchy_.names[node] for node in sorted(nodes))


ALIKE = 0.005
"""How alike a category must be to be named; less would be shown as zero."""


@dataclass(frozen=True)
class NearNode:
    """A category with the same words."""

    category: Name
    """Its name."""
    path: list[str]
    """The categories from the top down to it, as they are shown."""
    alike: float
    """How alike the words for both are, from 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class NodeExplanation:
    """What a model knows of one category."""

    category: Name
    """The category."""
    path: list[str]
    """The categories from the top down to it, by its first parents, with their titles."""
    parents: tuple[Name, ...]
    """The categories right above it."""
    children: tuple[Name, ...]
    """The categories right below it."""
    below: int
    """How many categories are below it, on all levels."""
    learned: bool
    """Whether a document to learn from belonged to it, or to a category below it."""
    learned_from: int | None = None
    """How many did, where the model keeps its documents."""
    words: Words | None = None
    """The words that speak for it and against it, where the model has some."""
    no_words: str = ""
    """Why there are none."""
    nearest: tuple[NearNode, ...] = ()
    """The categories that have the same words, the nearest first; neither those above it nor those below."""
    documents: NodeDocuments | None = None
    """Its documents, where some were given."""


def explain_node(
    model: TextClassifier, category: Name, top: int = 10, *, documents: Corpus | None = None, examples: int = 5
) -> NodeExplanation:
    """Say what a model knows of one category.

    Parameters
    ----------
    model : TextClassifier
        A fitted classifier.
    category
        The name of the category.
    top : int
        How many words for it, words against it and categories near it.
    documents : Corpus, optional
        Documents to look for its own in.
    examples : int
        How many of these of each kind.

    Examples
    --------
    >>> from classmark import TextClassifier
    >>> model = TextClassifier("nb").fit(["hoots at night", "cries over the sea"], ["owl", "gull"])
    >>> [word for word, _ in explain_node(model, "owl").words.speaking_for]
    ['hoots', 'night']
    """
    hierarchy = model.hierarchy_
    node = hierarchy.position(category)
    try:
        words, why = strongest_words(model, np.array([node]), top)[0], ""
    except InputError as error:
        if top < 1:
            raise
        words, why = None, str(error)
    return NodeExplanation(
        category=category,
        path=path_of(model, category),
        parents=_names(model, hierarchy.parent_positions(node).tolist()),
        children=_names(model, hierarchy.child_positions(node).tolist()),
        below=_below(model, node).size - 1,
        learned=bool((hierarchy.ancestors[model.classifier_.ends_].indices == node).any()),
        learned_from=_learned_from(model, node),
        words=words,
        no_words=why,
        nearest=() if words is None else _nearest(model, node, top),
        documents=None if documents is None else documents_of(model, node, documents, examples),
    )


def _names(model: TextClassifier, nodes: Sequence[int]) -> tuple[Name, ...]:
    return tuple(model.hierarchy_.names[node] for node in nodes)


def _below(model: TextClassifier, node: int) -> npt.NDArray[np.intp]:
    """Give a category and all below it."""
    ancestors = model.hierarchy_.ancestors
    rows: npt.NDArray[np.intp] = np.repeat(np.arange(ancestors.shape[0]), np.diff(ancestors.indptr))
    return np.asarray(rows[ancestors.indices == node])


def _learned_from(model: TextClassifier, node: int) -> int | None:
    """Count the documents of a category in an index; other methods keep none."""
    labels = getattr(model.classifier_, "labels_", None)
    if labels is None:
        return None
    return int(np.count_nonzero(model.hierarchy_.close(labels.astype(bool)).indices == node))


def _nearest(model: TextClassifier, node: int, top: int) -> tuple[NearNode, ...]:
    ancestors = model.hierarchy_.ancestors
    alike = cosines(model, node)
    alike[ancestors[[node]].indices] = 0.0
    alike[_below(model, node)] = 0.0
    names = model.hierarchy_.names
    found = np.argsort(-alike, kind="stable")[:top]
    return tuple(
        NearNode(names[one], path_of(model, names[one]), float(alike[one])) for one in found if alike[one] >= ALIKE
    )
