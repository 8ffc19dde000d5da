"""Votes of neighbours the slow, obvious way: the formulas of lshtc_knn_2014 and of `hierarchical`, loop by loop."""

import math


def votes(neighbours, labels, alpha, weights=None):
    """Score(D) = Σ γ(S_b, D) · BM25^α; `neighbours` are pairs of a document's number and its similarity."""
    found = {}
    for document, similarity in neighbours:
        for label in labels[document]:
            weight = 1.0 if weights is None else weights[document]
            found[label] = found.get(label, 0.0) + weight * similarity**alpha
    return found


def ways_up(hierarchy, node):
    """Every node above, with the number of levels up to it, once for each way."""
    found = [(node, 0)]
    for parent in hierarchy.parent_positions(node):
        found += [(above, levels + 1) for above, levels in ways_up(hierarchy, int(parent))]
    return found


def with_ancestors(own, hierarchy, decay, ancestors):
    """(v(c) + a · T(parents of c)) / V for every c with votes."""
    above = {}
    for node, vote in own.items():
        for higher, levels in ways_up(hierarchy, node):
            above[higher] = above.get(higher, 0.0) + vote * decay**levels
    total = sum(own.values())
    found = {}
    for node, vote in own.items():
        parents = hierarchy.parent_positions(node).tolist()
        lent = sum(above[parent] for parent in parents) / len(parents) if parents else 0.0
        found[node] = (vote + ancestors * lent) / total
    return found


def tf_idf(terms, documents):
    """Unit vector of ln(1 + tf) · (1 + ln((N + 1) / (df + 1))), as a dict."""
    frequency = {term: sum(term in other for other in documents) for term in terms}
    n = len(documents)
    vector = {t: math.log1p(tf) * (1 + math.log((n + 1) / (frequency[t] + 1))) for t, tf in terms.items()}
    length = math.sqrt(sum(value**2 for value in vector.values())) or 1.0
    return {term: value / length for term, value in vector.items()}


def added(vectors):
    total = {}
    for vector in vectors:
        for term, value in vector.items():
            total[term] = total.get(term, 0.0) + value
    return total


def cosine(query, node, documents, labels, hierarchy, borrow):
    """The cosine of a document with Σ d + β · u, u the unit vector of all documents below the node's parents."""
    vectors = [tf_idf(terms, documents) for terms in documents]

    def below(tops):
        return added(
            vectors[i]
            for i, own in enumerate(labels)
            for label in own
            if {above for above, _ in ways_up(hierarchy, label)} & set(tops)
        )

    lent = below(hierarchy.parent_positions(node).tolist())
    length = math.sqrt(sum(value**2 for value in lent.values())) or 1.0
    own = added(vectors[i] for i, given in enumerate(labels) if node in given)
    centroid = added([own, {term: borrow * value / length for term, value in lent.items()}])
    norm = math.sqrt(sum(value**2 for value in centroid.values())) or 1.0
    asked = tf_idf(query, documents)
    return sum(value * centroid.get(term, 0.0) for term, value in asked.items()) / norm


def log_odds(query, node, documents, labels, hierarchy, own_words=20.0, parent_words=100.0):
    """Σ tf · ln p(w | c) / p(w), words that no document has passed over."""

    def counted(chosen):
        return added(documents[i] for i, own in enumerate(labels) for label in own if chosen(label))

    parents = set(hierarchy.parent_positions(node).tolist())
    everything = added(documents)
    own = counted(lambda label: label == node)
    lent = counted(lambda label: bool(parents & {above for above, _ in ways_up(hierarchy, label)}))
    total = 0.0
    for word, frequency in query.items():
        if word in everything:
            chance = everything[word] / sum(everything.values())
            higher = (lent.get(word, 0.0) + parent_words * chance) / (sum(lent.values()) + parent_words)
            lower = (own.get(word, 0.0) + own_words * higher) / (sum(own.values()) + own_words)
            total += frequency * math.log(lower / chance)
    return total


def descent(scores, hierarchy, sharpness):
    """The node where the way from the top ends."""
    sums = {}
    for node, score in scores.items():
        for above in {higher for higher, _ in ways_up(hierarchy, node)}:
            sums[above] = sums.get(above, 0.0) + score**sharpness
    here, children = None, hierarchy.tops.tolist()
    while True:
        best = max(children, key=lambda node: (sums.get(node, 0.0), -node), default=None)
        most = sums.get(best, 0.0)
        if most == 0.0 or (here in scores and scores[here] ** sharpness >= most):
            return here
        here, children = best, hierarchy.child_positions(best).tolist()
