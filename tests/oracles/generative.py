"""Mixtures of multinomials with loops over dense lists, equation by equation of path_prediction_2019."""

from math import exp, log

from classmark import Hierarchy

Matrix = list[list[float]]


def paths_of(tree: Hierarchy, ends: list[int]) -> list[list[int]]:
    """The nodes of each path from the top, its end repeated down to the depth of the deepest (section 3)."""
    found = [[tree.position(name) for name in tree.path(tree.names[end])] for end in ends]
    depth = max(map(len, found))
    return [path + [path[-1]] * (depth - len(path)) for path in found]


def node_score(tree: Hierarchy, own: list[int], node: int) -> float:
    """S_i(c): the share of the own labels at or below a node."""
    name = tree.names[node]
    return sum(name in tree.path(tree.names[label]) for label in own) / len(own)


def path_scores(tree: Hierarchy, ends: list[int], own: list[int], weights: list[float]) -> list[float]:
    """S_ij by Equation 2."""
    return [
        sum(weight * node_score(tree, own, node) for weight, node in zip(weights, path, strict=True))
        for path in paths_of(tree, ends)
    ]


def flat_scores(tree: Hierarchy, ends: list[int], own: list[int]) -> list[float]:
    """The share of each end, a label above several ends divided among them."""
    shares = [0.0] * len(ends)
    for label in own:
        reached = [j for j, end in enumerate(ends) if tree.names[label] in tree.path(tree.names[end])]
        for j in reached:
            shares[j] += 1 / len(own) / len(reached)
    return shares


def padded_path(tree: Hierarchy, end: int) -> list[int]:
    """The nodes from the top to an end, the end again as dummies down to the last depth of the tree (section 3)."""
    path = [tree.position(name) for name in tree.path(tree.names[end])]
    return path + path[-1:] * (tree.depth - len(path))


def level_path_scores(tree: Hierarchy, ends: list[int], labels: list[int]) -> list[float]:
    """S_ij by Equation 2 from a label for each depth, which may disagree: how many of them are on each path."""
    return [float(sum(a == b for a, b in zip(labels, padded_path(tree, end), strict=True))) for end in ends]


def chance_of_path(path: list[int], paths: list[list[int]], pairs: list[list[int]], smoothing: float) -> float:
    """p(top) · p(child | parent) · …, each from the documents that have both as labels of their depths."""
    chance = 1.0
    for k, node in enumerate(path):
        siblings = {other[k] for other in paths if other[:k] == path[:k]}
        counts = {
            one: sum(labels[k] == one and (k == 0 or labels[k - 1] == path[k - 1]) for labels in pairs)
            for one in siblings
        }
        chance *= (smoothing + counts[node]) / (smoothing * len(siblings) + sum(counts.values()))
    return chance


def estimate(X: Matrix, S: Matrix, known: list[bool], smoothing: float) -> tuple[list[float], Matrix]:
    """P(p_j) by Equation 6 and P(w_t | p_j) by Equation 7, 0 for unknown terms."""
    classes, terms = range(len(S[0])), range(len(X[0]))
    totals = [sum(row[j] for row in S) for j in classes]
    prior = [(smoothing + totals[j]) / (smoothing * len(totals) + sum(totals)) for j in classes]
    theta = []
    for j in classes:
        counts = [sum(s[j] * x[t] for s, x in zip(S, X, strict=True)) if known[t] else 0.0 for t in terms]
        below = smoothing * sum(known) + sum(counts)
        theta.append([(smoothing + counts[t]) / below if known[t] else 0.0 for t in terms])
    return prior, theta


def log_joint(x: list[float], prior: list[float], theta: Matrix) -> list[float]:
    """The logarithm of the numerator of Equation 5, for every path."""
    return [
        log(p) + sum(count * log(chance) for count, chance in zip(x, row, strict=True) if count and chance)
        for p, row in zip(prior, theta, strict=True)
    ]


def log_sum(values: list[float]) -> float:
    highest = max(values)
    return highest + log(sum(exp(value - highest) for value in values))


def posterior(joint: list[float]) -> list[float]:
    """Equation 5."""
    return [exp(value - log_sum(joint)) for value in joint]


def objective(
    X: Matrix, S: list[list[float] | None], prior: list[float], theta: Matrix, smoothing: float, weight: float
) -> float:
    """log P(θ), path scores times joint logarithms of labelled documents, evidence of unlabelled ones."""
    value = smoothing * (sum(map(log, prior)) + sum(log(chance) for row in theta for chance in row if chance))
    for x, s in zip(X, S, strict=True):
        joint = log_joint(x, prior, theta)
        value += weight * log_sum(joint) if s is None else sum(a * b for a, b in zip(s, joint, strict=True))
    return value


def em(
    X: Matrix, S: list[list[float] | None], known: list[bool], smoothing: float, weight: float, iterations: int
) -> tuple[list[float], Matrix, list[float]]:
    """So many iterations of Algorithm 1 from the labelled documents on; the objective before each."""
    taught = [(x, s) for x, s in zip(X, S, strict=True) if s is not None]
    prior, theta = estimate([x for x, _ in taught], [s for _, s in taught], known, smoothing)
    values = []
    for _ in range(iterations):
        values.append(objective(X, S, prior, theta, smoothing, weight))
        shares = [
            s if s is not None else [weight * p for p in posterior(log_joint(x, prior, theta))]
            for x, s in zip(X, S, strict=True)
        ]
        prior, theta = estimate(X, shares, known, smoothing)
    return prior, theta, values
