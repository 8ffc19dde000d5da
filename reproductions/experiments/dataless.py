"""`dataless`: few labels that nobody gave, but the similarity of documents to the words of categories.

The protocol of `few-labels` with weak labels (path_prediction_2019, section 5.2.2): a labelled document has in every
depth the category most similar to it, each depth on its own. Generative methods learn from the labels of all depths
(`fit_levels`), the others, flat in the paper, from that of the last. A chosen document without any similarity,
or as similar to two paths, is not labelled. The truth is asked for in the evaluation alone.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.data.formats.dataset import read_nodes
from classmark.hierarchy import Hierarchy
from classmark.weak import check_encoder, weak_labels
from reproductions.experiments.base import Experiment
from reproductions.experiments.few_labels import FewLabels, Pool, Rows, averaged, measure_once, pool_of
from reproductions.surroundings import Surroundings
from reproductions.verdicts import Measured


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


def _measure(condition: Dataless, surroundings: Surroundings) -> Measured:
    pool = pool_of(condition, surroundings)
    key = (condition.corpus, condition.encoder, condition.descriptions)
    levels = surroundings.keep("weak labels", key, lambda: _levels(condition, pool, surroundings))

    def teach(classifier: Any, X: csr_array, rows: Rows, known: npt.NDArray[np.bool_]) -> None:
        given = np.where(known[:, None], levels[rows], -1)
        if hasattr(classifier, "fit_levels"):
            classifier.fit_levels(X, given)
        else:
            # Flat in the paper: the label of the last depth.
            _fit_leaves(classifier, X, given[:, -1], pool.hierarchy)

    return averaged(condition, surroundings, lambda seed: measure_once(condition, pool, surroundings, seed, teach))


def _fit_leaves(classifier: Any, X: csr_array, leaves: npt.NDArray[np.int32], hierarchy: Hierarchy) -> None:
    """Learn from the leaves, -1 where there is none, and from documents without one if the classifier can."""
    kept = np.arange(leaves.size) if classifier.uses_unlabelled else np.flatnonzero(leaves >= 0)
    labels = [None if leaf < 0 else [hierarchy.names[leaf]] for leaf in leaves[kept].tolist()]
    classifier.fit(csr_array(X[kept]), labels)


def _levels(condition: Dataless, pool: Pool, surroundings: Surroundings) -> npt.NDArray[np.int32]:
    """Give the most similar category of every depth for every document of the pool."""
    corpus, folder = surroundings.corpus(condition.corpus), surroundings.find(condition.corpus)
    file = None if folder is None else folder / condition.descriptions
    nodes = dict(corpus.nodes) if file is None or not file.is_file() else read_nodes(file, pool.hierarchy)
    documents = [str(corpus.documents[row]) for row in pool.rows]
    return weak_labels(
        documents, pool.hierarchy, nodes or None, encoder=condition.encoder, share=1.0, per_category=None
    ).levels


DATALESS = Experiment(Dataless, run)
