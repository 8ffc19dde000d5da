"""Weak labels by similarity (path_prediction_2019, section 4.2; Song and Roth 2014).

The similarity of a document and a category is the cosine of their vectors; that of a path is the mean over its nodes.
S_i(c) is a row of `node_weights`. The paper gives it 1 for the category of each level that is most similar, each level
on its own, and that is the kind `levels`; `path` gives 1 to the nodes of the most similar path, and `soft` to each
category its share of the similarities of its level. A document without any similarity is not labelled, and one that
is as similar to another path as to the best is not either.

Few and sure labels are better starts for EM than many: of the documents those with the largest margin between the two
best paths are labelled, and of a category so many at most.
"""

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack

from classmark.hierarchy import Hierarchy, Name
from classmark.hierarchy.formats import NodeText
from classmark.hierarchy.render import short_name
from classmark.text import Analyser
from classmark.weak.encoders import Encoder, Matrix, check_encoder, make_encoder, unit_vectors

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

CELLS_IN_A_BLOCK = 1 << 22
"""How many similarities are held at a time: 32 MiB."""
TIE = 1e-12
"""Margins up to this are rounding."""
BETWEEN_WORDS = str.maketrans("_-./", "    ")


@dataclass(frozen=True)
class WeakLabels:
    """What similarity says about documents.

    Attributes
    ----------
    hierarchy : Hierarchy
        The categories.
    node_weights : csr_array, (n_documents, n_nodes)
        S_i(c), for `PathNB.fit_soft` and `PathEM.fit_soft`; a row without any is a document that is not labelled.
    ends : array of int, (n_documents,)
        The end of the most similar path, -1 where no path is more similar than all others.
    similarity, margin : array, (n_documents,)
        The similarity of that path, and how much less the next one has.
    labelled : array of bool, (n_documents,)
        Which documents are labelled.
    """

    hierarchy: Hierarchy
    node_weights: csr_array
    ends: Places
    similarity: Floats
    margin: Floats
    labelled: npt.NDArray[np.bool_]

    @property
    def labels(self) -> list[list[Name] | None]:
        """The end of the best path as the label of each labelled document, `None` for the others."""
        names = self.hierarchy.names
        return [[names[end]] if kept else None for end, kept in zip(self.ends, self.labelled, strict=True)]

    @property
    def share(self) -> float:
        """The share of documents that are labelled."""
        return float(self.labelled.mean()) if self.labelled.size else 0.0


def category_texts(hierarchy: Hierarchy, nodes: Mapping[Any, NodeText] | None = None) -> list[str]:
    """Give what is known of every node in words: name and description, or the node's own name as words.

    >>> tree = Hierarchy.from_nested({"animals": ["snowy_owl", "G7"]})
    >>> category_texts(tree, {"G7": NodeText("gulls", "birds of the sea")})
    ['animals', 'snowy owl', 'gulls birds of the sea']
    """
    given = {name: " ".join(text).strip() for name, text in (nodes or {}).items()}
    if unknown := [name for name in given if name not in hierarchy]:
        raise ValueError(f"the category {unknown[0]!r} is described, but not in the hierarchy; take it out, or add it")
    if nodes is not None and not any(given.values()):
        raise ValueError("no category is described; give at least one a name or some words")
    return [given.get(name) or short_name(name).translate(BETWEEN_WORDS).strip() for name in hierarchy.names]


def weak_labels(
    documents: Collection[str],
    hierarchy: Hierarchy,
    nodes: Mapping[Any, NodeText] | None = None,
    *,
    encoder: str | Encoder = "terms",
    analyser: Analyser | None = None,
    kind: str = "path",
    min_similarity: float = 0.0,
    share: float = 0.5,
    per_category: int | None = 250,
) -> WeakLabels:
    """Label documents by what categories are called.

    Parameters
    ----------
    documents : list of str, or StoredDocuments
        Texts, gone through several times.
    hierarchy : Hierarchy
        The categories; paths end at its leaves.
    nodes : mapping of names to NodeText, optional
        Names and descriptions, seed words or example texts of categories; one that has none goes by its own name.
    encoder : str or function
        What turns texts into vectors: a name of `ENCODERS`, or a function from a list of texts to a row each.
    analyser : Analyser, optional
        How the encoder `terms` reads text.
    kind : "path", "levels" or "soft"
        Which nodes of a labelled document have a weight: those of the best path, the best of each level (the paper),
        or all by their similarities.
    min_similarity : float
        Documents whose best path is less similar are not labelled.
    share : float
        The largest share of all documents that is labelled, those with the largest margin first.
    per_category : int or None
        The largest number of documents that is labelled with one path.

    Returns
    -------
    WeakLabels

    Examples
    --------
    >>> tree = Hierarchy.from_nested({"animals": ["owls", "gulls"], "plants": ["oaks"]})
    >>> texts = ["An owl hoots.", "Gulls cry.", "The oak and other plants", "It rains."]
    >>> found = weak_labels(texts, tree, share=1.0)
    >>> found.labels
    [['owls'], ['gulls'], ['oaks'], None]
    >>> found.share
    0.75
    """
    _check(documents, kind, min_similarity, share, per_category)
    check_encoder(encoder)
    categories = category_texts(hierarchy, nodes)
    encode = make_encoder(encoder, documents, analyser)
    rows, columns = unit_vectors(encode, documents), unit_vectors(encode, categories)
    found = [_compared(block, hierarchy, kind) for block in _blocks(rows, columns)]
    ends, similarity, margin = (np.concatenate([part[i] for part in found]) for i in range(3))
    if not (ends >= 0).any():
        raise ValueError("no document is similar to any category; describe categories in words that documents use")
    candidates = (ends >= 0) & (similarity >= min_similarity)
    labelled = _surest(ends, np.where(candidates, margin, 0.0), int(np.ceil(share * len(ends))), per_category)
    _warn_of_missing(hierarchy, ends[labelled])
    weights = csr_array(vstack([part[3] for part in found], format="csr"))
    weights.data *= np.repeat(labelled, np.diff(weights.indptr))
    weights.eliminate_zeros()
    return WeakLabels(hierarchy, weights, ends, similarity, margin, labelled)


def _blocks(rows: Matrix, columns: Matrix) -> Iterator[Floats]:
    """Give the cosines of some documents at a time with every category."""
    size = max(1, CELLS_IN_A_BLOCK // columns.shape[0])
    for start in range(0, rows.shape[0], size):
        product: Any = rows[start : start + size] @ columns.T
        yield product.toarray() if isinstance(rows, csr_array) else np.asarray(product)


def _compared(similarities: Floats, hierarchy: Hierarchy, kind: str) -> tuple[Places, Floats, Floats, csr_array]:
    """Give of some documents the best end, its similarity, its margin, and the weights of nodes."""
    # Below 0 vectors are as unlike as at 0: nothing is known, and a path must not lose by it.
    similarities = np.maximum(similarities, 0.0)
    leaves = hierarchy.leaves
    on_path = hierarchy.ancestors[leaves].astype(np.float64)
    paths = np.asarray((on_path @ similarities.T).T) / on_path.sum(axis=1)
    places = np.argmax(paths, axis=1)
    best = paths[np.arange(len(paths)), places]
    paths[np.arange(len(paths)), places] = 0.0
    margin = best - paths.max(axis=1)
    ends = np.where(margin > TIE, leaves[places], -1)
    return ends, best, margin, csr_array(KINDS[kind](similarities, ends, hierarchy))


def _best_path(similarities: Floats, ends: Places, hierarchy: Hierarchy) -> csr_array:
    there = np.flatnonzero(ends >= 0)
    own = csr_array((np.ones(there.size, dtype=bool), (there, ends[there])), shape=similarities.shape)
    return csr_array(hierarchy.close(own).astype(np.float64))


def _best_of_levels(similarities: Floats, ends: Places, hierarchy: Hierarchy) -> csr_array:
    """Give 1 to the most similar category of every level, the first of several, none where nothing is similar."""
    weights = np.zeros_like(similarities)
    for level in range(1, hierarchy.depth + 1):
        nodes = np.flatnonzero(hierarchy.levels == level)
        best = nodes[np.argmax(similarities[:, nodes], axis=1)]
        rows = np.arange(len(best))
        weights[rows, best] = similarities[rows, best] > 0
    return csr_array(weights)


def _shares_of_levels(similarities: Floats, ends: Places, hierarchy: Hierarchy) -> csr_array:
    """Divide 1 among the categories of every level by their similarities."""
    weights = np.zeros_like(similarities)
    for level in range(1, hierarchy.depth + 1):
        nodes = np.flatnonzero(hierarchy.levels == level)
        sums = similarities[:, nodes].sum(axis=1, keepdims=True)
        weights[:, nodes] = np.divide(similarities[:, nodes], sums, out=weights[:, nodes], where=sums > 0)
    return csr_array(weights)


KINDS: dict[str, Callable[[Floats, Places, Hierarchy], csr_array]] = {
    "path": _best_path,
    "levels": _best_of_levels,
    "soft": _shares_of_levels,
}


def _surest(ends: Places, margin: Floats, number: int, per_category: int | None) -> npt.NDArray[np.bool_]:
    """Choose the documents with the largest margins, the first of equals, and so many of an end at most."""
    order = np.argsort(-margin, kind="stable")[:number]
    order = order[margin[order] > 0]
    labelled = np.zeros(ends.size, dtype=bool)
    for end in np.unique(ends[order]):
        labelled[order[ends[order] == end][:per_category]] = True
    return labelled


def _warn_of_missing(hierarchy: Hierarchy, ends: Places) -> None:
    missing = np.setdiff1d(hierarchy.leaves, ends)
    if missing.size:
        warnings.warn(
            f"{missing.size} of {hierarchy.leaves.size} categories have no weakly labelled document, "
            f"such as {hierarchy.names[missing[0]]!r}, and will not be predicted; describe them in other words",
            stacklevel=3,
        )


def _check(
    documents: Collection[str], kind: str, min_similarity: float, share: float, per_category: int | None
) -> None:
    if kind not in KINDS:
        raise ValueError(f"kind is {kind!r}; give one of {', '.join(KINDS)}")
    if not 0 <= min_similarity <= 1:
        raise ValueError(f"min_similarity is {min_similarity}; give a number from 0 to 1")
    if not 0 < share <= 1:
        raise ValueError(f"share is {share}; give a number above 0, up to 1")
    if per_category is not None and per_category < 1:
        raise ValueError(f"per_category is {per_category}; give a whole number from 1, or None")
    blank = True
    for place, text in enumerate(documents):
        if not isinstance(text, str):
            raise ValueError(f"document {place} is no text; similarity to names compares texts, give them as strings")
        blank = blank and not text.strip()
    if blank:
        raise ValueError(f"none of {len(documents)} documents has any text; give some to be labelled")
