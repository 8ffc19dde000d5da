"""A category by itself: its words, its place, what is nearest to it, and its documents."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from classmark.data import Corpus
from classmark.errors import InputError
from classmark.explain.contrast import path_of
from classmark.explain.node_documents import NodeDocuments, documents_of
from classmark.explain.words import Words, cosines, strongest_words
from classmark.hierarchy import Name
from classmark.pipeline import TextClassifier

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
