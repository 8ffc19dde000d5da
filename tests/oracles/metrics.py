"""The measures with sets and loops, straight from their formulas."""

from collections.abc import Iterable
from statistics import fmean

from scipy.sparse import csr_array

from classmark import Hierarchy

Sets = list[set[int]]
Triple = tuple[float, float, float]


def sets_of(indicator: csr_array) -> Sets:
    return [{node for node, label in enumerate(row) if label} for row in indicator.toarray().tolist()]


def with_ancestors(nodes: Iterable[int], hierarchy: Hierarchy) -> set[int]:
    """Walk up from each node by its parents; the root is no node, so it never gets in."""
    closed: set[int] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        closed.add(node)
        waiting += [int(parent) for parent in hierarchy.parent_positions(node)]
    return closed


def divide(numerator: float, denominator: float, zero_division: float) -> float:
    return numerator / denominator if denominator else zero_division


def precision_recall_f(tp: int, predicted: int, true: int, beta: float, zero_division: float) -> Triple:
    """hP, hR and hF of section 6; hF is 0/0 where hP and hR are, or where hP is and beta is 0."""
    precision = divide(tp, predicted, zero_division)
    recall = divide(tp, true, zero_division)
    if predicted == 0 and (true == 0 or beta == 0):
        return precision, recall, zero_division
    if precision * recall == 0:
        return precision, recall, 0.0
    return precision, recall, (beta**2 + 1) * precision * recall / (beta**2 * precision + recall)


def micro(true: Sets, predicted: Sets, n_nodes: int, beta: float, zero_division: float) -> Triple:
    tp = sum(len(t & p) for t, p in zip(true, predicted, strict=True))
    return precision_recall_f(tp, sum(map(len, predicted)), sum(map(len, true)), beta, zero_division)


def macro(true: Sets, predicted: Sets, n_nodes: int, beta: float, zero_division: float) -> Triple:
    triples = []
    for node in range(n_nodes):
        having = {document for document, labels in enumerate(true) if node in labels}
        given = {document for document, labels in enumerate(predicted) if node in labels}
        triples.append(precision_recall_f(len(having & given), len(given), len(having), beta, zero_division))
    return _means(triples)


def instance(true: Sets, predicted: Sets, n_nodes: int, beta: float, zero_division: float) -> Triple:
    pairs = zip(true, predicted, strict=True)
    return _means([precision_recall_f(len(t & p), len(p), len(t), beta, zero_division) for t, p in pairs])


def _means(triples: list[Triple]) -> Triple:
    precisions, recalls, fs = zip(*triples, strict=True)
    return fmean(precisions), fmean(recalls), fmean(fs)


AVERAGES = {"micro": micro, "macro": macro, "instance": instance}


def hierarchical(
    true: csr_array,
    predicted: csr_array,
    hierarchy: Hierarchy,
    average: str,
    beta: float,
    zero_division: float,
) -> Triple:
    closed_true = [with_ancestors(nodes, hierarchy) for nodes in sets_of(true)]
    closed_predicted = [with_ancestors(nodes, hierarchy) for nodes in sets_of(predicted)]
    return AVERAGES[average](closed_true, closed_predicted, len(hierarchy), beta, zero_division)


def consistency(predicted: csr_array, hierarchy: Hierarchy) -> float:
    return fmean(nodes == with_ancestors(nodes, hierarchy) for nodes in sets_of(predicted))


def first(true: csr_array, best: list[int], hierarchy: Hierarchy) -> dict[str, float]:
    """Accuracy and hF of one category a document, -1 for none, where there is a true label."""
    hits, closed_true, closed_best = 0, [], []
    for labels, node in zip(sets_of(true), best, strict=True):
        if labels:
            above = set().union(*(with_ancestors([label], hierarchy) - {label} for label in labels))
            hits += node in labels - above
            closed_true.append(with_ancestors(labels, hierarchy))
            closed_best.append(with_ancestors([node] if node >= 0 else [], hierarchy))
    hf = micro(closed_true, closed_best, len(hierarchy), beta=1.0, zero_division=0.0)[2]
    return {"accuracy": divide(hits, len(closed_true), 0.0), "hf": hf}


def distance(one: int, other: int, hierarchy: Hierarchy) -> int:
    """The number of edges between two nodes of a tree, perhaps by way of the root."""
    return len(with_ancestors([one], hierarchy) ^ with_ancestors([other], hierarchy))
