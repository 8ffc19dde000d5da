"""Which terms speak for a node: those that are likelier in its documents than in those it is told from."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import logsumexp

from classmark.answers import Positions
from classmark.arrays import Floats

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
