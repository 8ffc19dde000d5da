"""Why a sum of parts is what it is: the weighted sum of the parts' own explanations."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from classmark.answers import Matrix, Positions
from classmark.arrays import Floats
from classmark.base import Contributions
from classmark.ensembles.scales import Scale
from classmark.errors import InputError
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
