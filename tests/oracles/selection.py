"""Term selection with loops and whole tables, straight from the definitions."""

from fractions import Fraction
from math import log
from typing import Any

Table = list[list[float]]
"""Scores with a row for each term and a column for each category."""


def table(presence: list[list[Any]], labels: list[list[Any]], term: int, category: int) -> list[list[int]]:
    """Count documents: with the term and without it, in the category and outside it."""
    counts = [[0, 0], [0, 0]]
    for words, positive in zip(presence, labels, strict=True):
        counts[0 if words[term] else 1][0 if positive[category] else 1] += 1
    return counts


def information_gain(counts: list[list[int]]) -> float:
    """Sum P(t, c) · ln(P(t, c) / (P(t) · P(c))) over the four cells, an empty one adding nothing."""
    total = sum(map(sum, counts))
    gain = 0.0
    for row in (0, 1):
        for column in (0, 1):
            joint = Fraction(counts[row][column], total)
            term = Fraction(sum(counts[row]), total)
            category = Fraction(counts[0][column] + counts[1][column], total)
            if joint:
                gain += float(joint) * log(joint / (term * category))
    return gain


def chi_square(counts: list[list[int]]) -> float:
    """Equation 9 of adaboost_mh_kr_2000 in probabilities, 0 where it divides by 0."""
    total = sum(map(sum, counts))
    (both, term_alone), (category_alone, neither) = (
        [Fraction(counts[row][column], total) for column in (0, 1)] for row in (0, 1)
    )
    term, category = both + term_alone, both + category_alone
    spread = term * (1 - term) * category * (1 - category)
    return float(total * (both * neither - term_alone * category_alone) ** 2 / spread) if spread else 0.0


def odds_ratio(counts: list[list[int]]) -> float:
    (both, term_alone), (category_alone, neither) = [[count + Fraction(1, 2) for count in row] for row in counts]
    return log((both / category_alone) / (term_alone / neither))


def document_frequency(counts: list[list[int]]) -> float:
    return float(sum(counts[0]))


SCORES = {
    "information-gain": information_gain,
    "chi-square": chi_square,
    "odds-ratio": odds_ratio,
    "document-frequency": document_frequency,
}


def scores(presence: list[list[Any]], labels: list[list[Any]], name: str) -> Table:
    """Score every pair by counting it."""
    n_terms, n_categories = len(presence[0]), len(labels[0])
    return [
        [SCORES[name](table(presence, labels, term, category)) for category in range(n_categories)]
        for term in range(n_terms)
    ]


def ranking(values: list[float]) -> list[int]:
    """Positions from the highest value to the lowest; the first of equals first."""
    return sorted(range(len(values)), key=lambda position: (-values[position], position))


def maximum(of: Table) -> list[float]:
    return [max(row) for row in of]


def weighted_mean(of: Table, sizes: list[float]) -> list[float]:
    """Average a term's scores, a category counting as often as it has documents."""
    total = max(1.0, sum(sizes))
    return [sum(score * size for score, size in zip(row, sizes, strict=True)) / total for row in of]


def best_of_category(of: Table, category: int, count: int) -> list[int]:
    return ranking([row[category] for row in of])[:count]


def round_robin(of: Table, per_category: int) -> list[int]:
    """Let the categories pick in turn; a term that was picked before is not listed twice."""
    picked: list[int] = []
    for rank in range(per_category):
        for category in range(len(of[0])):
            best = best_of_category(of, category, rank + 1)
            if len(best) > rank and best[rank] not in picked:
                picked.append(best[rank])
    return picked
