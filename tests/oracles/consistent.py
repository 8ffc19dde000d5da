"""The global approach and its relatives, straight from their definitions: sets, loops and brute force."""

from collections.abc import Iterable
from itertools import chain, combinations
from math import exp, inf, isfinite, log

from tests.oracles import hierarchy as oracle
from tests.oracles.hierarchy import Edges


def minimum(edges: Edges, margins: dict[str, float]) -> set[str]:
    """Keep a class above 0 where the lowest of it and its ancestors is above 0."""
    return {label for label in margins if min(margins[one] for one in oracle.ancestors(edges, label)) > 0}


def chance(margin: float) -> float:
    return 1 / (1 + exp(-margin)) if isfinite(margin) else 0.0


def product(edges: Edges, margins: dict[str, float]) -> set[str]:
    """Keep a class where its chance times those of all its ancestors is above one half."""
    kept = set()
    for label in margins:
        together = 1.0
        for one in oracle.ancestors(edges, label):
            together *= chance(margins[one])
        if together > 0.5:
            kept.add(label)
    return kept


def consistent_sets(edges: Edges, labels: Iterable[str]) -> list[set[str]]:
    """Every set that holds all ancestors of its labels, the empty one first."""
    names = sorted(labels)
    subsets = chain.from_iterable(combinations(names, size) for size in range(len(names) + 1))
    return [set(one) for one in subsets if oracle.closed(edges, one) == set(one)]


def log_likelihood(margins: dict[str, float], chosen: set[str]) -> float:
    """Σ log p inside the set + Σ log(1 − p) outside it."""
    total = 0.0
    for label, margin in margins.items():
        p = chance(margin) if label in chosen else 1 - chance(margin)
        total += log(p) if p > 0 else -inf
    return total


def best_likelihood(edges: Edges, margins: dict[str, float]) -> float:
    return max(log_likelihood(margins, one) for one in consistent_sets(edges, margins))


def tree_distance(edges: Edges, first: str | None, second: str | None) -> int:
    """Edges on the way up from both to a common ancestor and the root; None is the root."""

    def up(label: str | None) -> dict[str | None, int]:
        steps: dict[str | None, int] = {label: 0}
        frontier: list[str | None] = [label]
        while frontier:
            one = frontier.pop(0)
            for parent in [p for p, c in edges if c == one] if one is not None else []:
                if steps.get(parent, inf) > steps[one] + 1:
                    steps[parent] = steps[one] + 1
                    frontier.append(parent)
        return steps

    left, right = up(first), up(second)
    return min(left[one] + right[one] for one in left if one in right)


def shared_ancestors(edges: Edges, first: str, second: str | None) -> int:
    """How many ancestors both have: the root is one, a category is not its own."""
    if second is None:
        return 0
    strict = [oracle.ancestors(edges, label) - {label} | {"ROOT"} for label in (first, second)]
    return len(strict[0] & strict[1])


def hierarchy_costs(edges: Edges, category: str, documents: list[list[str]], cost: str, growth: float) -> list[float]:
    """The cost of every document in the learning of a category, by the words of the paper."""
    places = [labels or [None] for labels in documents]
    positive = [category in labels for labels in documents]
    gammas = [min(tree_distance(edges, category, one) for one in place) for place in places]
    alphas = [max(shared_ancestors(edges, category, one) for one in place) for place in places]
    pairs = list(zip(positive, gammas, alphas, strict=True))
    return {
        "none": [1.0 for _ in pairs],
        "tree-distance": [float(max(gammas) if yes else gamma) for yes, gamma, _ in pairs],
        "exponentiated-tree-distance": [growth ** (max(gammas) if yes else gamma) for yes, gamma, _ in pairs],
        "common-ancestors": [float(max(alphas) + 1 if yes else max(alphas) - alpha + 1) for yes, _, alpha in pairs],
    }[cost]


def imbalance_costs(documents: list[list[str]], imbalance: float, few: float) -> list[float]:
    counts = {label: sum(label in labels for labels in documents) for labels in documents for label in labels}
    return [
        1 + imbalance / (1 + exp(max(min(counts[label] for label in labels) - few, 0))) if labels else 1.0
        for labels in documents
    ]


def monotone(edges: Edges, chances: dict[str, float]) -> dict[str, float]:
    """Halfway between the lowest of a class's ancestors and the highest of its descendants, itself among both."""
    result = {}
    for label in chances:
        lowest = min(chances[one] for one in oracle.ancestors(edges, label))
        highest = max(chances[one] for one in chances if label in oracle.ancestors(edges, one))
        result[label] = (lowest + highest) / 2
    return result
