"""The top-down strategy by its definitions: sets of documents, recursion over the hierarchy, one document at a time."""

import math


def descendants(hierarchy, node):
    """The node and everything below it."""
    found = {node}
    for child in hierarchy.child_positions(node):
        found |= descendants(hierarchy, int(child))
    return found


def positives(own, hierarchy, node):
    """treeboost_mh_2006, Definition 1: the documents of the node and of all its descendants."""
    below = descendants(hierarchy, node)
    return {document for document, labels in enumerate(own) if set(labels) & below}


def problems(own, hierarchy, negatives, stay):
    """Each node's slots with their positive documents, and the documents that take part.

    A slot is `("reach", node)` or `("stay", node)`.
    """
    found = []
    inner = [node for node in range(len(hierarchy)) if hierarchy.child_positions(node).size]
    for parent in [-1, *inner]:
        children = [int(child) for child in (hierarchy.tops if parent < 0 else hierarchy.child_positions(parent))]
        slots = {("reach", child): positives(own, hierarchy, child) for child in children}
        if parent >= 0 and stay:
            slots["stay", parent] = {document for document, labels in enumerate(own) if parent in labels}
        slots = {slot: documents for slot, documents in slots.items() if documents}
        if slots:
            found.append((parent, slots, taking_part(own, hierarchy, negatives, parent, slots)))
    return found


def taking_part(own, hierarchy, negatives, parent, slots):
    everybody = set(range(len(own)))
    if negatives == "siblings":  # Definition 2: the positives of the siblings, and nobody else
        return set().union(*slots.values())
    if negatives == "subtree":
        return everybody if parent < 0 else positives(own, hierarchy, parent)
    if negatives == "level":
        level = 1 if parent < 0 else hierarchy.levels[parent] + 1
        beside = [node for node in range(len(hierarchy)) if hierarchy.levels[node] == level]
        return set().union(*slots.values(), *(positives(own, hierarchy, node) for node in beside))
    return everybody


def local_values(margins, descent):
    """What one document's margins at one node are worth on the way down."""
    if descent == "filter":
        return dict(margins)
    if descent == "soft":
        return {slot: 1 / (1 + math.exp(-margin)) for slot, margin in margins.items()}
    values = {}
    for slot, margin in margins.items():
        others = [other for name, other in margins.items() if name != slot]
        values[slot] = margin - max(others, default=-math.inf)
    return values


def score(node, margins, hierarchy, descent):
    """One document's score of one node; `margins[parent][slot]` are its local margins.

    The best over all ways down of the least value, or of the product of the chances as log-odds.
    """
    start = 1.0 if descent == "soft" else math.inf
    best = reach(node, margins, hierarchy, descent, start)
    if best is not None and ("stay", node) in margins.get(node, {}):
        best = step(best, local_values(margins[node], descent)["stay", node], descent)
    if best is None:
        return -math.inf
    return math.log(best / (1 - best)) if descent == "soft" else best


def step(above, value, descent):
    return above * value if descent == "soft" else min(above, value)


def reach(node, margins, hierarchy, descent, start):
    parents = [int(parent) for parent in hierarchy.parent_positions(node)] or [-1]
    ways = []
    for parent in parents:
        above = start if parent < 0 else reach(parent, margins, hierarchy, descent, start)
        if above is not None and ("reach", node) in margins.get(parent, {}):
            ways.append(step(above, local_values(margins[parent], descent)["reach", node], descent))
    return max(ways, default=None)


def figure_1(margins, hierarchy):
    """The nodes that one document reaches by section 3.1: blocked documents are analysed no further."""
    accepted, waiting = set(), [-1]
    while waiting:
        for (kind, node), margin in margins.get(waiting.pop(), {}).items():
            if kind == "reach" and margin > 0 and node not in accepted:
                accepted.add(node)
                waiting.append(node)
    return accepted
