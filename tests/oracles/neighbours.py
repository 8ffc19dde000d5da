"""Nearest neighbours the slow, obvious way: every document scored by the formulas of lshtc_knn_2014, then sorted.

Weights are rounded where the index rounds them: frequencies, norms and local weights to single precision, the score
once at the end. So the answers can be compared to the last bit.
"""

import math

import numpy as np


def mean_length(documents):
    """`documents` are dicts from terms to frequencies; None is a deleted one."""
    lengths = np.array([sum(terms.values()) for terms in documents if terms is not None])
    return float(lengths.sum() / len(lengths)) if len(lengths) else 0.0


def norm(terms, mean, scoring, k1, b):
    relative = sum(terms.values()) / (mean or 1.0)
    formulas = {
        "okapi": k1 * (1 - b + b * relative),
        "printed": k1 + 1 - b + b * relative,
        "overlap": 0.0,
    }
    return float(np.float32(formulas[scoring]))


def local_weight(frequency, norm, scoring, k1):
    formulas = {
        "okapi": lambda: (k1 + 1) * frequency / (frequency + norm),
        "printed": lambda: (k1 + 1) * frequency / norm,
        "overlap": lambda: 1.0,
    }
    return float(np.float32(formulas[scoring]()))


def weight_of_term(n_documents, frequency, scoring, idf):
    if scoring == "overlap":
        return 1.0
    odds = (n_documents - frequency + 0.5) / (frequency + 0.5)
    # numpy's logarithms, which may differ from the mathematics library's in the last bit.
    formulas = {
        "robertson": lambda: max(float(np.log(odds)), 0.0),
        "lucene": lambda: float(np.log1p(odds)),
    }
    return formulas[idf]()


def document_frequencies(documents):
    found = {}
    for terms in documents:
        for term in terms or ():
            found[term] = found.get(term, 0) + 1
    return found


def heaviest(query, documents, n_terms):
    """The paper's candidates: the query's terms with the highest TF · ln(N / N_0), unknown ones left out."""
    frequencies = document_frequencies(documents)
    n_documents = sum(terms is not None for terms in documents)
    known = [term for term in sorted(query) if term in frequencies]
    weight = {term: query[term] * float(np.log(n_documents / frequencies[term])) for term in known}
    return set(sorted(known, key=lambda term: (-weight[term], term))[:n_terms])


def scores(query, documents, scoring, k1, b, idf):
    """The score of every document, 0 for a deleted one."""
    mean, frequencies = mean_length(documents), document_frequencies(documents)
    n_documents = sum(terms is not None for terms in documents)
    query_norm = norm(query, mean, scoring, k1, b)
    found = []
    for terms in documents:
        total = 0.0
        for term in sorted(set(terms or ()) & set(query)):
            in_query = local_weight(query[term], query_norm, scoring, k1)
            factor = float(np.float32(weight_of_term(n_documents, frequencies[term], scoring, idf) * in_query))
            total += factor * local_weight(terms[term], norm(terms, mean, scoring, k1, b), scoring, k1)
        if scoring == "overlap" and total:
            total = total / (len(terms) + len(query) - total)
        found.append(float(np.float32(total)))
    return found


def top(query, documents, k, scoring, k1, b, idf, n_terms=None):
    """The best k, as pairs of a document's number and its score."""
    found = scores(query, documents, scoring, k1, b, idf)
    chosen = set(query) if n_terms is None else heaviest(query, documents, n_terms)
    ranked = [
        (-score, number) for number, score in enumerate(found) if score > 0 and not chosen.isdisjoint(documents[number])
    ]
    return [(number, -score) for score, number in sorted(ranked)[:k]]


def distance(terms, query):
    """The paper's (N_1 + N_2 - 2 C_f) / (N_1 + N_2 - C_f), of two sets of features."""
    common = len(set(terms) & set(query))
    return (len(terms) + len(query) - 2 * common) / (len(terms) + len(query) - common)


def is_close(one, other):
    return math.isclose(one, other, rel_tol=1e-6)
