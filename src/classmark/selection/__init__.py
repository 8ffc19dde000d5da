"""Which terms are worth keeping.

`scores` measures how much a term says about a category, from four counts; `GLOBALISATIONS` turns a term's scores for
all categories into one ranking (maximum, weighted mean, Forman's round robin); `select` is the scikit-learn transformer
that keeps the best terms, for all categories together (the *global* policy) or for the children of one node alone
(*glocal*). Not selecting is the *full* policy.
"""

from classmark.selection.scores import GLOBALISATIONS, SCORES, PairScores, score_pairs
from classmark.selection.select import TermSelector, format_selection, parse_selection, select_per_node

__all__ = [
    "GLOBALISATIONS",
    "SCORES",
    "PairScores",
    "TermSelector",
    "format_selection",
    "parse_selection",
    "score_pairs",
    "select_per_node",
]
