"""Slow, obvious twins of what `classmark.weak` computes: loops over documents, nodes, tokens."""

import math

import numpy as np


def paths_of(hierarchy):
    """Every leaf with the set of nodes on its paths."""
    return {int(leaf): set(hierarchy.ancestors[[leaf]].indices.tolist()) for leaf in hierarchy.leaves}


def best_path(similarities, hierarchy):
    """The best leaf of one document, its similarity and its margin; -1 for a tie or nothing."""
    means = {
        leaf: math.fsum(max(0.0, similarities[node]) for node in path) / len(path)
        for leaf, path in paths_of(hierarchy).items()
    }
    first = max(means, key=lambda leaf: (means[leaf], -leaf))
    others = [0.0, *(mean for leaf, mean in means.items() if leaf != first)]
    return first, means[first], means[first] - max(others)


def padded(hierarchy):
    """Every node, and below a leaf dummies down to the last depth: pairs of a node and a depth (section 3)."""
    nodes = [(node, int(hierarchy.levels[node])) for node in range(len(hierarchy))]
    dummies = [
        (int(leaf), k) for leaf in hierarchy.leaves for k in range(hierarchy.levels[leaf] + 1, hierarchy.depth + 1)
    ]
    return nodes + dummies


def scores_of_depths(similarities, kind, hierarchy):
    """S_i(c) of one document for every node and dummy: 1 for the most similar of a depth, or its share."""
    scores = dict.fromkeys(padded(hierarchy), 0.0)
    for depth in range(1, hierarchy.depth + 1):
        here = {node: max(0.0, similarities[node]) for node, k in scores if k == depth}
        total = sum(here.values())
        best = max(here, key=lambda node: (here[node], -node))
        if total and kind == "levels":
            scores[best, depth] = 1.0
        elif total:
            scores |= {(node, depth): value / total for node, value in here.items()}
    return scores


def path_scores(similarities, kind, hierarchy):
    """S_ij by Equation 2: the sum over the nodes and dummies of every path."""
    scores = scores_of_depths(similarities, kind, hierarchy)
    return {
        leaf: math.fsum(scores[one] for one in scores if one[0] in path) for leaf, path in paths_of(hierarchy).items()
    }


def node_weights(similarities, kind, hierarchy):
    """S_i(c) of one document, that of a leaf the mean over it and its dummies."""
    if kind == "path":
        leaf, _, _ = best_path(similarities, hierarchy)
        return dict.fromkeys(range(len(hierarchy)), 0.0) | dict.fromkeys(paths_of(hierarchy)[leaf], 1.0)
    scores = scores_of_depths(similarities, kind, hierarchy)
    of_nodes = {node: [scores[one] for one in scores if one[0] == node] for node in range(len(hierarchy))}
    return {node: math.fsum(values) / len(values) for node, values in of_nodes.items()}


def surest(ends, margins, number, per_category):
    """Take documents by their margins, as long as there is room."""
    taken, room = [], dict.fromkeys(ends, per_category)
    for i in sorted(range(len(ends)), key=lambda i: (-margins[i], i))[:number]:
        if margins[i] > 1e-12 and room[ends[i]] > 0:
            room[ends[i]] -= 1
            taken.append(i)
    return sorted(taken)


def unit(vector):
    length = math.sqrt(math.fsum(value * value for value in vector))
    return [value / length for value in vector] if length else list(vector)


def dot(one, two):
    return math.fsum(a * b for a, b in zip(one, two, strict=True))


def embedding_em(X, labels, n_ends, concentration, labeled_weight, iterations):
    """The centres after so many iterations; a label is the number of an end, or None."""
    X = [unit(row) for row in X]

    def centres(shares):
        sums = [
            [math.fsum(s[j] * x[t] for s, x in zip(shares, X, strict=True)) for t in range(len(X[0]))] for j in ends
        ]
        return [unit(one) for one in sums]

    ends = range(n_ends)
    taught = [[labeled_weight * (label == j) for j in ends] for label in labels]
    found = centres(taught)
    for _ in range(iterations):
        shares = []
        for x, label, given in zip(X, labels, taught, strict=True):
            odds = [math.exp(concentration * dot(x, centre)) for centre in found]
            shares.append(given if label is not None else [one / sum(odds) for one in odds])
        found = centres(shares)
    return found


def bert(weights, ids, layers, heads, epsilon):
    """Embed one text, given as the numbers of its tokens: Devlin et al. (2019), a token at a time."""
    w = {name: np.asarray(value, dtype=np.float64) for name, value in weights.items()}

    def normal(x, name):
        return (x - x.mean()) / math.sqrt(x.var() + epsilon) * w[f"{name}.weight"] + w[f"{name}.bias"]

    def linear(x, name):
        return w[f"{name}.weight"] @ x + w[f"{name}.bias"]

    table = "embeddings.{}_embeddings.weight"
    states = [w[table.format("word")][i] + w[table.format("position")][p] for p, i in enumerate(ids)]
    states = [normal(x + w[table.format("token_type")][0], "embeddings.LayerNorm") for x in states]
    for layer in range(layers):
        name = f"encoder.layer.{layer}"
        q, k, v = ([linear(x, f"{name}.attention.self.{one}") for x in states] for one in ("query", "key", "value"))
        size = len(states[0]) // heads
        after = []
        for i, x in enumerate(states):
            parts = []
            for head in range(heads):
                part = slice(head * size, (head + 1) * size)
                odds = [math.exp(q[i][part] @ key[part] / math.sqrt(size)) for key in k]
                parts.append(sum(one / sum(odds) * value[part] for one, value in zip(odds, v, strict=True)))
            mixed = linear(np.concatenate(parts), f"{name}.attention.output.dense")
            x = normal(x + mixed, f"{name}.attention.output.LayerNorm")
            inner = linear(x, f"{name}.intermediate.dense")
            inner = np.array([one * (1 + math.erf(one / math.sqrt(2))) / 2 for one in inner])
            after.append(normal(x + linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm"))
        states = after
    return np.array(unit(sum(states) / len(states)))
