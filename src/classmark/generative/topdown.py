"""Top-down naive Bayes and EM, TDNB and TDEM: a model a parent, the answer of a level choosing the next model.

A component is an edge from a parent to a child; the models of all parents stand side by side in one table. Each is
learned from the documents of its parent: labelled ones, and unlabelled ones that the models above have put there
(path_prediction_2019, section 5.1.2).
"""

from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats, Integers
from classmark.base import Contributions, check_counts
from classmark.generative.base import GenerativeClassifier, explained
from classmark.generative.counts import passes, restricted, rows_of
from classmark.generative.ends import nodes_of
from classmark.generative.examples import Examples, Mixture, Rules
from classmark.generative.odds import Sides, settled
from classmark.generative.semi import SemiSupervised
from classmark.hierarchy import Hierarchy

ROOT = -1

FAMILY = 20_000.0
"""Entries of a linear learner that cost as much as the model of a parent by itself: .4 ms."""


class TopDownNB(GenerativeClassifier):
    """Naive Bayes at the root and at every inner node, among its children.

    A node scores its worst margin on the way from the root: the log-odds of a step's node against the best of its
    siblings. The greedy descent is the only path whose margins are all positive, so the best path and a threshold of
    0 both answer with it. In a directed acyclic graph the best way to a node counts.

    Examples
    --------
    >>> from classmark import Hierarchy, TopDownNB
    >>> y = ["animal/owl", "animal/gull", "plant/oak"]
    >>> TopDownNB(hierarchy=Hierarchy.from_paths(y)).fit([[2, 0, 0], [0, 1, 0], [0, 0, 1]], y).predict([[0, 2, 0]])
    array(['animal/gull'], dtype='<U11')
    """

    scores_are_log_odds: ClassVar[bool] = False

    def _scores_of_labels(self, labels: csr_array) -> csr_array:
        # Of nodes, not of ends: the fraction of the own labels at or below each.
        return csr_array(labels @ self.hierarchy_.ancestors.astype(np.float64))

    def _learn_levels(self, X: csr_array, levels: Integers, weight: Floats | None) -> None:
        """Learn at a parent from the documents that have it in its depth, and a child of it in the next."""
        depths = self.hierarchy_.levels[levels] - 1
        there = np.where((levels >= 0) & (depths == np.arange(levels.shape[1])), levels, -1)
        nodes = nodes_of(there, self.hierarchy_)
        self.ends_ = self._ends_of(nodes)
        scores = nodes.astype(np.float64)
        self._learn_from_scores(X, scores, scores, weight)

    def _learn_from(self, examples: Examples, rules: Rules) -> None:
        families = families_of(self.ends_, self.hierarchy_)
        self.objective_: list[float] = []
        mixtures = []
        labelled = examples.labelled
        # The documents at each node: labelled ones by their labels, the others by the answers so far.
        placed = {ROOT: np.ones(examples.X.shape[0], dtype=bool)}
        nodes = examples.scores.tocsc()
        for parent, children, _ in families:
            here = placed.get(parent, np.zeros(labelled.size, dtype=bool))
            if parent != ROOT:
                here[nodes.indices[nodes.indptr[parent] : nodes.indptr[parent + 1]]] = True
            mixture = self._learn_family(examples, np.flatnonzero(here), children, rules)
            mixtures.append(mixture)
            self._place(examples.X, np.flatnonzero(here & ~labelled), children, mixture, placed)

        # The models side by side, over the terms that any of them knows; a term says nothing to the others.
        self.known_ = np.logical_or.reduce([mixture.known for mixture in mixtures])
        self.log_prior_ = np.concatenate([mixture.log_prior for mixture in mixtures])
        self.log_terms_ = np.zeros((np.count_nonzero(self.known_), self.log_prior_.size))
        rows = rows_of(self.known_)
        for family, mixture in zip(families, mixtures, strict=True):
            self.log_terms_[np.ix_(rows[mixture.known], family.columns)] = mixture.log_terms

    def _learn_family(
        self, examples: Examples, rows: npt.NDArray[np.intp], children: Integers, rules: Rules
    ) -> Mixture:
        """Learn the model of one parent from the documents at it."""
        scores = csr_array(examples.scores[rows][:, children])
        if not self.uses_unlabelled:
            # Labelled with the parent alone: nothing is known of its children.
            told = np.diff(scores.indptr) > 0
            rows, scores = rows[told], csr_array(scores[told])
        local = Examples(csr_array(examples.X[rows]), scores, scores, examples.weight[rows])
        mixture, objective = self._learned(local, rules)
        self.objective_ += objective
        return mixture

    def _place(
        self,
        X: csr_array,
        rows: npt.NDArray[np.intp],
        children: Integers,
        mixture: Mixture,
        placed: dict[int, npt.NDArray[np.bool_]],
    ) -> None:
        """Put unlabelled documents at the child that a model answers."""
        if not rows.size:
            return
        chosen = restricted(csr_array(X[rows]), mixture.known)
        with passes(self.n_jobs) as over:
            joint = over.log_joint(chosen, (0, rows.size), mixture.log_prior, mixture.log_terms)
        answers = children[np.argmax(joint, axis=1)]
        for child in np.unique(answers).tolist():
            placed.setdefault(child, np.zeros(X.shape[0], dtype=bool))[rows[answers == child]] = True

    def work_to_learn(self, X: csr_array, own: csr_array) -> float:
        """Count the families of categories, besides the entries and probabilities."""
        return super().work_to_learn(X, own) + FAMILY * len(families_of(self.ends_, self.hierarchy_))

    def _count_components(self) -> int:
        return sum(family.children.size for family in families_of(self.ends_, self.hierarchy_))

    def score_rows(self, X: csr_array) -> Floats:
        """Score every node by the worst step on the way down to it."""
        check_counts(X)
        return settled(self._descend(self._joint(self._scaled(X))).scores)

    def contributions_to(self, X: csr_array, node: int, scores: Floats) -> Contributions:
        """Give the log-odds of the terms at the worst step on the way to a node, against the best sibling there."""
        scores = scores[:, node]
        X = self._scaled(X)
        _, step, rival = self._descend(self._joint(X))
        if (step[:, node] < 0).all():
            return Contributions(csr_array(X.shape), scores)
        return explained(X, scores, self._term_odds(X, step[:, node], rival[:, node]))

    def _sides(self) -> Sides:
        """Give the component of each child, and those of its siblings."""
        nodes, own, others, rivals = [], [], [], []
        for _, children, columns in families_of(self.ends_, self.hierarchy_):
            nodes += children.tolist()
            own += columns.tolist()
            others += [child for child in children.tolist() for _ in range(columns.size - 1)]
            rivals += [one for column in columns.tolist() for one in columns.tolist() if one != column]
        shape = (len(self.hierarchy_), self.log_prior_.size)
        return Sides(
            csr_array((np.ones(len(nodes)), (nodes, own)), shape=shape),
            csr_array((np.ones(len(others)), (others, rivals)), shape=shape),
        )

    def _descend(self, joint: Floats) -> "Descent":
        """Give every node's worst margin, the component of that step and the component it is measured against."""
        documents, nodes = len(joint), len(self.hierarchy_)
        scores = np.full((documents, nodes), -np.inf)
        step, rival = np.full((2, documents, nodes), -1, dtype=np.intp)
        everyone = np.arange(documents)
        for parent, children, columns in families_of(self.ends_, self.hierarchy_):
            rest = joint[:, columns]
            best = np.argmax(rest, axis=1)
            rest[everyone, best] = -np.inf
            second = np.argmax(rest, axis=1)
            for position, child in enumerate(children.tolist()):
                other = columns[0] + np.where(best == position, second, best)
                own = columns[position]
                margin = joint[:, own] - joint[everyone, other] if children.size > 1 else np.full(documents, np.inf)
                so_far = np.full(documents, np.inf) if parent == ROOT else scores[:, parent]
                way = np.minimum(so_far, margin)
                better = way > scores[:, child]
                here = better & (margin <= so_far)
                scores[better, child] = way[better]
                step[here, child], rival[here, child] = own, other[here]
                if parent != ROOT:
                    above = better & ~here
                    step[above, child], rival[above, child] = step[above, parent], rival[above, parent]
        return Descent(scores, step, rival)


class TopDownEM(SemiSupervised, TopDownNB):
    """`TopDownNB` whose models learn from unlabelled documents, `None` in y, too.

    The model at the root learns from all of them; a model below learns from those that the models above it have put at
    its node, and from labelled documents whose labels end there.

    Examples
    --------
    >>> from classmark import TopDownEM
    >>> model = TopDownEM(vocabulary="all")
    >>> model = model.fit([[2, 0, 0, 0], [0, 2, 0, 0], [1, 0, 3, 0], [0, 1, 0, 3]], ["owl", "gull", None, None])
    >>> list(model.predict([[0, 0, 1, 0], [0, 0, 0, 1]]))
    ['owl', 'gull']
    """


class Descent(NamedTuple):
    """What `_descend` finds, each `(n_documents, n_nodes)`."""

    scores: Floats
    step: npt.NDArray[np.intp]
    rival: npt.NDArray[np.intp]


class Family(NamedTuple):
    """A parent, those of its children that have an end at or below them, and their columns in the table."""

    parent: int
    children: Integers
    columns: npt.NDArray[np.intp]


def families_of(ends: Integers, hierarchy: Hierarchy) -> list[Family]:
    """Give the families, parents before their children.

    >>> tree = Hierarchy.from_paths(["a/b", "a/c", "d/e", "f"])
    >>> [(family.parent, family.children.tolist()) for family in families_of(np.array([3, 4, 2]), tree)]
    [(-1, [0, 2]), (0, [3, 4])]
    """
    reached = np.zeros(len(hierarchy), dtype=bool)
    reached[hierarchy.ancestors[ends].indices] = True
    inner = np.flatnonzero(reached & ~np.isin(np.arange(reached.size), ends)).tolist()
    families, start = [], 0
    for parent in [ROOT, *inner]:
        below = hierarchy.tops if parent == ROOT else hierarchy.child_positions(parent)
        children = np.sort(below[reached[below]]).astype(np.int32)
        families.append(Family(parent, children, np.arange(start, start + children.size)))
        start += children.size
    return families
