"""What a model makes of the documents that a report is about: its answers, and what it thinks of the labels."""

from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.answers import Answers
from classmark.arrays import Floats
from classmark.data import Corpus
from classmark.hierarchy import Hierarchy
from classmark.labels import encode
from classmark.metrics import Counts, summarise
from classmark.metrics.calibration import Reliability
from classmark.pipeline import TextClassifier
from classmark.service.judging import SEEN, Judged, judge

MOST_PAIRS = 1 << 21
"""So many pairs are kept at least, where there are so many."""


class PrecisionRecall(NamedTuple):
    """What would come out at each threshold, from the highest one down."""

    thresholds: Floats
    precision: Floats
    recall: Floats
    f1: Floats


class RankedPairs:
    """Takes pairs in, a batch of documents at a time, and keeps the best.

    Examples
    --------
    >>> pairs = RankedPairs()
    >>> pairs.add(np.array([[0.9, 0.2], [0.6, 0.6]]), csr_array([[True, False], [False, True]]))
    >>> found = pairs.curve()
    >>> found.thresholds, found.precision, found.recall
    (array([0.9, 0.6, 0.2]), array([1. , 0.66666667, 0.5 ]), array([0.5, 1. , 1. ]))
    """

    def __init__(self, most: int = MOST_PAIRS) -> None:
        self._most = most
        self._values, self._right = np.empty(0), np.empty(0, dtype=bool)
        self._least = -np.inf
        self._positives = 0

    def add(self, values: Floats, true: csr_array) -> None:
        """Take in what documents score for categories, and which of these they have."""
        right = true.toarray().astype(bool)
        self._positives += int(right.sum())
        # Nothing is known of what scores minus infinity, and no threshold ever lets it in.
        kept = values > self._least
        self._values = np.concatenate([self._values, values[kept]])
        self._right = np.concatenate([self._right, right[kept]])
        if self._values.size > 2 * self._most:
            self._shorten()

    def _shorten(self) -> None:
        """Leave out the worse half; equals go together."""
        self._least = float(np.partition(self._values, -self._most)[-self._most])
        kept = self._values > self._least
        self._values, self._right = self._values[kept], self._right[kept]

    def curve(self) -> PrecisionRecall | None:
        """Give the curve; none where no category is right for any document, or nothing has a score."""
        if not self._positives or not self._values.size:
            return None
        order = np.argsort(-self._values, kind="stable")
        values, right = self._values[order], np.cumsum(self._right[order])
        ends: npt.NDArray[np.intp] = np.flatnonzero(np.append(values[1:] != values[:-1], True))
        counts = Counts(right[ends], ends + 1, np.full(ends.size, self._positives))
        return PrecisionRecall(values[ends], counts.precision(), counts.recall(), counts.f())


@dataclass(frozen=True, eq=False, kw_only=True)
class Looked:
    """A model's answers to labelled documents, label sets with ancestors, in the node order of one hierarchy."""

    model: TextClassifier
    """The model."""
    hierarchy: Hierarchy
    """The categories, in the order of the columns."""
    corpus: Corpus
    """The labelled documents."""
    judged: Judged
    """What was found in the first place, in the order of the model's own nodes."""
    confidence: Floats
    """How sure each answer is."""
    true: csr_array
    """The truth."""
    predicted: csr_array
    """The answers."""
    ranked: RankedPairs
    """What the categories scored that some training document had."""
    reliability: Reliability | None
    """How often probabilities come true, where there are any."""
    chances: Floats | None
    """How probable the least probable of each document's own labels is; NaN where it has none."""
    seconds: float
    """How long it took."""

    @property
    def gives_probabilities(self) -> bool:
        """Whether the model gives probabilities."""
        return self.reliability is not None

    @property
    def is_seen(self) -> bool:
        """Whether so many of the documents were trained on that the figures are too good."""
        return self.judged.seen_in_training > SEEN * self.judged.rows.size

    def figures(self) -> dict[str, Any]:
        """Give the measures that people ask for."""
        first = self.judged.first
        if self.model.hierarchy_ is not self.hierarchy:
            places = np.array([self.hierarchy.position(name) for name in self.model.hierarchy_.names])
            first = np.where(first >= 0, places[first], -1)
        return summarise(self.true, self.predicted, first, self.hierarchy)


def look(model: TextClassifier, corpus: Corpus, hierarchy: Hierarchy | None = None) -> Looked:
    """Let a model answer the labelled documents of a corpus; label sets come in the order of a hierarchy's nodes."""
    start = perf_counter()
    own = model.hierarchy_
    watching = _Watching(model, corpus)
    judged = judge(model, corpus, coverage=True, watch=watching)
    order = None if hierarchy is None or hierarchy is own else [own.position(name) for name in hierarchy.names]
    true, predicted = (
        labels if order is None else csr_array(labels[:, order])
        for labels in (own.close(judged.true), own.close(judged.predicted))
    )
    return Looked(
        model=model,
        hierarchy=hierarchy or own,
        corpus=corpus.take(judged.rows.tolist()),
        judged=judged,
        confidence=np.empty(0) if judged.confidence is None else judged.confidence,
        true=true,
        predicted=predicted,
        ranked=watching.ranked,
        reliability=watching.reliability,
        chances=None if watching.reliability is None else watching.chances,
        seconds=perf_counter() - start,
    )


class _Watching:
    """Takes down what is asked of scores and probabilities while they are there: nothing dense outlives its batch."""

    def __init__(self, model: TextClassifier, corpus: Corpus) -> None:
        hierarchy, classifier = model.hierarchy_, model.classifier_
        labels = encode([list(one) if one is not None else None for one in corpus.labels], hierarchy)
        self._closed = hierarchy.close(labels.indicator[np.flatnonzero(labels.labelled)])
        self._own = hierarchy.own(self._closed)
        self._ends = classifier.ends_
        self.ranked = RankedPairs()
        self.reliability = Reliability() if hasattr(classifier, "predict_proba") else None
        self.chances = np.full(self._own.shape[0], np.nan)

    def __call__(self, batch: Answers, labels: csr_array, rows: slice) -> None:
        """Look at the answers about some documents."""
        tables = batch.parts() if self.reliability is None else batch.probabilities()
        for some, table in tables:
            start = rows.start + some.start
            places = slice(start, start + len(table))
            closed = csr_array(self._closed[places])
            self.ranked.add(table[:, self._ends], csr_array(closed[:, self._ends]))
            if self.reliability is not None:
                self.reliability.add(closed, table)
                self._note_chances(places, table)

    def _note_chances(self, places: slice, table: Floats) -> None:
        documents, nodes = csr_array(self._own[places]).nonzero()
        least = np.full(table.shape[0], np.inf)
        np.minimum.at(least, documents, table[documents, nodes])
        self.chances[places] = np.where(np.isfinite(least), least, np.nan)
