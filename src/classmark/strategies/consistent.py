"""The global strategy: one multi-label problem over all nodes, whose answers are made consistent.

After Kiritchenko, Matwin, Nock and Famili, "Learning and Evaluation in the Presence of Class Hierarchies: Application
to Text Categorization" (2006), section 5, in its three steps:

1. every label set C_i becomes Ĉ_i, the labels and all their ancestors (`Hierarchy.close`);
2. any multi-label learner learns from (d_i, Ĉ_i), so that an inner class has the documents of all its offspring;
3. an answer in which a class passes the threshold and one of its ancestors does not is re-labelled by the mean
   confidence of the class and all its ancestors (`classmark.decision.average_confidence`), or by another rule.

The threshold is 0, given, or the one of section 5.1: the scores of the training documents in decreasing order t_1, t_2,
…, and (t_k + t_{k+1}) / 2 where t_k gives the best F-measure (`classmark.decision.f1_threshold`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from itertools import repeat
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.svm import LinearSVC
from sklearn.utils import get_tags

from classmark.answers import Matrix, Positions
from classmark.base import DECISION, Contributions, HierarchicalClassifier
from classmark.checks import Constraint, choice, is_number
from classmark.decision import CONSISTENCY, Auto, Choice, Decision, SCut, Threshold, TunedThreshold
from classmark.errors import InputError
from classmark.held_out import Task
from classmark.hierarchy import Hierarchy
from classmark.limits import Needed
from classmark.persistence import State
from classmark.strategies.flat import FlatClassifier, tuned_on_some
from classmark.strategies.learners import LEARNER, LINEAR_LEARNERS, own_from_state, own_to_state
from classmark.strategies.one_vs_rest import OneVsRest, Weights, check_weighable, log_odds, placed_rows
from classmark.strategies.spread import as_own_labels, spread_upward

THRESHOLDS: dict[str, TunedThreshold | SCut] = {
    "tuned": TunedThreshold(),
    "tuned-on-training": TunedThreshold(on="training"),
    "tuned-per-node": SCut(fbr=0.0, steady=False),
    "tuned-per-node-on-training": SCut(fbr=0.0, steady=False, on="training"),
}
"""The thresholds that are learned by the paper's rule: one for all nodes or one each, by cross-validation or not."""


def decision_by(threshold: float | str, consistency: str) -> Decision:
    """Give the decision by a threshold that is known, or that is to be learned."""
    if isinstance(threshold, str):
        return replace(THRESHOLDS[threshold], consistency=consistency)
    return Threshold(float(threshold), consistency)


THRESHOLD = Constraint(
    lambda value: value is None or is_number(value) or (isinstance(value, str) and value in THRESHOLDS),
    f"a finite number or one of {', '.join(THRESHOLDS)}, or None",
    lambda text: None if text == "none" else text if text in THRESHOLDS else float(text),
)


class ConsistentClassifier(OneVsRest):
    """Learn all nodes together from labels closed upward, and make the answers consistent.

    A `decision` takes the place of `threshold` and `relabel`.

    Attributes
    ----------
    weights_ : array or csr_array, (n_features, n_learned)
        The weights of a linear learner, a column for each node that has a training document at or below it.
    intercepts_ : array, (n_learned,)
        Its intercepts.
    estimators_ : list
        The fitted learners, one a node, where they are not linear.
    together_ : classifier
        The fitted learner of all nodes, where there is one.

    Examples
    --------
    >>> from classmark import ConsistentClassifier, Hierarchy
    >>> tree = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})
    >>> X = [[1, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0, 0, 0, 1, 1]]
    >>> model = ConsistentClassifier(hierarchy=tree, threshold=0.0).fit(X, [["owl"], ["gull"], ["oak"]])
    >>> model.predict([[1, 0, 0, 0, 0], [0, 3, 0, 0, 0]])  # an animal, but which?
    [['animal'], ['owl']]
    """

    estimator: Annotated[
        Any,
        LEARNER,
        "A multi-label classifier of classmark's, such as a booster; or one of scikit-learn's, which learns all nodes "
        "at once where it can (trees, forests, neighbours, neural networks), and one node against the rest otherwise. "
        "`LinearSVC()` by default.",
    ] = field(default=None, kw_only=False)
    threshold: Annotated[
        float | str | None,
        THRESHOLD,
        "The score above which a node is accepted, or how it is learned: by the best F1, of all nodes or of each, in "
        "cross-validation or on the training documents, as the paper has it; None for the best path or 0.",
    ] = None
    relabel: Annotated[
        str, choice(CONSISTENCY), "How inconsistent answers are made consistent; see `docs/decisions.md`."
    ] = "average"

    decision: Annotated[
        Decision | str | None,
        DECISION,
        "How scores become label sets; by default `threshold` and `relabel`, where a threshold of None is the best "
        "path if every labeled document has one label, otherwise 0.",
    ] = None

    def chosen_decision(self, own: csr_array) -> Decision:
        """Give the decision asked for, or the one that `threshold` and `relabel` stand for."""
        chosen = self.threshold
        default = super().chosen_decision(own)
        if self.decision is not None or (chosen is None and default.one_label):
            return default
        return decision_by(chosen or 0.0, self.relabel)

    def _learned_nodes(self) -> npt.NDArray[np.int32]:
        return self._nodes_with_documents()

    def quick_decision(self, task: Task, decision: Auto, otherwise: str | None) -> Choice:
        """Tune a threshold on some nodes, or on a part of the documents where the nodes are learned together."""
        if self.together_ is not None:
            return super().quick_decision(task, decision, otherwise)
        closed = csr_array(self.hierarchy_.close(task.own)[:, self._learned_nodes()])
        return tuned_on_some(self, task._replace(own=closed), decision, otherwise)

    fits_of_quick_decision = FlatClassifier.fits_of_quick_decision
    scores_of_quick_decision = FlatClassifier.scores_of_quick_decision

    def work_to_learn(self, X: csr_array, own: csr_array) -> float:
        """Count the work of the learner of all nodes, or of each."""
        together = self._unfitted_learner()
        return super().work_to_learn(X, own) if together is None else together.work_to_learn(X, self._targets(own))

    def memory_to_learn(self, X: csr_array, own: csr_array) -> Needed:
        """Count the memory of the learner of all nodes, or of each."""
        together = self._unfitted_learner()
        return super().memory_to_learn(X, own) if together is None else together.memory_to_learn(X, self._targets(own))

    def _unfitted_learner(self) -> HierarchicalClassifier | None:
        """Return an unfitted copy of the learner of all nodes, which has them for its own, if there is one."""
        if not isinstance(self.estimator, HierarchicalClassifier):
            return None
        learner: HierarchicalClassifier = clone(self.estimator)
        learner.hierarchy_ = Hierarchy.flat(range(self._learned_nodes().size))
        learner.ends_ = np.arange(len(learner.hierarchy_), dtype=np.int32)
        return learner

    def learn(self, X: csr_array, own: csr_array, weight: Weights) -> None:
        """Fit a learner for every node with documents, or one for all of them where it can."""
        learner = LinearSVC(random_state=0) if self.estimator is None else self.estimator
        check_weighable(learner, weight)
        nodes = self._learned_nodes()
        closed = csr_array(self.hierarchy_.close(own)[:, nodes])
        self.together_: Any = None
        if isinstance(learner, HierarchicalClassifier):
            names = Hierarchy.flat(self.hierarchy_.names[node] for node in nodes)
            n_jobs = self.n_jobs if learner.n_jobs is None else learner.n_jobs
            learner = clone(learner).set_params(hierarchy=names, decision=Threshold(), n_jobs=n_jobs)
            self.together_ = learner.fit(X, closed, weight)
        elif learns_together(learner, closed):
            given = {} if weight is None else {"sample_weight": weight}
            self.together_ = clone(learner).fit(X, closed.toarray().astype(np.int8), **given)
        else:
            self._learn_nodes(learner, X, closed, repeat(weight))

    def score_rows(self, X: csr_array) -> npt.NDArray[np.float64]:
        """Score every node by its own learner."""
        if self.together_ is None:
            return super().score_rows(X)
        if isinstance(self.together_, HierarchicalClassifier):
            scores = self.together_.node_scores(X)
        else:
            scores = margins_together(self.together_, X)
        return spread_upward(scores, self._learned_nodes(), self.hierarchy_)

    def as_own(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Score an inner end by whether a document belongs there and to none of its children."""
        return as_own_labels(scores, self.ends_, self.hierarchy_)

    def contributions_to(self, X: csr_array, node: int, scores: npt.NDArray[np.float64]) -> Contributions:
        """Give the terms' contributions to a node's scores, where its learner is linear."""
        if self.together_ is None:
            return super().contributions_to(X, node, scores)
        if not isinstance(self.together_, HierarchicalClassifier):
            raise InputError(f"{type(self.estimator).__name__} is not linear: its scores are not sums over terms")
        if node not in self._learned_nodes():
            return Contributions(csr_array(X.shape), np.full(X.shape[0], -np.inf))
        place = self.together_.hierarchy_.position(self.hierarchy_.names[node])
        return self.together_.contributions_to(X, place, scores[:, self._learned_nodes()])

    def term_weights(self, blocks: Sequence[Positions]) -> Iterator[Matrix]:
        """Give the weights of the learner of all nodes, or of each of them."""
        if self.together_ is None:
            return super().term_weights(blocks)
        if not isinstance(self.together_, HierarchicalClassifier):
            raise InputError(f"{type(self.estimator).__name__} is not linear: it has no weights of terms")
        learned = self._learned_nodes()
        inside = [np.flatnonzero(np.isin(nodes, learned)) for nodes in blocks]
        places = self.together_.hierarchy_.positions(self.hierarchy_.names[node] for node in learned)
        asked = [places[np.searchsorted(learned, nodes[rows])] for nodes, rows in zip(blocks, inside, strict=True)]
        found = self.together_.term_weights(asked)
        return (placed_rows(part, rows, nodes.size) for part, rows, nodes in zip(found, inside, blocks, strict=True))

    def _learned_state(self) -> State:
        if isinstance(self.together_, HierarchicalClassifier):
            return {"together": own_to_state(self.together_)}
        return super()._learned_state()

    def _restore(self, learned: State) -> None:
        self.together_ = None
        if "together" not in learned:
            super()._restore(learned)
            return
        self.together_ = own_from_state(learned["together"])
        if len(self.together_.hierarchy_) != self._learned_nodes().size:
            raise InputError("the learner inside the model has other categories than the model")
        if self.together_.n_features_in_ != self.n_features_in_:
            raise InputError("the learner inside the model has other terms than the model")
        self.estimator = clone(self.together_).set_params(hierarchy=None, decision=None, n_jobs=None)


def learns_together(learner: Any, targets: csr_array) -> bool:
    """Say whether a learner of scikit-learn's takes all targets at once, as far as that is more than one by one.

    A target that everybody or nobody has is no question to such a learner, and a linear one learns the same either way.
    """
    if type(learner).__name__ in LINEAR_LEARNERS or targets.shape[1] < 2:
        return False
    counts = np.diff(targets.tocsc().indptr)
    varied = bool(((counts > 0) & (counts < targets.shape[0])).all())
    return varied and get_tags(learner).classifier_tags.multi_label


def margins_together(estimator: Any, X: csr_array) -> npt.NDArray[np.float64]:
    """Give the margins, or the log-odds, of all targets of a multi-label learner of scikit-learn's."""
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), dtype=np.float64)
    chances = estimator.predict_proba(X)
    # Trees and neighbours give a matrix of two columns a target, neural networks one column.
    return log_odds(np.stack([one[:, 1] for one in chances], axis=1) if isinstance(chances, list) else chances)
