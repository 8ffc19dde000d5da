"""Win-driven naive Bayes and EM, WDNB and WDEM: a model a level, and the path that wins on most levels.

A component is a node of a level; the models of all levels stand side by side in one table. The win of a path is the
sum over the levels of the posterior of its node there (Wu, Tygert and LeCun 2017, as path_prediction_2019 uses it, all
weights 1). The E-step of WDEM takes the path that wins as the label of an unlabelled document: what it raises is not
the objective of EM, which may fall.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack
from scipy.special import logsumexp

from classmark.arrays import Floats, Integers
from classmark.base import Contributions, check_counts
from classmark.generative.base import GenerativeClassifier, explained
from classmark.generative.ends import below, chains, indicator, nodes_of
from classmark.generative.examples import Examples, Prior, Rules
from classmark.generative.odds import Sides, settled
from classmark.generative.semi import SemiSupervised
from classmark.hierarchy import Hierarchy


class WinDrivenNB(GenerativeClassifier):
    """Naive Bayes on every level by itself; the best path is the one with the highest sum of posteriors.

    A node scores the win of the best path through it minus that of the best other path, a number of levels: the best
    path and a threshold of 0 answer alike. An end above the last level is its own dummy node below; in a directed
    acyclic graph paths go by first parents.

    Examples
    --------
    >>> from classmark import Hierarchy, WinDrivenNB
    >>> y = ["animal/owl", "animal/gull", "plant/oak"]
    >>> model = WinDrivenNB(hierarchy=Hierarchy.from_paths(y)).fit([[2, 0, 0], [0, 1, 0], [0, 0, 1]], y)
    >>> dict(zip(y, model.node_scores([[0, 2, 0]])[0, model.ends_].round(1).tolist()))
    {'animal/owl': -0.6, 'animal/gull': 0.6, 'plant/oak': -1.0}
    """

    scores_are_log_odds: ClassVar[bool] = False

    def _scores_of_labels(self, labels: csr_array) -> csr_array:
        nodes = labels @ self.hierarchy_.ancestors.astype(np.float64)
        levels = [np.unique(level) for level in chains(self.ends_, self.hierarchy_).T]
        return csr_array(hstack([nodes[:, level] for level in levels], format="csr"))

    def _learn_levels(self, X: csr_array, levels: Integers, weight: Floats | None) -> None:
        """Learn on every level from the label of that depth."""
        self.ends_ = self._ends_of(nodes_of(levels, self.hierarchy_))
        parts = []
        for given, level in zip(levels.T, chains(self.ends_, self.hierarchy_).T, strict=False):
            nodes = np.unique(level)
            rows = np.flatnonzero(np.isin(given, nodes))
            parts.append(indicator(rows, np.searchsorted(nodes, given[rows]), (len(levels), nodes.size)))
        scores = csr_array(hstack(parts, format="csr").astype(np.float64))
        self._learn_from_scores(X, scores, scores, weight)

    def _learn_from(self, examples: Examples, rules: Rules) -> None:
        # The components are of levels: a document's own ones are all that its labels name.
        super()._learn_from(replace(examples, own=examples.scores), rules)

    def _rules(self) -> Rules:
        rules = super()._rules()
        columns = columns_of_paths(self.ends_, self.hierarchy_)
        return replace(rules, prior=partial(_by_level, rules.prior, columns), respond=partial(_win, columns))

    def _count_components(self) -> int:
        return int(columns_of_paths(self.ends_, self.hierarchy_).max()) + 1

    def _sides(self) -> Sides:
        """Give the component of each node on its level, and all others there."""
        paths, columns = chains(self.ends_, self.hierarchy_), columns_of_paths(self.ends_, self.hierarchy_)
        shape = (len(self.hierarchy_), self.log_prior_.size)
        inside, outside = csr_array(shape), csr_array(shape)
        for nodes, level in zip(paths.T, columns.T, strict=True):
            found, first = np.unique(nodes, return_index=True)
            there = csr_array((np.ones(found.size), (found, level[first])), shape=shape)
            everybody = csr_array((np.ones(found.size), (np.zeros(found.size, int), level[first])), (1, shape[1]))
            on_it = csr_array((np.ones(found.size), (found, np.zeros(found.size, int))), (shape[0], 1))
            # An end above the last level is on all levels below it, too.
            inside, outside = inside + there, outside + (on_it @ everybody - there)
        return Sides(csr_array(inside), csr_array(outside))

    def _wins(self, X: csr_array) -> Floats:
        """Give the sum of the posteriors of each path's nodes, `(n_documents, n_ends)`."""
        columns = columns_of_paths(self.ends_, self.hierarchy_)
        joint = self._joint(X)
        _posteriors_by_level(joint, columns)
        return wins(joint, columns)

    def score_rows(self, X: csr_array) -> Floats:
        """Score every node by how much the best path through it wins more than the best path past it."""
        check_counts(X)
        won = self._wins(self._scaled(X))
        scores = np.full((len(won), len(self.hierarchy_)), -np.inf)
        through = below(self.ends_, self.hierarchy_)
        for node in np.flatnonzero(np.diff(through.indptr)):
            inside = through.indices[through.indptr[node] : through.indptr[node + 1]]
            best, other = _best(won, inside)
            everyone = np.arange(len(won))
            lost = -np.inf if inside.size == self.ends_.size else won[everyone, other]
            scores[:, node] = won[everyone, best] - lost
        return settled(scores)

    def contributions_to(self, X: csr_array, node: int, scores: Floats) -> Contributions:
        """Give the log-odds of the terms, summed over the levels, on the best path through a node against the other.

        Posteriors are not sums over terms, so the bias is whatever is left to the score.
        """
        scores = scores[:, node]
        X = self._scaled(X)
        through = below(self.ends_, self.hierarchy_)
        inside = through.indices[through.indptr[node] : through.indptr[node + 1]]
        if inside.size in (0, self.ends_.size):
            return Contributions(csr_array(X.shape), scores)
        columns = columns_of_paths(self.ends_, self.hierarchy_)
        best, other = _best(self._wins(X), inside)
        odds = sum(self._term_odds(X, level[best], level[other]) for level in columns.T)
        return explained(X, scores, np.asarray(odds))


class WinDrivenEM(SemiSupervised, WinDrivenNB):
    """`WinDrivenNB` that learns from unlabelled documents, `None` in y, too; the winning path is their label.

    Examples
    --------
    >>> from classmark import WinDrivenEM
    >>> model = WinDrivenEM(vocabulary="all").fit([[2, 0, 0], [0, 2, 0], [1, 0, 3]], ["owl", "gull", None])
    >>> model.predict([[0, 0, 1]]).tolist()
    ['owl']
    """


def columns_of_paths(ends: Integers, hierarchy: Hierarchy) -> npt.NDArray[np.intp]:
    """Give the component of each path on each level, `(n_ends, depth)`, the components of a level side by side.

    >>> columns_of_paths(np.array([1, 2]), Hierarchy.from_paths(["a/b", "d"]))
    array([[1, 2],
           [0, 3]])
    """
    columns, start = [], 0
    for level in chains(ends, hierarchy).T:
        nodes, numbers = np.unique(level, return_inverse=True)
        columns.append(start + numbers)
        start += nodes.size
    return np.stack(columns, axis=1)


def wins(posterior: Floats, columns: npt.NDArray[np.intp]) -> Floats:
    """Sum the posteriors along each path."""
    return np.asarray(sum(posterior[:, level] for level in columns.T))


def _levels(columns: npt.NDArray[np.intp]) -> list[slice]:
    return [slice(int(level.min()), int(level.max()) + 1) for level in columns.T]


def _posteriors_by_level(joint: Floats, columns: npt.NDArray[np.intp]) -> Floats:
    """Turn joint logarithms into posteriors level by level, in place; give the sum of the levels' evidence."""
    evidence = np.zeros(len(joint))
    for level in _levels(columns):
        logs = joint[:, level]
        sums = logsumexp(logs, axis=1, keepdims=True)
        joint[:, level] = np.exp(logs - sums)
        evidence += sums[:, 0]
    return evidence


def _win(columns: npt.NDArray[np.intp], joint: Floats) -> Floats:
    """Give a document to the nodes of the winning path, in place; give the sum of the levels' evidence."""
    evidence = _posteriors_by_level(joint, columns)
    winners = columns[np.argmax(wins(joint, columns), axis=1)]
    joint[:] = 0.0
    np.put_along_axis(joint, winners, 1.0, axis=1)
    return evidence


def _by_level(
    prior: Callable[[Floats, float], Prior], columns: npt.NDArray[np.intp], totals: Floats, smoothing: float
) -> Prior:
    """Give the chances of the nodes of each level by themselves."""
    found = [prior(totals[level], smoothing) for level in _levels(columns)]
    return Prior(np.concatenate([one.logs for one in found]), sum(one.density for one in found))


def _best(won: Floats, inside: npt.NDArray[np.integer]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Give for each document the best path inside a node and the best other one, if there is one."""
    mask = np.zeros(won.shape[1], dtype=bool)
    mask[inside] = True
    return np.argmax(np.where(mask, won, -np.inf), axis=1), np.argmax(np.where(mask, -np.inf, won), axis=1)
