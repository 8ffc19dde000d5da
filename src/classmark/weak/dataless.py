"""Weak labels by similarity (path_prediction_2019, section 4.2; Song and Roth 2014).

The similarity of a document and a category is the cosine of their vectors, or was found elsewhere; that of a path is
the mean over its nodes. S_i(c) is a row of `node_weights`. The paper gives it 1 for the category of each depth that is
most similar, each depth on its own, and that is the kind `levels`; `path` gives 1 to the nodes of the most similar
path, and `soft` to each category its part of the similarities of its depth. A document without any similarity is not
labelled, and one that is as similar to another path as to the best is not either.

A leaf above the last depth is a candidate in the depths below it, too: section 3 gives it a line of dummy nodes down to
there, which are as similar as the leaf. Its weight is the mean over the leaf and its dummies, as `fit_soft` counts the
weight of a leaf once for each of them.

Few and sure labels are better starts for EM than many: of the documents those with the largest margin between the two
best paths are labelled, and of a category no more than a number.
"""

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack

from classmark.arrays import Floats
from classmark.data.names import category_texts
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy, Name
from classmark.hierarchy.formats import NodeText
from classmark.text import Analyser
from classmark.text.encoders.kinds import Encoder, Matrix, check_encoder, make_encoder, unit_vectors

Places = npt.NDArray[np.intp]
Levels = npt.NDArray[np.int32]

CELLS_IN_A_BLOCK = 1 << 22
"""How many similarities are held at a time: 32 MiB."""
TIE = 1e-12
"""Margins up to this are rounding."""


@dataclass(frozen=True)
class WeakLabels:
    """What similarity says about documents.

    Attributes
    ----------
    hierarchy : Hierarchy
        The categories.
    node_weights : csr_array, (n_documents, n_nodes)
        S_i(c), for `PathNB.fit_soft` and `PathEM.fit_soft`; a row without any is a document that is not labelled.
    levels : array of int, (n_documents, depth)
        The most similar category of each depth, for `fit_levels` of the generative classifiers; -1 where nothing is
        similar, and everywhere where a document is not labelled.
    ends : array of int, (n_documents,)
        The end of the most similar path, -1 where no path is more similar than all others.
    similarity, margin : array, (n_documents,)
        The similarity of that path, and how much less the next one has.
    labelled : array of bool, (n_documents,)
        Which documents are labelled.
    """

    hierarchy: Hierarchy
    node_weights: csr_array
    levels: Levels
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
        """The fraction of documents that are labelled."""
        return float(self.labelled.mean()) if self.labelled.size else 0.0


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
    if not 0 <= min_similarity <= 1:
        raise InputError(f"min_similarity={min_similarity}: must be a number >= 0 and <= 1")
    _check(kind, share, per_category)
    _check_texts(documents)
    check_encoder(encoder)
    categories = category_texts(hierarchy, nodes)
    encode = make_encoder(encoder, documents, analyser)
    rows, columns = unit_vectors(encode, documents), unit_vectors(encode, categories)
    found = [_compared(block, hierarchy, kind) for block in _cosines(rows, columns)]
    remedy = "describe categories in words that documents use"
    return _chosen(found, hierarchy, min_similarity, share, per_category, remedy)


def labels_of_similarities(
    similarities: Any,
    hierarchy: Hierarchy,
    *,
    kind: str = "path",
    min_similarity: float = 0.0,
    share: float = 0.5,
    per_category: int | None = 250,
) -> WeakLabels:
    """Label documents by similarities that were found elsewhere, such as those of explicit semantic analysis.

    Parameters
    ----------
    similarities : csr_array or array, (n_documents, n_nodes)
        How similar every document is to every node of the hierarchy; what is not stored is 0, and below 0 is as 0.
    hierarchy, kind, min_similarity, share, per_category
        As of `weak_labels`; `min_similarity` may be above 1 where similarities are.

    Examples
    --------
    >>> tree = Hierarchy.from_nested({"animals": ["owls", "gulls"], "rocks": None})
    >>> labels_of_similarities([[0.2, 0.1, 0.3, 0], [0, 0.9, 0.1, 0.2], [0, 0, 0.1, 0.2]], tree, share=1.0).labels
    [['owls'], ['rocks'], ['gulls']]
    """
    if not min_similarity >= 0:
        raise InputError(f"min_similarity={min_similarity}: must be a number >= 0, on the scale of the similarities")
    _check(kind, share, per_category)
    given = csr_array(similarities, dtype=np.float64)
    if given.shape[1] != len(hierarchy):
        raise InputError(f"similarities are to {given.shape[1]} categories; give {len(hierarchy)}, one a node")
    if not np.isfinite(given.data).all():
        raise InputError("some similarity is not finite; give numbers")
    found = [_compared(_dense(block), hierarchy, kind) for block in _blocks(given, len(hierarchy))]
    remedy = "give similarities above 0"
    return _chosen(found, hierarchy, min_similarity, share, per_category, remedy)


class Compared(NamedTuple):
    """Of some documents the best end, its similarity, its margin, the best of each depth, and the nodes' weights."""

    ends: Places
    similarity: Floats
    margin: Floats
    levels: Levels
    weights: csr_array


def _chosen(
    found: list[Compared],
    hierarchy: Hierarchy,
    min_similarity: float,
    share: float,
    per_category: int | None,
    remedy: str,
) -> WeakLabels:
    """Label the surest of all documents."""
    ends, similarity, margin, levels = (np.concatenate(parts) for parts in list(zip(*found, strict=True))[:4])
    if not (ends >= 0).any():
        raise InputError(f"no document is similar to any category; {remedy}")
    candidates = (ends >= 0) & (similarity >= min_similarity)
    labelled = _surest(ends, np.where(candidates, margin, 0.0), int(np.ceil(share * len(ends))), per_category)
    missing = np.setdiff1d(hierarchy.leaves, ends[labelled])
    if missing.size:
        warnings.warn(
            f"{missing.size} of {hierarchy.leaves.size} categories have no weakly labelled document, "
            f"such as {hierarchy.names[missing[0]]!r}, and will not be predicted; {remedy}",
            stacklevel=3,
        )
    weights = csr_array(vstack([part.weights for part in found], format="csr"))
    weights.data *= np.repeat(labelled, np.diff(weights.indptr))
    weights.eliminate_zeros()
    levels[~labelled] = -1
    return WeakLabels(hierarchy, weights, levels, ends, similarity, margin, labelled)


def _blocks(rows: Matrix, nodes: int) -> Iterator[Matrix]:
    """Cut documents into parts whose similarities to all nodes fit into memory."""
    size = max(1, CELLS_IN_A_BLOCK // nodes)
    for start in range(0, rows.shape[0], size):
        yield rows[start : start + size]


def _cosines(rows: Matrix, columns: Matrix) -> Iterator[Floats]:
    """Give the cosines of some documents at a time with every category."""
    for block in _blocks(rows, columns.shape[0]):
        product: Any = block @ columns.T
        yield _dense(product)


def _dense(matrix: Matrix) -> Floats:
    return np.asarray(matrix.toarray() if isinstance(matrix, csr_array) else matrix)


def _compared(similarities: Floats, hierarchy: Hierarchy, kind: str) -> Compared:
    """Compare some documents with all nodes."""
    # Below 0 vectors are as unlike as at 0: nothing is known, and a path must not lose by it.
    similarities = np.maximum(similarities, 0.0)
    leaves = hierarchy.leaves
    on_path = hierarchy.ancestors[leaves].astype(np.float64)
    paths = np.asarray((on_path @ similarities.T).T) / on_path.sum(axis=1)
    documents, winners = np.arange(len(paths)), np.argmax(paths, axis=1)
    best = paths[documents, winners]
    paths[documents, winners] = 0.0
    margin = best - paths.max(axis=1)
    ends = np.where(margin > TIE, leaves[winners], -1)
    levels = _best_of_depths(similarities, hierarchy)
    return Compared(ends, best, margin, levels, csr_array(KINDS[kind](similarities, ends, levels, hierarchy)))


def _depths(hierarchy: Hierarchy) -> list[Places]:
    """Give the candidates of every depth: its nodes, and as dummies the leaves above it (section 3)."""
    is_leaf = np.diff(hierarchy.children.indptr) == 0
    levels = hierarchy.levels
    return [np.flatnonzero((levels == k) | (is_leaf & (levels < k))) for k in range(1, hierarchy.depth + 1)]


def _best_of_depths(similarities: Floats, hierarchy: Hierarchy) -> Levels:
    """Give the most similar candidate of every depth, the first of several, -1 where nothing is similar."""
    found = np.empty((len(similarities), hierarchy.depth), dtype=np.int32)
    for depth, nodes in enumerate(_depths(hierarchy)):
        there = similarities[:, nodes]
        found[:, depth] = np.where(there.max(axis=1) > 0, nodes[np.argmax(there, axis=1)], -1)
    return found


def _best_path(similarities: Floats, ends: Places, levels: Levels, hierarchy: Hierarchy) -> csr_array:
    there = np.flatnonzero(ends >= 0)
    own = csr_array((np.ones(there.size, dtype=bool), (there, ends[there])), shape=similarities.shape)
    return csr_array(hierarchy.close(own).astype(np.float64))


def _best_of_levels(similarities: Floats, ends: Places, levels: Levels, hierarchy: Hierarchy) -> csr_array:
    """Give 1 to the most similar candidate of every depth."""
    weights = np.zeros_like(similarities)
    for best in levels.T:
        rows = np.flatnonzero(best >= 0)
        weights[rows, best[rows]] += 1.0
    return csr_array(weights / _number_of_depths(hierarchy))


def _parts_of_levels(similarities: Floats, ends: Places, levels: Levels, hierarchy: Hierarchy) -> csr_array:
    """Divide 1 among the candidates of every depth by their similarities."""
    weights = np.zeros_like(similarities)
    for nodes in _depths(hierarchy):
        there = similarities[:, nodes]
        sums = there.sum(axis=1, keepdims=True)
        weights[:, nodes] += np.divide(there, sums, out=np.zeros_like(there), where=sums > 0)
    return csr_array(weights / _number_of_depths(hierarchy))


def _number_of_depths(hierarchy: Hierarchy) -> Floats:
    """Say of every node in how many depths it is a candidate."""
    return np.bincount(np.concatenate(_depths(hierarchy)), minlength=len(hierarchy)).astype(np.float64)


KINDS: dict[str, Callable[[Floats, Places, Levels, Hierarchy], csr_array]] = {
    "path": _best_path,
    "levels": _best_of_levels,
    "soft": _parts_of_levels,
}


def _surest(ends: Places, margin: Floats, number: int, per_category: int | None) -> npt.NDArray[np.bool_]:
    """Choose the documents with the largest margins, the first of equals, and of an end `per_category` at most."""
    order = np.argsort(-margin, kind="stable")[:number]
    order = order[margin[order] > 0]
    labelled = np.zeros(ends.size, dtype=bool)
    for end in np.unique(ends[order]):
        labelled[order[ends[order] == end][:per_category]] = True
    return labelled


def _check(kind: str, share: float, per_category: int | None) -> None:
    if kind not in KINDS:
        raise InputError(f"kind={kind!r}: must be one of {', '.join(KINDS)}")
    if not 0 < share <= 1:
        raise InputError(f"share={share}: must be a number > 0 and <= 1")
    if per_category is not None and per_category < 1:
        raise InputError(f"per_category={per_category}: must be an integer >= 1, or None")


def _check_texts(documents: Collection[str]) -> None:
    blank = True
    for row, text in enumerate(documents):
        if not isinstance(text, str):
            raise InputError(f"document {row} is no text; similarity to names compares texts, give them as strings")
        blank = blank and not text.strip()
    if blank:
        raise InputError(f"none of {len(documents)} documents has any text; give some to be labelled")
