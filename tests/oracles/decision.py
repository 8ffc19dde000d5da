"""Decisions with sets and loops, straight from their definitions."""

from collections.abc import Callable, Iterable, Set
from fractions import Fraction
from itertools import product
from math import exp, fsum, inf, isfinite, nextafter, sqrt

from tests.oracles import hierarchy as oracle
from tests.oracles.hierarchy import Edges


def f1_of(accepted: set[int], truth: list[bool]) -> Fraction:
    """F1, exactly, of accepting some examples."""
    hits = sum(truth[example] for example in accepted)
    return Fraction(2 * hits, len(accepted) + sum(truth))


def f1_at(scores: list[float], truth: list[bool], least: float) -> Fraction:
    """F1 of accepting every score that is not below the least."""
    return f1_of({example for example, score in enumerate(scores) if score >= least}, truth)


def runs(scores: Iterable[float]) -> list[list[float]]:
    """The known scores from the top down, those together that differ from their neighbour by rounding errors alone."""
    known = sorted((score for score in scores if isfinite(score)), reverse=True)
    rounding = 1e-12 * max(map(abs, known), default=0.0)
    found: list[list[float]] = []
    for score in known:
        if found and score >= found[-1][-1] - rounding:
            found[-1].append(score)
        else:
            found.append([score])
    return found


def f1_threshold(scores: list[float], truth: list[bool], brought: Set[int] = frozenset()) -> float:
    """Let in one score after another from the top down, equal ones together; a later one must be better to win.

    Examples that are brought are in before the first. The threshold is halfway to the next score, where a brought
    example counts as one more than the highest.
    """
    others = [score for example, score in enumerate(scores) if example not in brought]
    steps = runs([above_all(scores), *others] if brought else others)
    f1 = [
        f1_of({*brought, *(example for example, score in enumerate(scores) if score >= run[-1])}, truth)
        for run in steps
    ]
    best = f1.index(max(f1))
    lowest = steps[best][-1]
    return (lowest + (steps[best + 1][0] if best + 1 < len(steps) else lowest - 1)) / 2


def above_all(scores: list[float]) -> float:
    """What an example counts as that is in whatever it scores."""
    return max([0.0, *(score for score in scores if isfinite(score))]) + 1


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


def score_at_rank(scores: list[float], count: int, brought: Set[int] = frozenset()) -> float:
    """A threshold that lets so many in, those that are brought among them.

    They take the first places, and the best of the others what is left, equal ones all or none; where no place is left,
    nobody else comes in. It lies in the middle between the last that is in and the first that is not, where a brought
    example counts as one more than the highest; it is the first that is not where that one's equals had a place.
    """
    others = [score for example, score in enumerate(scores) if example not in brought]
    waiting = runs([*[above_all(scores)] * len(brought), *others])
    if not waiting:
        return 0.0
    last, free = None, count
    while waiting and len(waiting[0]) <= free:
        free -= len(waiting[0])
        last = waiting.pop(0)[-1]
    if not waiting:
        return nextafter(last, -inf)
    return waiting[0][0] if free > 0 or last is None else (last + waiting[0][0]) / 2


def bottom_up(
    columns: list[list[float]],
    children: list[list[int]],
    closing: bool,
    threshold_of: Callable[[int, set[int]], float],
) -> tuple[list[float], list[set[int]]]:
    """Every node's threshold, children first, and who is in it: whoever is above the threshold.

    If ancestors are brought, whoever is in a child is in as well; `threshold_of` takes a node and those.
    """
    thresholds: dict[int, float] = {}
    inside: dict[int, set[int]] = {}
    for node in reversed(range(len(columns))):
        brought = {document for child in children[node] for document in inside[child]} if closing else set()
        thresholds[node] = threshold_of(node, brought)
        above = {document for document, score in enumerate(columns[node]) if score > thresholds[node]}
        inside[node] = brought | above
    nodes = range(len(columns))
    return [thresholds[node] for node in nodes], [inside[node] for node in nodes]


def scut_threshold(
    scores: list[float],
    truth: list[bool],
    brought: set[int],
    common: float,
    settings: tuple[float, str, bool],
) -> float:
    """The best threshold of one node if it is good enough, halfway to P-cut's if steady, else the fallback."""
    fbr, fallback, steady = settings
    by_share = score_at_rank(scores, sum(truth), brought)
    known = {example for example, score in enumerate(scores) if isfinite(score)} | brought
    if any(truth[example] for example in known):
        own = f1_threshold(scores, truth, brought)
        if f1_of({*brought, *(example for example in known if scores[example] > own)}, truth) >= fbr:
            return (own + by_share) / 2 if steady else own
    if not known:
        return common
    return {"share": by_share, "highest": score_at_rank(scores, 0, brought), "global": common}[fallback]


def ranked(scores: dict[str, float], ends: list[str]) -> list[str]:
    """The ends that are known, the best first and the first of equals first."""
    return sorted((end for end in ends if isfinite(scores[end])), key=lambda end: (-scores[end], ends.index(end)))


def rcut(edges: Edges, scores: dict[str, float], ends: list[str], r: int) -> set[str]:
    return oracle.closed(edges, ranked(scores, ends)[:r])


def dscut(edges: Edges, scores: dict[str, float], ends: list[str], thresholds: list[Fraction]) -> set[str]:
    return oracle.closed(edges, dscut_of_ends(scores, ends, thresholds))


def dscut_of_ends(scores: dict[str, float], ends: list[str], thresholds: list[Fraction]) -> set[str]:
    """Divide by the best score, where it is positive, and go down the ranks until one falls short."""
    taken: list[str] = []
    for end, threshold in zip(ranked(scores, ends), thresholds, strict=False):
        best = Fraction(scores[taken[0]]) if taken else None
        if best is not None and (best <= 0 or Fraction(scores[end]) / best < threshold):
            break
        taken.append(end)
    return set(taken)


def cosine(found: set[str], truth: set[str]) -> float:
    """The paper's accuracy of one document; 0 where one of the two sets is empty."""
    return len(found & truth) / sqrt(len(found) * len(truth)) if found and truth else 0.0


def tuned_dscut(
    scores: list[dict[str, float]], truths: list[set[str]], ends: list[str], grid: list[Fraction], most: int
) -> tuple[Fraction, ...]:
    """Try every number of labels and every combination of thresholds; of equals the fewest, then the highest."""
    means = {}
    for number in range(1, min(most, len(ends)) + 1):
        for rest in product(sorted(grid, reverse=True), repeat=number - 1):
            thresholds = [Fraction(1), *rest]
            answers = [dscut_of_ends(row, ends, thresholds) for row in scores]
            means[tuple(thresholds)] = fsum(map(cosine, answers, truths)) / len(scores)
    best = max(means.values())
    return next(thresholds for thresholds, mean in means.items() if mean >= best - 1e-9)


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
