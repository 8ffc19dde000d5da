"""Which terms speak for a node on the way down: those by which it is told from its siblings."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack

from classmark.answers import Positions
from classmark.errors import InputError
from classmark.strategies.topdown.linear_bank import LinearBank
from classmark.strategies.topdown.local_fit import MultiLabelModel

if TYPE_CHECKING:
    from classmark.strategies.topdown.classifier import TopDownClassifier


def slot_weights(
    model: "TopDownClassifier", bank: LinearBank | None, blocks: Sequence[Positions]
) -> Iterator[csr_array]:
    """Give the weights of the slots that lead to each node of a block, their mean where there are several."""
    slots = model.structure_.slots
    leading = np.flatnonzero((slots >= 0) & (slots < model.structure_.nodes))
    ways = csr_array((np.ones(leading.size), (slots[leading], leading)), shape=(model.structure_.nodes, slots.size))
    weights = csr_array(bank.weights.T.astype(np.float64)) if bank is not None else _by_hypotheses(model)
    return (_means(csr_array(ways[nodes]), weights) for nodes in blocks)


def _means(ways: csr_array, weights: csr_array) -> csr_array:
    counts = np.maximum(np.diff(ways.indptr), 1)
    return csr_array((ways @ weights).multiply(1.0 / counts[:, None]))


def _by_hypotheses(model: "TopDownClassifier") -> csr_array:
    """Give the weights of all slots where classifiers of ours decide at the nodes."""
    rows = []
    for problem, found in enumerate(model.models_ or []):
        size = int(np.diff(model.structure_.starts)[problem])
        if not isinstance(found, MultiLabelModel):
            if hasattr(found, "margins"):
                raise InputError(f"{type(model.local_learner()).__name__} is not linear: it has no weights of terms")
            rows.append(csr_array((size, model.n_features_in_)))
            continue
        rows.append(_of_problem(found, size, model.n_features_in_))
    return csr_array(vstack(rows, format="csr"))


def _of_problem(found: MultiLabelModel, size: int, width: int) -> csr_array:
    """Give the weights of one problem's slots; nothing speaks for or against what is passed."""
    told: npt.NDArray[np.intp] = np.flatnonzero(~found.passed)
    (weights,) = found.classifier.term_weights([np.arange(told.size)])
    entries = csr_array(weights).tocoo()
    places = (told[entries.coords[0]], found.columns[entries.coords[1]])
    return csr_array((entries.data, places), shape=(size, width))
