"""The flat strategy: each category learned alone, one against the rest, ancestors added afterwards.

A threshold is tuned on a sample of the nodes if all nodes are too many to fit several times.
"""

from dataclasses import field
from itertools import repeat
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.svm import LinearSVC

from classmark.arrays import Floats
from classmark.checks import choice
from classmark.decision import Auto, Choice, Threshold
from classmark.decision.thresholds import best_f1
from classmark.held_out import Task, held_out_scores, seconds_to_fit
from classmark.hierarchy import Hierarchy
from classmark.persistence import State
from classmark.strategies.learners import LEARNER
from classmark.strategies.one_vs_rest import OneVsRest, Weights, check_weighable
from classmark.strategies.spread import as_own_labels


class NodeSample(NamedTuple):
    """Nodes drawn with a chance in proportion to their documents, and how many nodes each stands for.

    Micro-averaged F1 is a sum over nodes, so the sum over drawn nodes, each divided by its chance, estimates it. A node
    that is frequent enough to be drawn surely stands for itself alone.

    Attributes
    ----------
    nodes : array of int
        In ascending order.
    weights : array
        The inverse of each node's chance.
    """

    nodes: npt.NDArray[np.intp]
    weights: Floats

    @classmethod
    def draw(cls, labels: csr_array, size: int) -> "NodeSample":
        """Draw some of the columns of an indicator, at equal distances along the sum of their documents.

        >>> NodeSample.draw(csr_array([[1, 1, 0], [1, 0, 1], [1, 0, 0]]), 2)
        NodeSample(nodes=array([0, 1]), weights=array([1. , 2.5]))
        """
        counts = np.bincount(labels.indices, minlength=labels.shape[1]).astype(np.float64)
        distance = counts.sum() / size
        points = distance * (np.arange(size) + 0.5)
        nodes = np.unique(np.searchsorted(np.cumsum(counts), points, side="right"))
        return cls(nodes, np.maximum(1.0, distance / counts[nodes]))

    def threshold(self, scores: Floats, truth: npt.NDArray[np.bool_]) -> float:
        """Give the threshold with the best estimated micro-F1: `(n_documents, n_drawn)` each."""
        return best_f1(scores.ravel(), truth.ravel(), np.tile(self.weights, len(scores)))[0]


FEWEST_NODES = 50
"""The least number of nodes that a threshold is tuned on, however long it takes."""


class FlatClassifier(OneVsRest):
    """Learn every category with a copy of one binary learner, each alone against the rest.

    By default the hierarchy plays no part in learning: a category is learned from the documents that have it for their
    own label, and a node that was never an own label scores the maximum of its descendants. With `inner="closed"` inner
    nodes have learners of their own, whose positive documents are all at or below the node; `inner="auto"` gives them
    one where the decision compares each node with a threshold and there are 20 documents at least, and none where it
    ranks the categories, as the best path does.

    Attributes
    ----------
    closed_ : bool
        Whether nodes were learned from labels closed upward.
    weights_ : array or csr_array, (n_features, n_learned)
        The weights of a linear learner, a column for each node of `ends_`, or for each with a document at or below it.
    intercepts_ : array, (n_learned,)
        Its intercepts.
    estimators_ : list
        The fitted learners where they are not linear.

    Examples
    --------
    >>> from classmark import FlatClassifier, Hierarchy
    >>> tree = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})
    >>> X = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> flat = FlatClassifier(hierarchy=tree).fit(X, ["owl", "gull", "oak"])
    >>> flat.predict([[0, 2, 0]])
    array(['gull'], dtype='<U6')
    >>> flat.predict_indicator([[0, 2, 0]]).toarray()
    array([[ True, False, False,  True, False]])
    """

    estimator: Annotated[
        Any,
        LEARNER,
        "The binary learner, `LinearSVC()` by default. Linear ones are kept as one matrix of weights; they can be "
        "saved.",
    ] = field(default=None, kw_only=False)
    inner: Annotated[
        str,
        choice(["best", "closed", "auto"]),
        "How inner nodes score: by the best below them; by a learner of their own, which learns from all documents "
        "below; or by whichever suits the decision.",
    ] = "best"

    closed_: bool = field(default=False, init=False)

    def _learned_nodes(self) -> npt.NDArray[np.int32]:
        return self._nodes_with_documents() if self.closed_ else self.ends_

    def learn(self, X: csr_array, own: csr_array, weight: Weights) -> None:
        """Fit a learner for every own label, or for every node where a threshold decides."""
        learner = LinearSVC(random_state=0) if self.estimator is None else self.estimator
        check_weighable(learner, weight)
        by_threshold = not self.decision_.ranks_ends and not self.few_labelled_
        self.closed_ = self.inner == "closed" or (self.inner == "auto" and by_threshold)
        labels = self.hierarchy_.close(own) if self.closed_ else own
        self._learn_nodes(learner, X, csr_array(labels[:, self._learned_nodes()]), repeat(weight))

    def quick_decision(self, task: Task, decision: Auto, otherwise: str | None) -> Choice:
        """Tune a threshold on some nodes."""
        closed = csr_array(self.hierarchy_.close(task.own)[:, self._learned_nodes()])
        return tuned_on_some(self, task._replace(own=closed), decision, otherwise)

    def fits_of_quick_decision(self, task: Task, decision: Auto) -> float:
        """Return how many fits are equal to the folds of some nodes, and the fit itself."""
        return float(min(decision.folds, 1.0 + decision.seconds / seconds_to_fit(self, task)))

    def scores_of_quick_decision(self, task: Task, decision: Auto) -> float:
        """Return the scores of some nodes."""
        share = (self.fits_of_quick_decision(task, decision) - 1.0) / (decision.folds - 1)
        return float(task.labelled.size) * self._learned_nodes().size * share

    def as_own(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Turn scores into those of own labels, where inner nodes have learned of the documents below them."""
        return as_own_labels(scores, self.ends_, self.hierarchy_) if self.closed_ else scores

    def _learned_state(self) -> State:
        return super()._learned_state() | {"inner": self.inner, "closed": self.closed_}

    def _restore(self, learned: State) -> None:
        self.inner, self.closed_ = str(learned["inner"]), bool(learned["closed"])
        super()._restore(learned)


def tuned_on_some(classifier: OneVsRest, task: Task, decision: Auto, otherwise: str | None) -> Choice:
    """Tune one threshold for all nodes on the held-out scores of some, as many as the time is enough for.

    The own labels of the task are the columns that the classifier has learned.
    """
    columns = task.own.shape[1]
    each = (decision.folds - 1) * seconds_to_fit(classifier, task) / columns
    sample = NodeSample.draw(csr_array(task.own[task.labelled]), max(FEWEST_NODES, int(decision.seconds / each)))
    drawn = csr_array(task.own[:, sample.nodes])
    flat = FlatClassifier(classifier.estimator, prune=classifier.prune, n_jobs=classifier.n_jobs)
    flat.hierarchy_, flat.n_features_in_ = Hierarchy.flat(range(sample.nodes.size)), classifier.n_features_in_
    flat.ends_, flat.decision_, flat.closed_ = np.arange(sample.nodes.size, dtype=np.int32), Threshold(), False
    flat.few_labelled_ = False
    scores = held_out_scores(flat, task._replace(own=drawn), decision.folds)
    value = sample.threshold(scores, drawn[task.labelled].toarray())
    reason = f"a threshold tuned on {sample.nodes.size} of {columns} nodes instead"
    return Choice(Threshold(value, "average", otherwise), reason)
