"""The loss of the two heads on turned vectors, straight from the formulas, an entry at a time."""

import math


def turned(x, matrix):
    h = [sum(x[i] * matrix[i][j] for i in range(len(x))) for j in range(len(matrix[0]))]
    length = math.sqrt(sum(value * value for value in h)) or 1.0
    return [value / length for value in h]


def cosine(a, b):
    lengths = math.sqrt(sum(value * value for value in a)) * math.sqrt(sum(value * value for value in b))
    return sum(one * other for one, other in zip(a, b, strict=True)) / (lengths or 1.0)


def loss_of_document(parts, x, own, closed, closed_weight):
    """`own` and `closed` are the document's labels, sets of positions."""
    h = turned(x, parts.turn)
    scale = math.exp(parts.log_scale[0])
    logits = [scale * cosine(h, v) + b for v, b in zip(parts.own, parts.own_bias, strict=True)]
    total = math.log(sum(math.exp(logit) for logit in logits))
    loss = sum((total - logits[category]) / len(own) for category in own)
    for node, (u, a) in enumerate(zip(parts.closed, parts.closed_bias, strict=True)):
        logit = sum(one * other for one, other in zip(u, h, strict=True)) + a
        loss += closed_weight * (math.log(1 + math.exp(logit)) - (node in closed) * logit)
    return loss


def mean_loss(parts, documents, closed_weight):
    """`documents` are (x, own, closed, weight)."""
    losses = [weight * loss_of_document(parts, x, own, closed, closed_weight) for x, own, closed, weight in documents]
    return sum(losses) / len(losses)


def gradient(parts, documents, closed_weight, step=1e-6):
    """By differences: what the loss gains and loses by a step in every single number."""
    found = {}
    for name, array in parts.items():
        slopes = array.copy()
        for place in range(array.size):
            kept = array.flat[place]
            array.flat[place] = kept + step
            more = mean_loss(parts, documents, closed_weight)
            array.flat[place] = kept - step
            slopes.flat[place] = (more - mean_loss(parts, documents, closed_weight)) / (2 * step)
            array.flat[place] = kept
        found[name] = slopes
    return found
