"""Naive Bayes and EM with a chain of levels and several components a class, NBMC and EMMC.

As the baseline of path_prediction_2019: the chance of a class is p(top) · p(child | parent) · …, each factor smoothed
by itself, terms are distributed by leaf, and the posterior of an upper node is the sum over the leaves below it. As in
Nigam, McCallum and Mitchell (2006): a class may be several components, into which EM divides its documents, labelled
ones too, from a random division on.

p(child | parent) is smoothed over the children of the parent, and sums to 1 over them. The paper gives no formula; its
authors' program adds 1 for every category of the child's level, so that the chances of the children sum to less.
"""

from dataclasses import replace
from functools import partial
from typing import Annotated

import numpy as np
from scipy.sparse import csr_array, kron

from classmark.arrays import Floats, Integers
from classmark.checks import integer
from classmark.generative.base import GenerativeClassifier
from classmark.generative.ends import below, chains, end_weights, last_labels
from classmark.generative.examples import Prior, Rules, uniform_prior
from classmark.generative.semi import Iterations, SemiSupervised, Tolerance


class NBMC(GenerativeClassifier):
    """Naive Bayes whose classes have chances chained along the levels and, if asked for, several components each.

    Examples
    --------
    >>> from classmark import NBMC, Hierarchy
    >>> tree = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})
    >>> X = [[2, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> model = NBMC(hierarchy=tree).fit(X, ["owl", "gull", "oak"])

    P(animal) = (1 + 2) / (2 + 3), and P(owl | animal) = (1 + 1) / (2 + 2):

    >>> dict(zip(model.classes_[model.ends_].tolist(), np.exp(model.log_prior_).round(3).tolist()))
    {'owl': 0.3, 'gull': 0.3, 'oak': 0.4}
    """

    n_components: Annotated[
        int,
        integer(ge=1, le=1000),
        "How many distributions of terms a category is a mixture of; one needs no iterations.",
    ] = 1
    tol: Tolerance = 1e-3
    max_iter: Iterations = 50

    def _scores_of_labels(self, labels: csr_array) -> csr_array:
        return end_weights(labels, self.ends_, self.hierarchy_)

    def _learn_levels(self, X: csr_array, levels: Integers, weight: Floats | None) -> None:
        """Learn terms from the last labels, and p(child | parent) from the labels of both depths."""
        labels = last_labels(levels, self.hierarchy_).astype(np.float64)
        self.ends_ = self._ends_of(labels)
        scores = end_weights(labels, self.ends_, self.hierarchy_)
        rules = self._rules()
        if self.prior:
            paths = chains(self.ends_, self.hierarchy_)
            counted = np.ones(len(levels)) if weight is None else weight
            upper = _beyond_the_leaves(paths, levels, counted, counted @ scores)
            rules = replace(rules, prior=partial(chained_prior, paths, self.n_components, beyond=upper))
        self._learn_from_scores(X, scores, scores, weight, rules)

    def _rules(self) -> Rules:
        chain = partial(chained_prior, chains(self.ends_, self.hierarchy_), self.n_components)
        return replace(
            super()._rules(),
            prior=chain if self.prior else uniform_prior,
            per_class=self.n_components,
            tol=self.tol,
            max_iter=self.max_iter,
            seed=self.random_state,
        )

    def _members(self) -> csr_array:
        components = np.ones((1, self.n_components), dtype=bool)
        return csr_array(kron(below(self.ends_, self.hierarchy_), components, format="csr"))

    def _count_components(self) -> int:
        return int(self.ends_.size) * self.n_components


class EMMC(SemiSupervised, NBMC):
    """`NBMC` that learns from unlabelled documents, `None` in y, too.

    Examples
    --------
    >>> from classmark import EMMC
    >>> X = [[2, 0, 0, 0], [0, 2, 0, 0], [1, 0, 3, 0], [0, 1, 0, 3]]
    >>> EMMC(n_components=2).fit(X, ["owl", "gull", None, None]).log_prior_.shape
    (4,)
    """


def chained_prior(
    paths: Integers, per_class: int, totals: Floats, smoothing: float, beyond: list[Floats] | None = None
) -> Prior:
    """Give every component the product of p(node | parent) along its path and p(component | class).

    `beyond` is what the nodes of each level count more than the leaves below them.

    >>> paths = np.array([[0, 2], [0, 3], [1, 1]], dtype=np.int32)
    >>> np.exp(chained_prior(paths, 1, np.array([1.0, 1.0, 1.0]), 1.0).logs)
    array([0.3, 0.3, 0.4])
    """
    of_classes = totals.reshape(len(paths), per_class)
    inside = np.log(smoothing + of_classes) - np.log(smoothing * per_class + of_classes.sum(axis=1, keepdims=True))
    logs = inside.copy()
    density = float(inside.sum()) if per_class > 1 else 0.0
    parents = np.zeros(len(paths), dtype=np.intp)
    for level in range(paths.shape[1]):
        _, first, nodes = np.unique(paths[:, level], return_index=True, return_inverse=True)
        counts = np.bincount(nodes, weights=of_classes.sum(axis=1))
        if beyond is not None:
            counts = np.maximum(counts + beyond[level], 0.0)
        families = parents[first]
        sizes = np.bincount(families)
        chance = np.log(smoothing + counts) - np.log(smoothing * sizes + np.bincount(families, counts))[families]
        # An only child, as every dummy node is, is certain: its chance is 1 and adds nothing.
        logs += chance[nodes][:, None]
        density += float(chance.sum())
        parents = nodes
    return Prior(logs.ravel(), smoothing * density)


def _beyond_the_leaves(paths: Integers, levels: Integers, weight: Floats, of_ends: Floats) -> list[Floats]:
    """Give for the nodes of each level how often they are labels below their parent's, less what the leaves say."""
    found: list[Floats] = []
    for k in range(paths.shape[1]):
        nodes, first, inverse = np.unique(paths[:, k], return_index=True, return_inverse=True)
        at = np.minimum(np.searchsorted(nodes, levels[:, k]), nodes.size - 1)
        named = nodes[at] == levels[:, k]
        if k:
            named &= levels[:, k - 1] == paths[first[at], k - 1]
        counts: Floats = np.bincount(at[named], weights=weight[named], minlength=nodes.size).astype(np.float64)
        found.append(counts - np.bincount(inverse, weights=of_ends))
    return found
