"""Decisions with sets and loops, straight from their definitions."""

from collections.abc import Callable
from fractions import Fraction
from math import exp, inf, isfinite, nextafter

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


def average_confidence(edges: Edges, margins: dict[str, float]) -> set[str]:
    """Let each class above 0 and its ancestors vote, unless all of them are above 0 anyway."""
    kept = set()
    for label, margin in margins.items():
        voters = oracle.ancestors(edges, label)
        consistent = all(margins[voter] > 0 for voter in voters)
        if margin > 0 and (consistent or sum(margins[voter] for voter in voters) / len(voters) > 0):
            kept |= voters
    return kept


CONSISTENCY_OF_MARGINS = {
    "filter": lambda edges, margins: filter_topdown(edges, {label for label in margins if margins[label] > 0}),
    "close": lambda edges, margins: close_upward(edges, {label for label in margins if margins[label] > 0}),
    "average": average_confidence,
}


def score_at_rank(scores: list[float], count: int) -> float:
    """The middle between the last score that is let in and the first that is not; equal ones stay outside."""
    known = sorted((score for score in scores if isfinite(score)), reverse=True)
    if not known:
        return 0.0
    inside, outside = known[: max(0, count)], known[max(0, count) :]
    if not inside:
        return outside[0]
    return (inside[-1] + outside[0]) / 2 if outside else nextafter(inside[-1], -inf)


def bottom_up(
    columns: list[list[float]],
    children: list[list[int]],
    closing: bool,
    threshold_of: Callable[[int, list[float]], float],
) -> list[float]:
    """Children first; documents that an accepted child brings are put above all others, if ancestors are brought."""
    thresholds: dict[int, float] = {}
    inside: dict[int, set[int]] = {}
    for node in reversed(range(len(columns))):
        brought = {document for child in children[node] for document in inside[child]} if closing else set()
        top = max([0.0, *(score for score in columns[node] if isfinite(score))]) + 1
        column = [top if document in brought else score for document, score in enumerate(columns[node])]
        thresholds[node] = threshold_of(node, column)
        inside[node] = {document for document, score in enumerate(column) if score > thresholds[node]}
    return [thresholds[node] for node in range(len(columns))]


def scut_threshold(
    scores: list[float], truth: list[bool], common: float, fbr: float, fallback: str, steady: bool
) -> float:
    """The best threshold of one node if it is good enough, halfway to P-cut's if steady, else the fallback."""
    by_share = score_at_rank(scores, sum(truth))
    if any(t and isfinite(s) for s, t in zip(scores, truth, strict=True)):
        own = f1_threshold(scores, truth)
        if f1_of(scores, truth, min(s for s in scores if s > own)) >= fbr:
            return (own + by_share) / 2 if steady else own
    if not any(map(isfinite, scores)):
        return common
    return {"share": by_share, "highest": score_at_rank(scores, 0), "global": common}[fallback]


def ranked(scores: dict[str, float], ends: list[str]) -> list[str]:
    """The ends that are known, the best first and the first of equals first."""
    return sorted((end for end in ends if isfinite(scores[end])), key=lambda end: (-scores[end], ends.index(end)))


def rcut(edges: Edges, scores: dict[str, float], ends: list[str], r: int) -> set[str]:
    return oracle.closed(edges, ranked(scores, ends)[:r])


def dscut(edges: Edges, scores: dict[str, float], ends: list[str], thresholds: list[Fraction]) -> set[str]:
    """Divide by the best score, where it is positive, and go down the ranks until one falls short."""
    taken: list[str] = []
    for end, threshold in zip(ranked(scores, ends), thresholds, strict=False):
        best = Fraction(scores[taken[0]]) if taken else None
        if best is not None and (best <= 0 or Fraction(scores[end]) / best < threshold):
            break
        taken.append(end)
    return oracle.closed(edges, taken)


def node_chances(edges: Edges, scores: dict[str, float], ends: list[str], temperature: float) -> dict[str, float]:
    """Share 1 among the ends in proportion to exp(score / temperature); a node has what lies at or below it."""
    highest = max(scores[end] for end in ends)
    powers = {end: exp((scores[end] - highest) / temperature) if isfinite(highest) else 1.0 for end in ends}
    total = sum(powers.values())
    return {node: sum(powers[end] / total for end in ends if node in oracle.ancestors(edges, end)) for node in scores}


def back_off(edges: Edges, chances: dict[str, float], end: str, confidence: float, to: str) -> set[str]:
    """Cut the path to an end where it is not sure, or drop it."""
    path = oracle.ancestors(edges, end)
    if to == "nothing":
        return path if chances[end] >= confidence else set()
    return {node for node in path if chances[node] >= confidence}


def worth(edges: Edges, chances: dict[str, float], node: str, cost: float) -> float:
    """What the path to a node wins in expectation, each node of it twice its chance, less what it costs."""
    return sum(2 * chances[one] - cost for one in oracle.ancestors(edges, node))
