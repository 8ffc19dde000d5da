"""What is known of some documents once they are scored: everything else is made of these scores, none is made again.

A classifier scores a batch of documents and gives an `Answers`. Label sets, the best categories, the scores and
probabilities of some nodes and the terms behind a score all come from it. What needs a number for every node gets the
scores in *parts*, as many documents at a time as memory should hold: a method whose scores are sparse never has more
of them at once.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack

from classmark.arrays import Floats
from classmark.decision import best_end, sure_labels
from classmark.hierarchy import Hierarchy
from classmark.metrics.ranking import first_positions

Positions: TypeAlias = npt.NDArray[np.integer]
Part: TypeAlias = tuple[slice, Floats]
Matrix: TypeAlias = Floats | csr_array


class Contributions(NamedTuple):
    """The terms' shares of the scores of one node: a row's `terms` and its `bias` sum to its `score`."""

    terms: csr_array
    bias: Floats


class Scorer(Protocol):
    """What a classifier makes of dense scores, `(n_documents, n_nodes)`."""

    hierarchy_: Hierarchy
    ends_: npt.NDArray[np.int32]

    def as_own(self, scores: Floats) -> Floats:
        """Turn scores into those of own labels."""
        ...

    def decide(self, scores: Floats) -> csr_array:
        """Turn scores into label sets."""
        ...

    def probabilities_of(self, scores: Floats) -> Floats:
        """Turn scores into probabilities."""
        ...

    def contributions_to(self, X: csr_array, node: int, scores: Floats) -> Contributions:
        """Give the terms' contributions to the scores of a node."""
        ...


class Answers(ABC):
    """Some documents, scored once, and what follows from their scores.

    Parameters
    ----------
    classifier : HierarchicalClassifier
        What scored them.
    X : csr_array, (n_documents, n_features)
        The documents.
    """

    def __init__(self, classifier: Scorer, X: csr_array) -> None:
        self.classifier = classifier
        self.X = X

    def __len__(self) -> int:
        return int(self.X.shape[0])

    @abstractmethod
    def parts(self) -> Iterator[Part]:
        """Yield what the classifier's `score_rows` gives, the scores of all nodes first, some documents at a time."""

    @abstractmethod
    def top(self, count: int) -> npt.NDArray[np.int32]:
        """Give each document's best ends, best first, the first of equals first: `(n_documents, count)` at most."""

    @abstractmethod
    def scores(self, documents: Positions, nodes: Positions) -> Floats:
        """Give the scores of some pairs of a document and a node."""

    def labels(self) -> csr_array:
        """Give the label sets, ancestors included, as a boolean indicator over the nodes."""
        decided = [self.classifier.decide(scores) for _, scores in self.parts()]
        return self.classifier.hierarchy_.close(stacked(decided, len(self.classifier.hierarchy_)))

    def first(self) -> npt.NDArray[np.int32]:
        """Give each document's best category, by position, among those seen as own labels."""
        return self.top(1)[:, 0]

    def probabilities(self) -> Iterator[Part]:
        """Yield the probabilities of all nodes, some documents at a time."""
        for rows, scores in self.parts():
            yield rows, self.classifier.probabilities_of(scores)

    def chances(self, documents: Positions, nodes: Positions) -> Floats:
        """Give the probabilities of some pairs of a document and a node, the documents in rising order."""
        found = [np.empty(0)]
        for rows, table in self.probabilities():
            first, last = np.searchsorted(documents, (rows.start, rows.stop))
            found.append(table[documents[first:last] - rows.start, nodes[first:last]])
        return np.concatenate(found)

    def sure_labels(self, least: float) -> csr_array:
        """Give of the label sets what has this probability at least: for each own label its deepest such ancestors."""
        labels = self.labels()
        documents = np.repeat(np.arange(len(self)), np.diff(labels.indptr))
        return sure_labels(labels, self.chances(documents, labels.indices), least, self.classifier.hierarchy_)

    @abstractmethod
    def contributions(self, node: int) -> Contributions:
        """Give the terms' contributions to a node's score, one row per document."""


class DenseAnswers(Answers):
    """Documents that have a score for every node, as most methods give it."""

    def __init__(self, classifier: Scorer, X: csr_array, scores: Floats) -> None:
        super().__init__(classifier, X)
        self._scores = scores

    def parts(self) -> Iterator[Part]:
        """Yield the scores in one piece: the batch was made as large as memory should hold."""
        yield slice(0, len(self)), self._scores

    def top(self, count: int) -> npt.NDArray[np.int32]:
        """Give each document's best ends, best first, the first of equals first: `(n_documents, count)` at most."""
        ends = self.classifier.ends_
        own = self.classifier.as_own(self._scores)[:, ends]
        return np.asarray(ends[first_positions(own, min(count, ends.size))], dtype=np.int32)

    def first(self) -> npt.NDArray[np.int32]:
        """Give each document's best category, by position, among those seen as own labels."""
        return best_end(self.classifier.as_own(self._scores), self.classifier.ends_)

    def scores(self, documents: Positions, nodes: Positions) -> Floats:
        """Give the scores of some pairs of a document and a node."""
        return np.asarray(self._scores[documents, nodes])

    def contributions(self, node: int) -> Contributions:
        """Give the terms' contributions to a node's score, one row per document."""
        return self.classifier.contributions_to(self.X, node, self._scores)


def stacked(parts: list[csr_array], columns: int) -> csr_array:
    """Put label sets below each other; without any there are no documents.

    >>> stacked([], 3).shape
    (0, 3)
    """
    if not parts:
        return csr_array((0, columns), dtype=bool)
    return parts[0] if len(parts) == 1 else csr_array(vstack(parts, format="csr"))
