"""Scores of different methods on one scale: log-odds of nodes, and log chances of own labels.

One line for all nodes of a method: held-out scores say how steep it is. So a method keeps its order of documents and of
categories, and votes, margins and log-odds can be added up.

The explanation of a sum is the weighted sum of the explanations of the parts.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.sparse import csr_array

from classmark.answers import Matrix, Positions
from classmark.arrays import Floats
from classmark.base import Contributions
from classmark.decision.best_path import fit_temperature
from classmark.errors import InputError
from classmark.strategies.parts import OverParts

MOST_PAIRS = 1 << 20
"""How many pairs of a document and a node are enough to draw a line."""
FLATTEST, STEEPEST = 1e-6, 1e6


class Scale(NamedTuple):
    """A line from scores to log-odds; scores below the floor, and of nodes that nothing is known of, are the floor."""

    slope: float = 1.0
    offset: float = 0.0
    floor: float = 0.0

    def __call__(self, scores: Floats) -> Floats:
        """Bring scores to the scale.

        >>> Scale(2.0, 1.0, -3.0)(np.array([0.5, -np.inf]))
        array([ 2., -5.])
        """
        return np.asarray(self.slope * np.maximum(scores, self.floor) + self.offset)


def lowest(scores: Floats) -> float:
    """Give the lowest score that is one, 0 where there is none."""
    known = scores[np.isfinite(scores)]
    return float(known.min()) if known.size else 0.0


def by_spread(scores: Floats) -> Scale:
    """Divide scores by how far they lie apart, where there are no labels to learn a scale from.

    >>> by_spread(np.array([[2.0, -2.0, -np.inf]]))
    Scale(slope=0.5, offset=0.0, floor=-2.0)
    """
    known = scores[np.isfinite(scores)]
    return Scale(1 / (float(known.std()) or 1.0) if known.size else 1.0, 0.0, lowest(scores))


def scale_of_nodes(scores: Floats, closed: csr_array) -> Scale:
    """Learn the log-odds of nodes from held-out scores, by maximum likelihood over pairs of documents and nodes.

    Parameters
    ----------
    scores : array, (n_documents, n_nodes)
        Held-out scores.
    closed : csr_array of bool, (n_documents, n_nodes)
        The documents' labels, ancestors included.

    Examples
    --------
    >>> truth = csr_array(np.array([[1], [1], [0], [1], [0], [0]], dtype=bool))
    >>> scale = scale_of_nodes(np.array([[3.0], [2.0], [2.0], [1.0], [1.0], [0.0]]), truth)
    >>> bool(abs(scale(np.array([1.5]))[0]) < 0.1), scale.slope > 0
    (True, True)
    """
    floor = lowest(scores)
    values, right = _pairs(np.maximum(scores, floor), closed)
    spread = float(values.std()) or 1.0
    given = values / spread

    # Platt's targets: with few pairs nothing is certain.
    positive = right.sum()
    targets = np.where(right, (positive + 1) / (positive + 2), 1 / (right.size - positive + 2))

    def loss(line: Floats) -> tuple[float, Floats]:
        odds = line[0] * given + line[1]
        error = 1 / (1 + np.exp(-np.clip(odds, -500, 500))) - targets
        value = np.logaddexp(0, odds) - targets * odds
        return float(value.mean()), np.array([(error * given).mean(), error.mean()])

    bounds = [(FLATTEST, STEEPEST), (None, None)]
    slope, offset = minimize(loss, np.array([1.0, 0.0]), jac=True, bounds=bounds, method="L-BFGS-B").x
    return Scale(float(slope) / spread, float(offset), floor)


def _pairs(scores: Floats, closed: csr_array) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Give the scores of pairs of some documents and the nodes that any document has, and which of them are right."""
    nodes = np.unique(closed.indices)
    most = max(1, MOST_PAIRS // max(1, nodes.size))
    rows = np.sort(np.random.default_rng(0).permutation(len(scores))[:most])
    return scores[np.ix_(rows, nodes)].ravel(), closed[rows][:, nodes].toarray().astype(bool).ravel()


def scale_of_own(scores: Floats, own: csr_array, ends: npt.NDArray[np.int32]) -> Scale:
    """Learn how sure the scores of own labels are: under which temperature the true ones are most likely.

    >>> labels = csr_array(np.eye(2, dtype=bool))
    >>> scale_of_own(np.array([[5.0, 1.0], [1.0, 5.0]]), labels, np.array([0, 1], dtype=np.int32)).slope > 1
    True
    """
    floor = lowest(scores[:, ends])
    most = max(1, MOST_PAIRS // ends.size)
    rows = np.sort(np.random.default_rng(0).permutation(len(scores))[:most])
    return Scale(1 / fit_temperature(np.maximum(scores[rows], floor), csr_array(own[rows]), ends), 0.0, floor)


class Share(NamedTuple):
    """A part by its number, what its scores on a scale are multiplied with, and that scale."""

    place: int
    weight: float
    scale: Scale


def summed_contributions(whole: OverParts, X: csr_array, node: int, shares: Iterable[Share]) -> Contributions:
    """Give the weighted sum of the contributions of parts to a node's score, each term in the columns of its part."""
    terms, bias = csr_array(X.shape), np.zeros(X.shape[0])
    for place, weight, scale in shares:
        part, columns = whole.parts_[place], whole.columns_[place]
        given = part.score_rows(X[:, columns])
        found = part.contributions_to(X[:, columns], node, given)
        # Below the floor nothing that a term says changes the score.
        above = part.as_nodes(given)[:, node] >= scale.floor
        terms = terms + _placed(found.terms, np.where(above, weight * scale.slope, 0.0), columns, X.shape[1])
        bias += weight * (scale.slope * np.where(above, found.bias, scale.floor) + scale.offset)
    return Contributions(csr_array(terms), bias)


def summed_weights(whole: OverParts, blocks: Sequence[Positions], shares: Iterable[Share]) -> Iterator[csr_array]:
    """Give the weighted sum of what the parts' terms say for nodes; parts that have no words for them say nothing."""
    found, told = [], ""
    for place, weight, scale in shares:
        try:
            found.append((weight * scale.slope, whole.columns_[place], whole.parts_[place].term_weights(blocks)))
        except InputError as error:
            told = str(error)
    if not found:
        raise InputError(told or "no part has words for a category")
    return _sums(found, blocks, whole.n_features_in_)


def _sums(
    found: list[tuple[float, slice, Iterator[Matrix]]], blocks: Sequence[Positions], width: int
) -> Iterator[csr_array]:
    for nodes in blocks:
        total = csr_array((nodes.size, width))
        for factor, columns, weights in found:
            total = total + _placed(csr_array(next(weights)), np.full(nodes.size, factor), columns, width)
        yield csr_array(total)


def _placed(terms: csr_array, factors: Floats, columns: slice, width: int) -> csr_array:
    """Give the shares of a part's terms, each row times its factor, in the columns that the part has of the whole."""
    terms = csr_array(terms)
    data = terms.data * np.repeat(factors, np.diff(terms.indptr))
    return csr_array((data, terms.indices + columns.start, terms.indptr), shape=(terms.shape[0], width))
