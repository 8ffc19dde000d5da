"""Decisions with sets and loops, straight from their definitions."""

from fractions import Fraction
from math import isfinite

from tests.oracles import hierarchy as oracle
from tests.oracles.hierarchy import Edges


def f1_of(scores: list[float], truth: list[bool], least: float) -> Fraction:
    """F1, exactly, of accepting every score that is not below the least."""
    accepted = [score >= least for score in scores]
    hits = sum(a and t for a, t in zip(accepted, truth, strict=True))
    return Fraction(2 * hits, sum(accepted) + sum(truth))


def f1_threshold(scores: list[float], truth: list[bool]) -> float:
    """Try each different score from the top down; a later one must be better to win."""
    tried = sorted({score for score in scores if isfinite(score)}, reverse=True)
    best = max(tried, key=lambda least: f1_of(scores, truth, least))
    below = [score for score in tried if score < best]
    return (best + (below[0] if below else best - 1)) / 2


def filter_topdown(edges: Edges, accepted: set[str]) -> set[str]:
    return {label for label in accepted if oracle.ancestors(edges, label) <= accepted}


def close_upward(edges: Edges, accepted: set[str]) -> set[str]:
    return oracle.closed(edges, accepted)


CONSISTENCY = {"filter": filter_topdown, "close": close_upward}
