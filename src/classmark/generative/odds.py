"""From joint chances of components to scores of nodes: log-odds.

The score of a node is log P(node | x) / P(not node | x), where the posterior of a node is the sum over the components
of the paths through it. So a threshold of 0 is a posterior of one half, and 1 / (1 + exp(-score)) is the posterior. A
node on every path is certain; it scores as much as the surest other node of the document, and at least `CERTAIN`.

`odds_of_terms` explains a node by the terms that are more probable in its documents than in all others.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import logsumexp

from classmark.answers import Positions
from classmark.arrays import Floats
from classmark.compilation import kernel

CERTAIN = float(53 * np.log(2.0))
"""The log-odds of a chance that differs from 1 by no more than rounding."""


@kernel
def log_sum(row: Floats, components: npt.NDArray[np.integer]) -> float:
    """Give log Σ exp of some entries of a row."""
    highest = -np.inf
    for component in components:
        highest = max(highest, row[component])
    if highest == -np.inf:
        return highest
    total = 0.0
    for component in components:
        total += np.exp(row[component] - highest)
    return float(highest + np.log(total))


@kernel
def fill_log_odds(
    joint: Floats, inside: npt.NDArray[np.integer], indptr: npt.NDArray[np.integer], scores: Floats
) -> None:
    """Write the log-odds of every node, plus infinity where it is on every path."""
    n_components = joint.shape[1]
    everywhere = np.arange(n_components)
    outside = np.empty(n_components, np.int64)
    marked = np.zeros(n_components, np.bool_)
    for document in range(len(joint)):
        row = joint[document]
        total = log_sum(row, everywhere)
        for node in range(indptr.size - 1):
            components = inside[indptr[node] : indptr[node + 1]]
            chance = log_sum(row, components) - total
            if components.size == n_components:
                scores[document, node] = np.inf
            elif chance < -0.6931471805599453:
                scores[document, node] = chance - np.log1p(-np.exp(chance))
            else:
                # One minus a chance near 1 has no digits left: the rest is summed by itself.
                n_outside = 0
                for component in components:
                    marked[component] = True
                for component in range(n_components):
                    if not marked[component]:
                        outside[n_outside] = component
                        n_outside += 1
                    marked[component] = False
                scores[document, node] = chance - (log_sum(row, outside[:n_outside]) - total)


def node_log_odds(joint: Floats, members: csr_array) -> Floats:
    """Score every node; minus infinity where no component belongs to it.

    Parameters
    ----------
    joint : array, (n_documents, n_components)
        Logarithms of joint chances.
    members : csr_array, (n_nodes, n_components)
        The components of the paths through each node.

    Examples
    --------
    >>> odds = node_log_odds(np.log([[0.6, 0.2, 0.2]]), csr_array([[1, 1, 0], [0, 0, 1], [0, 0, 0]]))
    >>> np.exp(odds).round(3)
    array([[4.  , 0.25, 0.  ]])
    """
    scores = np.empty((len(joint), members.shape[0]))
    fill_log_odds(joint, members.indices, members.indptr, scores)
    return settled(scores)


def settled(scores: Floats) -> Floats:
    """Put finite numbers in place of plus infinity: the highest score of the document, and at least `CERTAIN`.

    >>> settled(np.array([[np.inf, 50.0], [np.inf, 1.0]])).round(1)
    array([[50. , 50. ],
           [36.7,  1. ]])
    """
    certain = np.isposinf(scores)
    if not certain.any():
        return scores
    surest = np.where(certain, CERTAIN, scores).max(axis=1, keepdims=True)
    return np.where(certain, np.maximum(surest, CERTAIN), scores)


LIKELIEST = 700.0
"""What keeps a chance above 0 when its logarithm is taken back."""


class Sides(NamedTuple):
    """The components inside each node, `(n_nodes, n_components)`, and outside it: all others, where there is None."""

    inside: csr_array
    outside: csr_array | None


def odds_of_terms(log_prior: Floats, log_terms: Floats, sides: Sides, blocks: Sequence[Positions]) -> Iterator[Floats]:
    """Give the log-odds of every known term for each node of a block, 0 where a node has only one side.

    A side's chance of a term is the mean of its components', by how likely these are.

    >>> both = Sides(csr_array([[1, 0], [1, 1]]), None)
    >>> (odds,) = odds_of_terms(np.log([0.5, 0.5]), np.log([[0.75, 0.25], [0.25, 0.75]]), both, [np.array([0, 1])])
    >>> np.exp(odds).round(6)
    array([[3.      , 0.333333],
           [1.      , 1.      ]])
    """
    everything = np.ones((1, log_prior.size))
    total, prior = _summed(log_prior, log_terms, csr_array(everything)), np.exp(log_prior - logsumexp(log_prior))
    for nodes in blocks:
        inside = csr_array(sides.inside[nodes].astype(np.float64))
        within, share = _summed(log_prior, log_terms, inside), inside @ prior
        if sides.outside is None:
            without, rest = np.maximum(total - within, 0.0), 1.0 - share
        else:
            outside = csr_array(sides.outside[nodes].astype(np.float64))
            without, rest = _summed(log_prior, log_terms, outside), outside @ prior
        known = (np.diff(inside.indptr) > 0) & (rest > np.finfo(float).eps)
        found = np.zeros_like(within)
        least = np.exp(-LIKELIEST)
        odds = np.log(np.maximum(within[known], least)) - np.log(np.maximum(without[known], least))
        found[known] = odds - np.log(share[known] / rest[known])[:, None]
        yield found


def _summed(log_prior: Floats, log_terms: Floats, members: csr_array) -> Floats:
    """Give the chances of terms together with some components, summed: `(n_rows, n_known)`."""
    columns = np.unique(members.indices)
    scale = logsumexp(log_prior)
    found = np.zeros((members.shape[0], log_terms.shape[0]))
    for start in range(0, columns.size, 256):
        part = columns[start : start + 256]
        joint = np.exp(log_terms[:, part] + (log_prior[part] - scale))
        found += csr_array(members[:, part]) @ joint.T
    return found
