"""Documents and their neighbours, searched for once: votes for a few categories each, and what follows from them.

A category that no neighbour votes for scores 0, and one that nothing was learned about minus infinity, as in the dense
scores; neither is ever written down. Only what looks at every node, some decisions and all probabilities, is given
dense scores, some documents at a time.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.answers import Answers, Contributions, Part, Positions
from classmark.arrays import Floats
from classmark.index.inverted import Neighbours
from classmark.neighbours.voting import decide_by_rank, ranked, spread_votes

if TYPE_CHECKING:
    from classmark.neighbours.base import NeighbourClassifier


class Voter(NamedTuple):
    """A neighbour of a document: its number among the labelled training documents, its labels, its vote and its id."""

    document: int
    labels: list[Any]
    similarity: float
    vote: float
    id: str | None = None


class NeighbourAnswers(Answers):
    """Documents with their neighbours, and the votes of these.

    Attributes
    ----------
    found : Neighbours
        The neighbours, nearest first.
    votes : csr_array, (n_documents, n_nodes)
        The scores of the categories that are worth one, all above 0.
    """

    classifier: "NeighbourClassifier"

    def __init__(self, classifier: "NeighbourClassifier", X: csr_array, found: Neighbours) -> None:
        super().__init__(classifier, X)
        self.found = found
        self.votes = classifier.candidate_scores(X, found)

    def parts(self) -> Iterator[Part]:
        """Yield the scores of all nodes, some documents at a time."""
        for rows in self.classifier.batches(len(self)):
            yield rows, self.classifier.all_scores(self.votes[rows])

    def top(self, count: int) -> npt.NDArray[np.int32]:
        """Give each document's best ends, best first, the first of equals first: `(n_documents, count)` at most."""
        return ranked(self.votes, self.classifier.ends_, count)[0]

    def labels(self) -> csr_array:
        """Give the label sets, ancestors included, as a boolean indicator over the nodes."""
        model = self.classifier
        count = model.decision_.ranks
        if count is None:
            return super().labels()
        return decide_by_rank(model.decision_, self.votes, model.hierarchy_, model.ends_, count)

    def scores(self, documents: Positions, nodes: Positions) -> Floats:
        """Give the scores of some pairs of a document and a node."""
        asked = self._numbered(documents, nodes)
        numbers, values = self._entries
        positions = np.minimum(np.searchsorted(numbers, asked), max(numbers.size - 1, 0))
        known = numbers[positions] == asked if numbers.size else np.zeros(asked.size, dtype=bool)
        scores = np.where(known, values[positions] if values.size else 0.0, 0.0)
        if not known.all():
            learned = np.zeros(len(self.classifier.hierarchy_), dtype=bool)
            learned[self.classifier.hierarchy_.ancestors[self.classifier.ends_].indices] = True
            scores[~learned[nodes]] = -np.inf
        return scores

    @cached_property
    def _entries(self) -> tuple[npt.NDArray[np.int64], Floats]:
        """The pairs that have a score above 0 as numbers, which rise, and these scores."""
        table = spread_votes(self.votes, self.classifier.ends_, self.classifier.hierarchy_)
        rows = np.repeat(np.arange(len(self)), np.diff(table.indptr))
        return self._numbered(rows, table.indices), table.data

    def _numbered(self, documents: Positions, nodes: Positions) -> npt.NDArray[np.int64]:
        return np.asarray(documents.astype(np.int64) * len(self.classifier.hierarchy_) + nodes)

    def contributions(self, node: int) -> Contributions:
        """Give terms' contributions to a score: a neighbour's vote is that of its common terms, each as it counts.

        What no common term explains is in the bias.
        """
        rows = [np.zeros((0, self.X.shape[1]))]
        for row, end in enumerate(self._ends_behind(node)):
            near, X = self._neighbours_of(row), csr_array(self.X[[row]])
            rows.append(
                self.classifier.term_contributions(near, X, end)[None] if end >= 0 else np.zeros((1, X.shape[1]))
            )
        terms = csr_array(np.concatenate(rows))
        scores = self.scores(np.arange(len(self)), np.full(len(self), node))
        return Contributions(terms, np.asarray(scores - terms.sum(axis=1)))

    def voters(self, node: int) -> list[list[Voter]]:
        """Give for each document the neighbours that vote for a node, or for the best end below it, loudest first."""
        return [
            self._voters_of(self._neighbours_of(row), end) if end >= 0 else []
            for row, end in enumerate(self._ends_behind(node))
        ]

    def _ends_behind(self, node: int) -> list[int]:
        """Give the end whose votes a node's score is made of in each document, -1 where there is no vote."""
        ends = self.classifier.end_behind(self.votes, node)
        return [int(end) if end >= 0 and self.votes[row, end] > 0 else -1 for row, end in enumerate(ends)]

    def _neighbours_of(self, row: int) -> Neighbours:
        return Neighbours(self.found.documents[[row]], self.found.scores[[row]])

    def _voters_of(self, found: Neighbours, end: int) -> list[Voter]:
        model = self.classifier
        votes = model.votes_for(found, end)
        voters = []
        for rank in np.argsort(-votes, kind="stable")[: np.count_nonzero(votes > 0)]:
            document = int(found.documents[0, rank])
            names = [model.hierarchy_.names[node] for node in model.labels_[[document]].indices]
            name = None if model.ids_ is None else model.ids_[document]
            voters.append(Voter(document, names, float(found.scores[0, rank]), float(votes[rank]), name))
        return voters
