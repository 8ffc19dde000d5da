"""Candidates and the features of pairs with lists and loops."""

from itertools import chain
from math import inf, log1p, nan

from classmark import Hierarchy

Table = list[list[float]]


def candidates(parts: list[list[float]], ends: list[int], count: int, most: int) -> list[int]:
    """The candidates of one document: rank by rank, part by part, each once, as many as there is room for."""
    ranked = [sorted(ends, key=lambda end: -scores[end])[:count] for scores in parts]
    found: list[int] = []
    for rank in range(min(count, len(ends))):
        for scores, best in zip(parts, ranked, strict=True):
            if scores[best[rank]] > -inf and best[rank] not in found and len(found) < most:
                found.append(best[rank])
    return sorted(found)


def of_a_part(own: list[float], nodes: list[float], found: list[int], node: int, hierarchy: Hierarchy) -> list[float]:
    """Score, margin, rank and parent of one pair."""
    above = [nodes[parent] for parent in hierarchy.parent_positions(node)]
    parent = max(above, default=-inf)
    parent = parent if parent > -inf else nan
    if own[node] == -inf:
        return [nan, nan, nan, parent]
    others = [own[other] for other in found if other != node and own[other] > -inf]
    margin = own[node] - max(others) if others else nan
    return [own[node], margin, log1p(sum(other > own[node] for other in others)), parent]


def siblings(hierarchy: Hierarchy, node: int) -> int:
    """How many others have a parent in common with a node, or are at the top as it is."""
    parents = [set(hierarchy.parent_positions(other).tolist()) for other in range(len(hierarchy))]
    return sum(bool(parents[node] & one) or not (parents[node] or one) for one in parents) - 1


def of_a_node(hierarchy: Hierarchy, labels: list[set[int]], node: int) -> list[float]:
    """Frequency, closed frequency, depth and siblings of a node, given the own labels of the documents learned from."""
    below = {other for other in range(len(hierarchy)) if hierarchy.ancestors[other, node]}
    own, closed = sum(node in one for one in labels), sum(bool(below & one) for one in labels)
    return [log1p(own), log1p(closed), float(hierarchy.levels[node]), float(siblings(hierarchy, node))]


def of_a_document(parts: list[tuple[list[float], list[float]]], found: list[int], about: Table, h: Hierarchy) -> Table:
    """The features of all pairs of one document."""
    rows: Table = []
    for node in found:
        each = [of_a_part(own, nodes, found, node, h) for own, nodes in parts]
        known = [own[node] for own, _ in parts if own[node] > -inf]
        mean = sum(known) / len(known) if known else nan
        firsts = sum(rank == 0 for _, _, rank, _ in each)
        rows.append([*chain.from_iterable(each), mean, float(firsts), *about[node], float(len(found))])
    return rows
