"""The shares of terms in the score of a category."""

from collections import defaultdict
from typing import NamedTuple

from classmark.answers import Answers
from classmark.pipeline import TextClassifier


class Shares(NamedTuple):
    """The shares of terms in a score, what is left of it, and which of the terms the document does not have."""

    terms: dict[str, float]
    bias: float
    absent: set[str]

    @property
    def score(self) -> float:
        """The score, which they sum to."""
        return sum(self.terms.values()) + self.bias


def largest(shares: dict[str, float], top: int) -> list[tuple[str, float]]:
    """Give the largest shares by absolute value, those of 0 left out.

    >>> largest({"a": 1.0, "b": -2.0, "c": 0.0}, 2)
    [('b', -2.0), ('a', 1.0)]
    """
    order = sorted(shares.items(), key=lambda pair: -abs(pair[1]))
    return [(term, share) for term, share in order[:top] if share]


def shares_by_terms(model: TextClassifier, answer: Answers, nodes: list[int]) -> list[Shares]:
    """Give what every term adds to the scores of nodes for one document."""
    vocabulary = model.vectoriser_.vocabulary_
    present = {vocabulary[column] for column in answer.X.indices}
    found = []
    for node in nodes:
        terms, bias = answer.contributions(node)
        shares = defaultdict[str, float](float)
        # Parts that read in different ways may know the same term.
        for column, share in zip(terms.indices, terms.data, strict=True):
            shares[vocabulary[column]] += float(share)
        found.append(Shares(dict(shares), float(bias[0]), shares.keys() - present))
    return found
