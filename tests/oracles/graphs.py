"""Distances and lowest common ancestors by walking, straight from their definitions."""

from statistics import fmean

from scipy.sparse import csr_array

from classmark import Hierarchy
from tests.oracles.metrics import Triple, divide, sets_of, with_ancestors

Link = tuple[int, int, int]


def parents_of(node: int, hierarchy: Hierarchy) -> list[int]:
    """Above a top-level category is the root, which stands behind all nodes; above the root is nothing."""
    root = len(hierarchy)
    return [] if node == root else [int(p) for p in hierarchy.parent_positions(node)] or [root]


def level(node: int, hierarchy: Hierarchy) -> int:
    return max((1 + level(parent, hierarchy) for parent in parents_of(node, hierarchy)), default=0)


def steps_up(node: int, hierarchy: Hierarchy) -> dict[int, int]:
    """Breadth first: the steps to every ancestor, the node itself and the root included."""
    steps = {node: 0}
    for current in (queue := [node]):
        for parent in parents_of(current, hierarchy):
            if parent not in steps:
                steps[parent] = steps[current] + 1
                queue.append(parent)
    return steps


def meet(one: int, other: int, hierarchy: Hierarchy) -> tuple[int, int]:
    """The distance and the ancestor where the way turns: nearest, then deepest, then first."""
    ups, others = steps_up(one, hierarchy), steps_up(other, hierarchy)
    choices = [(ups[c] + others[c], -level(c, hierarchy), c) for c in ups if c in others]
    return min(choices)[0], min(choices)[2]


def way(node: int, top: int, hierarchy: Hierarchy) -> set[int]:
    """The shortest way up, at each step by the first parent that lies on one."""
    if node == top:
        return {node}
    left = steps_up(node, hierarchy)[top]
    on_way = [p for p in parents_of(node, hierarchy) if steps_up(p, hierarchy).get(top) == left - 1]
    return {node} | way(min(on_way), top, hierarchy)


def own_sets(indicator: csr_array, hierarchy: Hierarchy) -> list[set[int]]:
    result = []
    for labels in sets_of(indicator):
        above = set().union(*(with_ancestors([label], hierarchy) - {label} for label in labels))
        result.append(labels - above)
    return result


def distance_error(true: csr_array, predicted: csr_array, hierarchy: Hierarchy) -> float:
    errors = []
    for one, other in zip(own_sets(true, hierarchy), own_sets(predicted, hierarchy), strict=True):
        t, p = one or {len(hierarchy)}, other or {len(hierarchy)}
        forth = fmean(min(meet(a, b, hierarchy)[0] for b in p) for a in t)
        back = fmean(min(meet(a, b, hierarchy)[0] for a in t) for b in p)
        errors.append((forth + back) / 2)
    return fmean(errors)


def links_of(label: int, others: set[int], hierarchy: Hierarchy) -> tuple[int, int]:
    """The nearest other label, and where the two meet."""
    choices = []
    for other in others:
        distance, top = meet(label, other, hierarchy)
        choices.append((distance, -level(top, hierarchy), other, top))
    return min(choices)[2:]


def lca_document(true: set[int], predicted: set[int], hierarchy: Hierarchy) -> tuple[set[int], set[int]]:
    """The two graphs of a document."""
    in_true, in_predicted = set(true), set(predicted)
    links: set[Link] = set()
    if true and predicted:
        links |= {(t, *links_of(t, predicted, hierarchy)) for t in true}
        links |= {(links_of(p, true, hierarchy)[0], p, links_of(p, true, hierarchy)[1]) for p in predicted}
    for t, p, top in links:
        in_true |= way(t, top, hierarchy)
        in_predicted |= way(p, top, hierarchy)
    return in_true, in_predicted


def lca(true: csr_array, predicted: csr_array, hierarchy: Hierarchy, zero_division: float) -> Triple:
    triples = []
    for one, other in zip(own_sets(true, hierarchy), own_sets(predicted, hierarchy), strict=True):
        t, p = lca_document(one, other, hierarchy)
        shared = len(t & p)
        f = divide(2 * shared, len(t) + len(p), zero_division)
        triples.append((divide(shared, len(p), zero_division), divide(shared, len(t), zero_division), f))
    precisions, recalls, fs = zip(*triples, strict=True)
    return fmean(precisions), fmean(recalls), fmean(fs)
