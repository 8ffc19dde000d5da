"""`dataless`: few labels that nobody gave, but the similarity of documents to the words of categories.

The protocol of `few-labels` with weak labels (path_prediction_2019, section 5.2.2): a labelled document has on every
level the category most similar to it, each level on its own. Methods that take a weight for every node learn from
those of all levels; the others from the leaf. A chosen document without any similarity, or as similar to two paths, is
not labelled. The truth is asked for in the evaluation alone.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from classmark.data.formats.nodes import read_nodes
from classmark.hierarchy import Hierarchy
from classmark.reproductions.experiments.base import Experiment
from classmark.reproductions.experiments.few_labels import FewLabels, Pool, Rows, averaged, measure_once, pool_of
from classmark.reproductions.surroundings import Surroundings
from classmark.reproductions.verdicts import Measured
from classmark.weak import check_encoder, weak_labels


class Dataless(FewLabels, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The same with an encoder, and the file of the dataset folder that describes the categories."""

    encoder: str = "terms"
    descriptions: str = "label_descriptions.tsv"

    def check(self) -> None:
        """Refuse an encoder that there is not, too."""
        super().check()
        check_encoder(self.encoder)


def run(conditions: Sequence[Dataless], surroundings: Surroundings) -> list[Measured]:
    """Measure each condition over all its seeds."""
    return [_measure(condition, surroundings) for condition in conditions]


def leaf_labels(weights: csr_array, hierarchy: Hierarchy) -> list[list[Any] | None]:
    """Give the leaf that has a weight as the label of each document, `None` where none has.

    >>> tree = Hierarchy.from_paths(["a/x", "b"])
    >>> leaf_labels(csr_array([[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]), tree)
    [['a/x'], None]
    """
    is_leaf = np.zeros(len(hierarchy))
    is_leaf[hierarchy.leaves] = 1.0
    leaves = csr_array(weights @ diags_array(is_leaf))
    leaves.eliminate_zeros()
    # With leaves on several levels there may be several; the last is the deepest.
    starts, stops = leaves.indptr[:-1], leaves.indptr[1:]
    return [[hierarchy.names[leaves.indices[a:b].max()]] if a < b else None for a, b in zip(starts, stops, strict=True)]


def _measure(condition: Dataless, surroundings: Surroundings) -> Measured:
    pool = pool_of(condition, surroundings)
    key = (condition.corpus, condition.encoder, condition.descriptions)
    weights = surroundings.keep("weak labels", key, lambda: _weights(condition, pool, surroundings))

    def teach(classifier: Any, X: csr_array, rows: Rows, known: npt.NDArray[np.bool_]) -> None:
        given = csr_array(diags_array(known.astype(np.float64)) @ weights[rows])
        given.eliminate_zeros()
        if hasattr(classifier, "fit_soft"):
            classifier.fit_soft(X, given)
            return
        labels = leaf_labels(given, pool.hierarchy)
        kept = [row for row, label in enumerate(labels) if label is not None or classifier.uses_unlabelled]
        classifier.fit(csr_array(X[kept]), [labels[row] for row in kept])

    return averaged(condition, surroundings, lambda seed: measure_once(condition, pool, surroundings, seed, teach))


def _weights(condition: Dataless, pool: Pool, surroundings: Surroundings) -> csr_array:
    """Give the most similar category of every level for every document of the pool."""
    corpus, folder = surroundings.corpus(condition.corpus), surroundings.find(condition.corpus)
    file = None if folder is None else folder / condition.descriptions
    nodes = dict(corpus.nodes) if file is None or not file.is_file() else read_nodes(file, pool.hierarchy)
    documents = [str(corpus.documents[row]) for row in pool.rows]
    return weak_labels(
        documents, pool.hierarchy, nodes or None, encoder=condition.encoder, kind="levels", share=1.0, per_category=None
    ).node_weights


DATALESS = Experiment(Dataless, run)
