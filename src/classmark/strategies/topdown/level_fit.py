"""Learning a hierarchy level by level: one multi-class learner whose classes are all categories of a level.

What it says of the children of one node is then that node's local model, so that the way down is the same as with a
learner for each node, and a document never lands under a category that it was not put into. Where documents may stay
at an inner node, staying is a class of the level below it.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from classmark.arrays import Floats
from classmark.base import HierarchicalClassifier
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.parallel import in_order
from classmark.strategies.topdown.linear_bank import LinearModel
from classmark.strategies.topdown.local import ROOT, LocalProblem
from classmark.strategies.topdown.local_fit import (
    Columns,
    Weight,
    compressed,
    constant,
    examples,
    fit_classes,
    linear_weights,
)


def fit_levels(
    problems: Sequence[LocalProblem],
    X: csr_array,
    weight: Weight,
    learner: Any,
    hierarchy: Hierarchy,
    n_jobs: int | None = None,
) -> Iterator[LinearModel]:
    """Give the models of the local problems, in their order; those of one level come from one learner."""
    if isinstance(learner, HierarchicalClassifier) or not hasattr(learner, "fit"):
        raise InputError(f"per is 'level', which takes linear learners of scikit-learn's, not {type(learner).__name__}")
    groups: dict[int, list[LocalProblem]] = {}
    for problem in problems:
        level = 0 if problem.parent == ROOT else int(hierarchy.levels[problem.parent])
        groups.setdefault(level, []).append(problem)
    tasks = ((clone(learner), group) for group in groups.values())
    with threadpool_limits(1, user_api="blas"):
        fitted = list(in_order(_fit_one, tasks, shared=(X, weight), n_jobs=n_jobs))
    parents = (problem.parent for problem in chain.from_iterable(groups.values()))
    models = dict(zip(parents, chain.from_iterable(fitted), strict=True))
    return (models[problem.parent] for problem in problems)


def _fit_one(X: csr_array, weight: Weight, learner: Any, problems: Sequence[LocalProblem]) -> list[LinearModel]:
    """Fit one learner on documents that all share."""
    return fit_level(learner, X, problems, weight)


def fit_level(learner: Any, X: csr_array, problems: Sequence[LocalProblem], weight: Weight) -> list[LinearModel]:
    """Fit one learner on the slots of all problems of a level, and give each problem its part."""
    starts = np.cumsum([0, *(one.slots.size for one in problems)])
    parts = [examples(one.targets) for one in problems]
    rows = np.concatenate([one.documents[row] for one, (row, _) in zip(problems, parts, strict=True)])
    classes = np.concatenate([found + start for (_, found), start in zip(parts, starts[:-1], strict=True)])
    columns, local = compressed(csr_array(X[rows]))
    margins = fit_classes(learner, local, classes, None if weight is None else weight[rows], int(starts[-1]))
    if margins is not None:
        return [constant(columns, margins[start:stop]) for start, stop in pairwise(starts)]
    if not hasattr(learner, "coef_"):
        raise InputError(f"per is 'level', which takes linear learners, and {type(learner).__name__} is not linear")
    weights, intercepts = np.zeros((columns.size, starts[-1])), np.full(starts[-1], -1.0)
    weights[:, learner.classes_], intercepts[learner.classes_] = linear_weights(learner)
    return [
        _part(one, columns, weights[:, start:stop], intercepts[start:stop])
        for one, (start, stop) in zip(problems, pairwise(starts), strict=True)
    ]


def _part(problem: LocalProblem, columns: Columns, weights: Floats, intercepts: Floats) -> LinearModel:
    """Give a problem's part of its level; a single child has nobody to be told from."""
    if problem.passes:
        return constant(columns, [np.inf])
    kept = np.flatnonzero(weights.any(axis=1))
    return LinearModel(columns[kept], weights[kept], intercepts)
