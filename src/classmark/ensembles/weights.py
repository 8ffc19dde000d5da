"""How much each part of a blend counts: the weights under which the labels of held-out documents are most likely.

Weights are never negative. What pulls them toward each other counts as some documents do, so that with few documents
all parts count alike.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit, log_softmax

from classmark.arrays import Floats

Loss = Callable[[Floats], tuple[float, Floats]]


def learn_weights(loss: Loss, parts: int, documents: int, shrinkage: float) -> Floats:
    """Give the weights, which sum to 1, that have the least mean loss over documents, shrunk toward equal ones.

    >>> flat = lambda weights: (0.0, np.zeros_like(weights))
    >>> learn_weights(flat, 4, 100, 10.0)
    array([0.25, 0.25, 0.25, 0.25])
    """

    def shrunk(weights: Floats) -> tuple[float, Floats]:
        value, slopes = loss(weights)
        apart = weights - weights.mean()
        pull = shrinkage / documents
        return value + pull * float(apart @ apart), slopes + 2 * pull * apart

    start = np.full(parts, 1 / parts)
    found = minimize(shrunk, start, jac=True, bounds=[(0, None)] * parts, method="L-BFGS-B").x
    return np.asarray(found / found.sum()) if found.sum() > 0 else start


def loss_of_own(scores: Sequence[Floats], own: csr_array, ends: npt.NDArray[np.int32]) -> Loss:
    """Give the loss where a document belongs to one end: less the log chance of it by the weighted sum of scores.

    Of a document with several labels each counts by its share; documents without any say nothing.
    """
    labels = csr_array(own[:, ends]).astype(np.float64)
    rows = np.flatnonzero(np.diff(labels.indptr) > 0)
    labels = csr_array(labels[rows])
    shares = labels.multiply(1 / labels.sum(axis=1)[:, None]).toarray()
    given = np.stack([part[np.ix_(rows, ends)] for part in scores])
    documents = max(1, rows.size)

    def loss(weights: Floats) -> tuple[float, Floats]:
        chances = log_softmax(np.tensordot(weights, given, axes=1), axis=1)
        error = np.exp(chances) - shares
        return -float((shares * chances).sum()) / documents, np.tensordot(given, error, axes=2) / documents

    return loss


def loss_of_nodes(scores: Sequence[Floats], closed: csr_array) -> Loss:
    """Give the loss where each node is a question of its own: that of log-odds, summed over the nodes of a document."""
    nodes = np.unique(closed.indices)
    truth = closed[:, nodes].toarray().astype(np.float64)
    given = np.stack([part[:, nodes] for part in scores])
    documents = max(1, closed.shape[0])

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = np.tensordot(weights, given, axes=1)
        error = expit(odds) - truth
        value = float((np.logaddexp(0, odds) - truth * odds).sum())
        return value / documents, np.tensordot(given, error, axes=2) / documents

    return loss
