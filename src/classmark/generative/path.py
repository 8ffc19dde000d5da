"""Path cost-sensitive naive Bayes and EM, PCNB and PCEM (path_prediction_2019, sections 3 and 4).

A class is a path p_j from the top to an end. S_i(c), the score of a node for a document, is the fraction of the
document's own labels at or below the node (1 or 0 where it has one label), or any weight given to `fit_soft`; S_ij is
the sum of the scores of the path's nodes (Equation 2), times the weights of their levels if there are any. Dummy nodes,
by which section 3 brings every leaf to the same depth, count like the leaf. In a directed acyclic graph the path of an
end is the set of all its ancestors, because the labels of a document are closed upward over all parents.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from classmark.arrays import Floats, Integers
from classmark.base import checked_weight
from classmark.checks import Constraint, optional, real
from classmark.errors import InputError
from classmark.generative.base import GenerativeClassifier
from classmark.generative.ends import below, indicator, nodes_of
from classmark.generative.examples import Rules
from classmark.generative.semi import SemiSupervised
from classmark.hierarchy import Hierarchy

LEVEL_WEIGHTS = Constraint(
    lambda value: isinstance(value, list | tuple) and all(map(real(ge=0).accepts, value)) and sum(value) > 0,
    "one number >= 0 a level, not all 0",
    lambda text: [float(weight) for weight in text.split(",")],
)


class PathNB(GenerativeClassifier):
    """Path cost-sensitive naive Bayes: a document counts for a path as often as it shares a node with it.

    A node scores the log-odds of its posterior, the sum over the paths through it (Equation 5); a threshold of 0 is a
    posterior of one half. A document labelled with an inner node alone counts for all paths through it, and the answers
    are ends of paths; a category that no labelled document reaches has no path and scores minus infinity, unless
    `unseen_leaves` gives it one.

    Examples
    --------
    >>> from classmark import Hierarchy, PathNB
    >>> tree = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})
    >>> X = [[2, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> model = PathNB(hierarchy=tree).fit(X, ["owl", "gull", "oak"])

    The path to the oak has been seen twice, as a plant and as an oak; that to the gull twice, and once more by way of
    the owl, another animal. With Laplace's 1 each:

    >>> dict(zip(model.classes_[model.ends_].tolist(), np.exp(model.log_prior_).round(3).tolist()))
    {'owl': 0.364, 'gull': 0.364, 'oak': 0.273}
    """

    level_weight: Annotated[
        Sequence[float] | None,
        optional(LEVEL_WEIGHTS),
        "How much a node on each level counts in the path scores, from the top down, as in 1,2; 1 each by default, and "
        "levels below the deepest path are not looked at.",
    ] = None
    shrinkage: Annotated[
        float,
        real(ge=0, lt=1),
        "Which part of a path's counts is replaced by the mean counts of the paths that end below the same parent.",
    ] = 0.0

    @property
    def learns_in_parts(self) -> bool:
        """Whether rows may be in parts elsewhere: all that is learned of them is sums."""
        return True

    def fit_soft(self, X: Any, node_weights: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from soft labels: the score S_i(c) of every node for every document, `(n_documents, n_nodes)`.

        Nothing is closed upward: a level that is not weighted does not count. A document without any weight is not
        labelled. Needs a hierarchy; answers are lists of labels.

        >>> from classmark import Hierarchy, PathNB
        >>> tree = Hierarchy.from_paths(["a/x", "a/y"])
        >>> model = PathNB(hierarchy=tree).fit_soft([[1, 0], [0, 1]], [[1, 0.7, 0.3], [1, 0, 1]])
        >>> model.predict([[1, 0]])
        [['a/x']]
        """
        X = self._begin_without_labels(X)
        weights = _checked_node_weights(node_weights, X.shape[0], len(self.hierarchy_))
        self.ends_ = self._ends_of(weights)
        scores = self._path_scores(weights)
        self._learn_from_scores(X, scores, _divided(scores), checked_weight(sample_weight, X.shape[0]))
        return self

    def _learn_levels(self, X: csr_array, levels: Integers, weight: Floats | None) -> None:
        """Learn from S_ij by Equation 2, the label of each depth scoring for all paths through it."""
        self.ends_ = self._ends_of(nodes_of(levels, self.hierarchy_))
        paths = below(self.ends_, self.hierarchy_).astype(np.float64)
        shape = (len(levels), len(self.hierarchy_))
        scores = csr_array((shape[0], self.ends_.size))
        for counts, nodes in zip(self._weights_of_levels(levels.shape[1]), levels.T, strict=True):
            rows = np.flatnonzero(nodes >= 0)
            scores = scores + counts * (indicator(rows, nodes[rows], shape).astype(np.float64) @ paths)
        scores = csr_array(scores)
        scores.eliminate_zeros()
        self._learn_from_scores(X, scores, _divided(scores), weight)

    def _scores_of_labels(self, labels: csr_array) -> csr_array:
        # S_i(c): the fraction of the own labels at or below every node.
        return self._path_scores(csr_array(labels @ self.hierarchy_.ancestors.astype(np.float64)))

    def _path_scores(self, node_scores: csr_array) -> csr_array:
        """Give S_ij by Equation 2, the dummy nodes below an end scoring as the end does."""
        levels = self.hierarchy_.levels
        weights = self._weights_of_levels(int(levels[self.ends_].max()))
        of_nodes = np.zeros(len(levels))
        on_paths = levels <= weights.size
        of_nodes[on_paths] = weights[levels[on_paths] - 1]
        dummies = np.append(np.cumsum(weights[::-1])[::-1], 0.0)[levels[self.ends_]]
        paths = diags_array(of_nodes) @ below(self.ends_, self.hierarchy_).astype(np.float64)
        scores = csr_array(node_scores @ paths + node_scores[:, self.ends_] @ diags_array(dummies))
        scores.eliminate_zeros()
        return scores

    def _weights_of_levels(self, depth: int) -> Floats:
        if self.level_weight is None:
            return np.ones(depth)
        if len(self.level_weight) < depth:
            raise InputError(
                f"level_weight has {len(self.level_weight)} numbers for paths of {depth} levels; give one a level"
            )
        return np.asarray(self.level_weight[:depth], dtype=np.float64)

    def _rules(self) -> Rules:
        return replace(super()._rules(), blend=_blend(self.ends_, self.hierarchy_, self.shrinkage))


class PathEM(SemiSupervised, PathNB):
    """Path cost-sensitive EM: `PathNB` that learns from unlabelled documents, `None` in y, too (Algorithm 1).

    Labelled documents count by their path scores, unlabelled ones by the posteriors of the paths under the current
    model, from the model of the labelled documents on, until the likelihood (Equation 8) hardly rises.

    Examples
    --------
    >>> from classmark import Hierarchy, PathEM
    >>> tree = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})
    >>> X = [[3, 0, 0, 0], [0, 3, 0, 0], [0, 0, 3, 0], [4, 0, 0, 4]]
    >>> model = PathEM(hierarchy=tree, vocabulary="all").fit(X, ["owl", "gull", "oak", None])
    >>> model.predict([[0, 0, 0, 2]])
    array(['owl'], dtype=object)
    >>> bool(np.all(np.diff(model.objective_) >= 0))
    True
    """


def _blend(ends: Integers, hierarchy: Hierarchy, shrinkage: float) -> csr_array | None:
    """Give the matrix that replaces a part of each path's counts by the mean of its siblings', none at the top."""
    if not shrinkage:
        return None
    parents = hierarchy.parents[ends].astype(np.float64)
    related = csr_array(parents @ parents.T).astype(bool).astype(np.float64)
    siblings = csr_array(related - diags_array(related.diagonal()))
    number = siblings.sum(axis=1)
    mean = diags_array(np.divide(1.0, number, out=np.zeros_like(number), where=number > 0)) @ siblings
    kept = diags_array(np.where(number > 0, 1.0 - shrinkage, 1.0))
    # A row of `mean` holds the siblings of a path; counts are multiplied from the left.
    return csr_array((kept + shrinkage * mean).T)


def _divided(scores: csr_array) -> csr_array:
    """Divide each document's scores of paths by their sum."""
    return csr_array(diags_array(1.0 / np.maximum(scores.sum(axis=1), np.finfo(float).tiny)) @ scores)


def _checked_node_weights(node_weights: Any, documents: int, nodes: int) -> csr_array:
    weights = csr_array(node_weights, dtype=np.float64)
    if weights.shape != (documents, nodes):
        raise InputError(f"node_weights has shape {weights.shape}; give {documents} documents × {nodes} nodes")
    if not np.isfinite(weights.data).all() or (weights.data < 0).any():
        raise InputError("node_weights must be finite and not negative")
    weights.sum_duplicates()
    weights.eliminate_zeros()
    if not weights.nnz:
        raise InputError("no document is labelled; give some node a weight above 0")
    return weights
