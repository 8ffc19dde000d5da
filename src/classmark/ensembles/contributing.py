"""Why a sum of parts is what it is: the weighted sum of the parts' own explanations."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.base import Contributions
from classmark.ensembles.scales import Scale
from classmark.strategies.parts import OverParts


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


def _placed(terms: csr_array, factors: Floats, columns: slice, width: int) -> csr_array:
    """Give the shares of a part's terms, each row times its factor, in the columns that the part has of the whole."""
    terms = csr_array(terms)
    data = terms.data * np.repeat(factors, np.diff(terms.indptr))
    return csr_array((data, terms.indices + columns.start, terms.indptr), shape=(terms.shape[0], width))
