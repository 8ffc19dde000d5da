"""The shares of terms in the score of a category."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from classmark.answers import Answers
from classmark.pipeline import TextClassifier
from classmark.text.vectoriser import Document


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


MOST_OMISSIONS = 64
"""How many times a text is encoded to explain a category: more words than that are left out some at a time."""
WORD = re.compile(r"\S+")


def runs_of(text: str) -> list[list[re.Match[str]]]:
    """Give the words of a text, as many of them together as are left out at a time.

    >>> [[word[0] for word in words] for words in runs_of("who hoots")]
    [['who'], ['hoots']]
    """
    words = list(WORD.finditer(text))
    size = -(-len(words) // MOST_OMISSIONS) or 1
    return [words[start : start + size] for start in range(0, len(words), size)]


def shares_by_omission(model: TextClassifier, document: Document, answer: Answers, nodes: list[int]) -> list[Shares]:
    """Give every word what the score loses without it, a run of words where there are many of them.

    The losses need not sum to the score: words share what they say. The rest is what no single word makes.
    """
    runs = [[word[0] for word in run] for run in runs_of(str(*model.text_.prepared([document])))]
    without = [
        " ".join(word for run in (*runs[:place], *runs[place + 1 :]) for word in run) for place in range(len(runs))
    ]
    shortened = list(model.classifier_.answers(model.transform(without)))
    left_out = [" ".join(run) for run in runs]
    return [_lost(float(_column([answer], node)[0]), left_out, _column(shortened, node)) for node in nodes]


def _lost(score: float, left_out: Sequence[str], rests: npt.NDArray[np.float64]) -> Shares:
    """Give what a score loses without each of the words; the same words may have been left out twice."""
    shares = defaultdict[str, float](float)
    # Nothing was learned about a category that scores minus infinity, with any word or without.
    for run, rest in zip(left_out, rests.tolist(), strict=True) if np.isfinite(score) else ():
        shares[run] += score - rest
    return Shares(dict(shares), score - sum(shares.values()), set())


def _column(batches: list[Answers], node: int) -> npt.NDArray[np.float64]:
    """Give the scores of one node for all documents."""
    found = (batch.scores(np.arange(len(batch)), np.full(len(batch), node)) for batch in batches)
    return np.concatenate([np.empty(0), *found])
