"""How sure the answers of any method are: one number a document, of which the order counts.

Where a model gives probabilities, an answer is as sure as the least probable of its own labels, and no label at all as
sure as it is that the document belongs nowhere. Scores know less: a document that gets one place is as sure as the best
category is ahead of the next one, and other answers as the lowest score of their labels.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from classmark.answers import Answers
from classmark.arrays import Floats


class Confidence(NamedTuple):
    """How sure answers are: in words, and by what; label sets, ancestors included, are given with the answers."""

    words: str
    of: Callable[[Answers, csr_array], Floats]


def confidence_for(classifier: Any) -> Confidence:
    """Give what tells best how sure the answers of a fitted classifier are."""
    if hasattr(classifier, "predict_proba"):
        return Confidence("the least probability of a document's own labels", _least_probability)
    if classifier.decision_.one_label:
        return Confidence("how far the best category scores ahead of the next one", _lead)
    return Confidence("the lowest score of a document's own labels", _lowest_score)


def _least_probability(batch: Answers, labels: csr_array) -> Floats:
    """Give the least probability of own labels; without any, how probable it is that the document has none."""
    tops = batch.classifier.hierarchy_.tops
    found = [
        _least(csr_array(labels[rows]), table, 1 - table[:, tops].max(axis=1), batch)
        for rows, table in batch.probabilities()
    ]
    return np.concatenate([np.empty(0), *found])


def _lowest_score(batch: Answers, labels: csr_array) -> Floats:
    """Give the lowest score of own labels; without any, how far below 0 the best node is."""
    if (np.diff(labels.indptr) > 0).all():
        # Nobody needs the scores of other nodes, which are many where only neighbours vote.
        documents, own = batch.classifier.hierarchy_.own(labels).nonzero()
        least = np.full(len(batch), np.inf)
        np.minimum.at(least, documents, batch.scores(documents, own))
        return least
    found = []
    for rows, scores in batch.parts():
        nodes = scores[:, : len(batch.classifier.hierarchy_)]
        found.append(_least(csr_array(labels[rows]), nodes, -nodes.max(axis=1), batch))
    return np.concatenate([np.empty(0), *found])


def _least(labels: csr_array, table: Floats, without: Floats, batch: Answers) -> Floats:
    """Give the least number of own labels, another one for documents without any."""
    documents, nodes = batch.classifier.hierarchy_.own(labels).nonzero()
    least = np.full(labels.shape[0], np.inf)
    np.minimum.at(least, documents, table[documents, nodes])
    return np.where(np.diff(labels.indptr) > 0, least, without)


def _lead(batch: Answers, labels: csr_array) -> Floats:
    """Give how far the best end is ahead of the next one."""
    found = [np.empty(0)]
    for _, scores in batch.parts():
        own = batch.classifier.as_own(scores)[:, batch.classifier.ends_]
        if own.shape[1] == 1:
            found.append(own[:, 0])
            continue
        second, best = np.partition(own, own.shape[1] - 2, axis=1)[:, -2:].T
        # Nothing is ahead where nothing is known of either.
        found.append(np.subtract(best, second, out=np.zeros_like(best), where=best > second))
    return np.concatenate(found)
