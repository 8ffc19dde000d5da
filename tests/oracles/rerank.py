"""A second look at candidates, with lists and loops over documents, candidates and trees."""

from math import exp, inf, isnan, log, log1p

from classmark import Hierarchy
from classmark.ensembles.trees import Trees
from tests.oracles import pairs

Row = list[float]


def sum_of_trees(trees: Trees, features: Row) -> float:
    """Go down every tree, and add up the leaves."""
    total = trees.baseline
    for root in trees.starts[:-1].tolist():
        node = root
        while trees.nodes.features[node] != -1:
            value = features[trees.nodes.features[node]]
            left = bool(trees.nodes.missing_left[node]) if isnan(value) else value <= trees.nodes.thresholds[node]
            node = int((trees.nodes.left if left else trees.nodes.right)[node])
        total += float(trees.nodes.values[node])
    return total


def own_scores(
    raw: list[tuple[Row, Row]],
    scaled: list[tuple[Row, Row]],
    blended: Row,
    ends: list[int],
    bounds: tuple[int, int],
    trees: Trees,
    about: list[Row],
    hierarchy: Hierarchy,
) -> tuple[Row, list[int]]:
    """The scores of one document's own labels, and its candidates; parts are pairs of own and node scores."""
    found = pairs.candidates([own for own, _ in raw], ends, *bounds)
    rows = pairs.of_a_document(scaled, found, about, hierarchy)
    odds = {node: sum_of_trees(trees, row) for node, row in zip(found, rows, strict=True)}
    lowest = min(odds.values(), default=trees.baseline)
    best = max(blended[end] for end in ends)
    scores = [-inf] * len(hierarchy)
    for end in ends:
        known = any(own[end] > -inf for own, _ in raw) or not found
        scores[end] = odds.get(end, lowest - 1 - (best - blended[end]) if known else -inf)
    return scores, found


def node_score(own: Row, found: list[int], hierarchy: Hierarchy, node: int) -> float:
    """The log-odds that any candidate at or below a node is right, or the best other score."""
    below = [other for other in range(len(hierarchy)) if hierarchy.ancestors[other, node]]
    candidates = [other for other in below if other in found]
    if not candidates:
        return max(own[other] for other in below)
    none_right = sum(-log1p(exp(own[other])) for other in candidates)
    return log(1 - exp(none_right)) - none_right
