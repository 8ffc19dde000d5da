"""Documents whose labels a model doubts that has not seen them: those are often wrong.

A model with probabilities is asked about documents that it was not trained on. For all others a quick method learns
from four fifths of the documents what to think of the rest, five times, and a curve turns its scores into
probabilities.
"""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.answers import Positions
from classmark.arrays import Floats
from classmark.data import Corpus
from classmark.ensembles.out_of_fold import MOST_SCORES
from classmark.held_out import Task, held_out_scores
from classmark.hierarchy import Hierarchy
from classmark.labels import encode
from classmark.pipeline import TextClassifier
from classmark.probability import CALIBRATIONS
from classmark.report.contents import Doubt
from classmark.service.changes import excerpt
from classmark.service.reporting.learning import quick_model
from classmark.service.reporting.looking import Looked

MOST = 25
"""So many documents are named."""
FOLDS = 5
UNSURE = 0.5
"""A label that is more probable is not doubted."""
SCORES_TO_FIT = 1 << 22
LEAST = 5
"""A label with fewer examples is too little known to be doubted."""
FEWEST = 20
"""With fewer documents a method knows too little to doubt."""


class Doubted(NamedTuple):
    """Documents by their places in a corpus, how probable their labels are, what the model would say, and how sure.

    `by` says which model, and `known` which nodes have so many examples that it may doubt them; none, all of them.
    """

    rows: Positions
    chances: Floats
    labels: csr_array
    rather: csr_array
    sure: Floats
    by: str = ""
    known: npt.NDArray[np.bool_] | None = None


def doubted_by_model(looked: Looked) -> Doubted | None:
    """Ask a model about the documents evaluated, if it gives probabilities and was not trained on them."""
    if looked.chances is None or looked.is_seen:
        return None
    by = "The model itself was asked about the documents evaluated, which it was not trained on."
    rows = np.arange(len(looked.corpus))
    return Doubted(rows, looked.chances, looked.true, looked.predicted, looked.confidence, by)


def doubted_out_of_fold(corpus: Corpus, hierarchy: Hierarchy) -> Doubted | None:
    """Ask a quick method about documents that it has not learned from; nothing where there are too few."""
    labels = encode([list(one) if one is not None else None for one in corpus.labels], hierarchy)
    own = hierarchy.own(hierarchy.close(labels.indicator))
    rows = np.flatnonzero(labels.labelled & (np.diff(own.indptr) > 0))
    if rows.size < FEWEST or np.unique(own.indices).size < 2:
        return None
    asked = np.sort(np.random.default_rng(0).permutation(rows)[: MOST_SCORES // len(hierarchy)])
    some = corpus.take(rows.tolist())
    model = quick_model(hierarchy)
    try:
        # What is odd about the documents is said elsewhere.
        with warnings.catch_warnings(action="ignore"):
            model.fit(some.documents, [list(one or ()) for one in some.labels])
    except ValueError:  # no text has a word
        return None
    task = Task(model.transform(some.documents), csr_array(own[rows]), None, np.searchsorted(rows, asked))
    found = _judged(model, held_out_scores(model.classifier_, task, FOLDS), csr_array(own[asked]), asked)
    examples = np.bincount(own[rows].indices, minlength=len(hierarchy))
    return found._replace(by=_by(model, asked.size if asked.size < rows.size else None), known=examples >= LEAST)


def _judged(model: TextClassifier, scores: Floats, own: csr_array, asked: Positions) -> Doubted:
    """Turn scores into probabilities, and find the least probable of each document's labels."""
    classifier, hierarchy, ends = model.classifier_, model.hierarchy_, model.classifier_.ends_
    # Labels that exclude each other share the probability, and others have one each.
    kind = CALIBRATIONS["softmax" if int(np.diff(own.indptr).max()) == 1 else "platt"]
    given = classifier.as_own(scores) if kind.ranks_ends else classifier.as_nodes(scores)
    # One curve for all is soon learned.
    part = slice(max(FEWEST, SCORES_TO_FIT // len(hierarchy)))
    chances = kind.fit(given[part], csr_array(own[part]), hierarchy, ends, True).probabilities(given, hierarchy, ends)
    documents, nodes = own.nonzero()
    least = np.full(asked.size, np.inf)
    np.minimum.at(least, documents, chances[documents, nodes])
    rather = hierarchy.close(classifier.decide(scores))
    return Doubted(asked, least, hierarchy.close(own), rather, chances[:, ends].max(axis=1))


def _by(model: TextClassifier, some: int | None) -> str:
    which = "each of the documents" if some is None else f"{some:,} of the documents"
    return f"{model.method}, a quick method, was asked about {which} after it had learned from others ({FOLDS} folds)."


def doubts(found: Sequence[tuple[Doubted | None, Corpus]], hierarchy: Hierarchy) -> tuple[list[Doubt], str]:
    """Give the documents whose labels are doubted most, where something else would be said, and say by whom."""
    known = [(doubted, corpus) for doubted, corpus in found if doubted is not None]
    all_of_them = [one for doubted, corpus in known for one in _most(doubted, corpus, hierarchy)]
    return sorted(all_of_them, key=lambda one: one.chance)[:MOST], " ".join(doubted.by for doubted, _ in known)


def _most(found: Doubted, corpus: Corpus, hierarchy: Hierarchy) -> list[Doubt]:
    own, rather = hierarchy.own(found.labels), hierarchy.own(found.rather)
    # A label that is not in the answer is no reason to doubt it unless another stands in its place.
    wrong = (np.diff(csr_array(found.labels > found.rather).indptr) > 0) & (
        np.diff(csr_array(found.rather > found.labels).indptr) > 0
    )
    if found.known is not None:
        wrong &= np.bincount(own.nonzero()[0], ~found.known[own.indices], minlength=wrong.size) == 0
    unsure = np.flatnonzero(wrong & (np.nan_to_num(found.chances, nan=1.0) < UNSURE))
    places = unsure[np.lexsort((-found.sure[unsure], found.chances[unsure]))][:MOST]
    rows = found.rows[places]
    order = np.argsort(rows, kind="stable")
    documents = dict(zip(rows[order].tolist(), corpus.take(rows[order].tolist()).documents, strict=True))
    return [
        Doubt(
            id=corpus.ids[row],
            split=corpus.splits[row],
            labels=_nodes(own, place),
            rather=_nodes(rather, place),
            chance=float(found.chances[place]),
            text=excerpt(documents[row]),
        )
        for place, row in zip(places.tolist(), rows.tolist(), strict=True)
    ]


def _nodes(labels: csr_array, row: int) -> list[int]:
    return sorted(labels.indices[labels.indptr[row] : labels.indptr[row + 1]].tolist())
