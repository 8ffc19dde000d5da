"""Learning the local problems of a hierarchy, one at a time or several at once.

What is learned at a node sees only the columns that its documents have, which makes thousands of small problems out of
one large one. Linear learners of scikit-learn become a `LinearModel`; all others stay as they are, behind `margins`.

`fit_levels` fits one multi-class learner for each level, whose classes are all categories of the level. Its part for
the children of one node is then that node's local model, so that the way down is the same as with a
learner for each node, and a document never lands under a category that it was not put into. Where documents may stay
at an inner node, staying is a class of the level below it.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array, csr_array
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from classmark.arrays import Floats
from classmark.base import HierarchicalClassifier
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.parallel import elsewhere, in_order
from classmark.selection import TermSelector
from classmark.strategies.one_vs_rest import ConstantMargin, fit_binary, linear_part, margin
from classmark.strategies.topdown.linear_bank import LinearModel
from classmark.strategies.topdown.local import ROOT, LocalProblem

Columns: TypeAlias = npt.NDArray[np.integer[Any]]
Weight: TypeAlias = Floats | None


class BinaryModels(NamedTuple):
    """One fitted learner for each slot."""

    columns: Columns
    estimators: list[Any]

    def margins(self, X: csr_array) -> Floats:
        """Give the margins of the slots."""
        return np.stack([margin(estimator, X) for estimator in self.estimators], axis=1)


class MultiClassModel(NamedTuple):
    """One fitted learner whose classes are the slots."""

    columns: Columns
    estimator: Any

    def margins(self, X: csr_array) -> Floats:
        """Give the logarithms of the slots' chances, or their margins where there are no chances."""
        if hasattr(self.estimator, "predict_proba"):
            return np.asarray(np.log(np.clip(self.estimator.predict_proba(X), 1e-15, 1.0)))
        found = np.asarray(self.estimator.decision_function(X))
        return np.stack([-found, found], axis=1) if found.ndim == 1 else found


class MultiLabelModel(NamedTuple):
    """One fitted classifier of ours that scores all slots but those that are passed."""

    columns: Columns
    classifier: HierarchicalClassifier
    passed: npt.NDArray[np.bool_]

    def margins(self, X: csr_array) -> Floats:
        """Give the scores of the slots."""
        found = np.full((X.shape[0], self.passed.size), np.inf)
        found[:, ~self.passed] = self.classifier.node_scores(X)
        return found


LocalModel: TypeAlias = LinearModel | BinaryModels | MultiClassModel | MultiLabelModel


def fit_all(
    problems: Sequence[LocalProblem],
    X: csr_array,
    weight: Weight,
    learner: Any,
    *,
    per: str,
    selector: TermSelector | None = None,
    n_jobs: int | None = None,
) -> Iterator[LocalModel]:
    """Give the models of the local problems, in their order.

    Parameters
    ----------
    per : "node" or "parent"
        Whether a learner of scikit-learn's is fitted for each slot, or once with the slots as its classes.
    selector : TermSelector, optional
        Chooses the terms of each problem.
    """
    ours = isinstance(learner, HierarchicalClassifier)
    fit = fit_multi_label if ours else FITS[per]
    if elsewhere() is not None:
        # Every worker has all documents, and cuts out what a problem learns from by itself; the largest are first.
        entries = np.diff(X.indptr)
        costs = [float(entries[problem.documents].sum()) * problem.slots.size for problem in problems]
        there = ((clone(learner), problem) for problem in problems)
        yield from in_order(_fit_there, there, shared=(X, weight, selector, fit), costs=costs)
        return
    tasks = ((clone(learner), *given) for given in _given(problems, X, weight, selector))
    # liblinear calls BLAS on short vectors, where more threads than one only get in each other's way.
    with threadpool_limits(1, user_api="blas"):
        # Compiled kernels let go of the interpreter's lock, scikit-learn mostly does not.
        yield from in_order(_fitted, tasks, shared=(fit,), n_jobs=n_jobs, threads=ours)


def _fit_there(
    X: csr_array, weight: Weight, selector: TermSelector | None, fit: Any, learner: Any, problem: LocalProblem
) -> LocalModel:
    """Cut out what one problem learns from, and learn it."""
    [given] = _given([problem], X, weight, selector)
    return _fitted(fit, learner, *given)


def _fitted(
    fit: Any, learner: Any, columns: Columns, X: csr_array, problem: LocalProblem, weight: Weight
) -> LocalModel:
    """Fit a learner on one problem, unless there is nothing to tell apart."""
    model: LocalModel = (
        fit(learner, columns, X, problem, weight) if problem.documents.size else constant(columns, [np.inf])
    )
    return model


def _given(
    problems: Iterable[LocalProblem], X: csr_array, weight: Weight, selector: TermSelector | None
) -> Iterator[tuple[Columns, csr_array, LocalProblem, Weight]]:
    """Cut out what each problem learns from: its documents, and of these the columns that occur or are chosen."""
    for problem in problems:
        if problem.passes:
            yield np.empty(0, np.int32), csr_array((0, 0)), problem._replace(documents=problem.documents[:0]), None
            continue
        local = csr_array(X[problem.documents])
        columns: Columns
        if selector is not None:
            columns = np.sort(selector.choose(local, csr_array(problem.targets)))
            local = csr_array(local[:, columns])
        else:
            columns, local = compressed(local)
        yield columns, local, problem, None if weight is None else weight[problem.documents]


def compressed(X: csr_array) -> tuple[Columns, csr_array]:
    """Give the columns that occur, and the matrix of these alone."""
    if X.nnz < X.shape[1]:
        columns, positions = np.unique(X.indices, return_inverse=True)
    else:
        # A matrix that is longer than it is wide need not be sorted.
        occurs = np.zeros(X.shape[1], dtype=bool)
        occurs[X.indices] = True
        columns, positions = np.flatnonzero(occurs).astype(X.indices.dtype), (np.cumsum(occurs) - 1)[X.indices]
    parts = (X.data, positions.astype(np.int32), X.indptr.astype(np.int32, copy=False))
    return columns, csr_array(parts, shape=(X.shape[0], columns.size))


def constant(columns: Columns, intercepts: npt.ArrayLike) -> LinearModel:
    """Give the model that says the same of every document."""
    found = np.asarray(intercepts, dtype=np.float64)
    return LinearModel(columns[:0], np.zeros((0, found.size)), found)


def fit_per_node(
    learner: Any, columns: Columns, X: csr_array, problem: LocalProblem, weight: Weight
) -> LinearModel | BinaryModels:
    """Fit a copy of a binary learner for each slot; a slot without a positive document is passed."""
    targets = problem.targets
    fitted: list[Any] = []
    for slot in range(problem.slots.size):
        positives = targets.indices[targets.indptr[slot] : targets.indptr[slot + 1]]
        fitted.append(fit_binary(X, clone(learner), positives, weight) if positives.size else ConstantMargin(np.inf))
    weights, intercepts = np.zeros((columns.size, len(fitted))), np.zeros(len(fitted))
    for slot, part in enumerate(map(linear_part, fitted)):
        if part is None:
            return BinaryModels(columns, fitted)
        weights[:, slot], intercepts[slot] = part
    return LinearModel(columns, weights, intercepts)


def fit_per_parent(
    learner: Any, columns: Columns, X: csr_array, problem: LocalProblem, weight: Weight
) -> LinearModel | MultiClassModel:
    """Fit a learner whose classes are the slots; a document of several is an example of each, of none one of a last."""
    rows, classes = examples(problem.targets)
    size = problem.targets.shape[1] + int((classes == problem.targets.shape[1]).any())
    margins = fit_classes(learner, X[rows], classes, None if weight is None else weight[rows], size)
    if margins is not None:
        return constant(columns, margins)
    if not hasattr(learner, "coef_"):
        return MultiClassModel(columns, learner)
    return LinearModel(columns, *linear_weights(learner))


def fit_classes(
    learner: Any, X: csr_array, classes: npt.NDArray[np.intp], weight: Weight, n_classes: int
) -> Floats | None:
    """Fit a multi-class learner; where fewer than two classes count, give the margins of all classes in its place."""
    counted = np.unique(classes if weight is None else classes[weight > 0])
    if counted.size < 2:
        return np.where(np.isin(np.arange(n_classes), counted), 1.0, -1.0)
    learner.fit(X, classes, **({} if weight is None else {"sample_weight": weight}))
    return None


def linear_weights(learner: Any) -> tuple[Floats, Floats]:
    """Give the weights of a fitted multi-class linear learner, one column per class, and the intercepts."""
    # SVC's weights are sparse where X is.
    coef = learner.coef_.toarray() if hasattr(learner.coef_, "toarray") else learner.coef_
    weights = np.atleast_2d(np.asarray(coef, dtype=np.float64)).T
    intercepts = np.ravel(learner.intercept_) * np.ones(weights.shape[1])
    if len(learner.classes_) == 2:
        # Of two classes a linear learner keeps one side: the logit of the second, or a margin that is also the first's.
        first = 0.0 if hasattr(learner, "predict_proba") else -1.0
        weights, intercepts = np.hstack([first * weights, weights]), np.append(first * intercepts, intercepts)
    return weights, intercepts


FITS = {"node": fit_per_node, "parent": fit_per_parent}


def fit_multi_label(
    learner: Any, columns: Columns, X: csr_array, problem: LocalProblem, weight: Weight
) -> LinearModel | MultiLabelModel:
    """Fit a classifier of ours on all slots at once."""
    passed = np.diff(problem.targets.indptr) == 0
    if passed.all():
        return constant(columns, np.full(passed.size, np.inf))
    flat = Hierarchy.flat(range(int((~passed).sum())))
    learner.set_params(hierarchy=flat).fit(X, csr_array(problem.targets[:, ~passed]), weight)
    if getattr(learner, "interrupted_", False):
        # A booster keeps the rounds it has done; the nodes that are left would go on as if nothing had happened.
        raise KeyboardInterrupt
    return MultiLabelModel(columns, learner, passed)


def leads_nowhere(problem: LocalProblem, per: str) -> bool:
    """Say whether a multi-class problem has documents of no slot, so that one more class stands for these."""
    return per == "parent" and bool((np.diff(csr_array(problem.targets).indptr) == 0).any())


def examples(targets: csc_array) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Give the rows and classes of the examples, documents of no slot as those of a last class."""
    by_row = csr_array(targets)
    counts = np.diff(by_row.indptr)
    rows = np.append(np.repeat(np.arange(counts.size), counts), np.flatnonzero(counts == 0))
    classes = np.append(by_row.indices, np.full((counts == 0).sum(), targets.shape[1]))
    order = np.argsort(rows, kind="stable")
    return rows[order], classes[order].astype(np.intp)


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
        fitted = list(in_order(fit_level, tasks, shared=(X, weight), n_jobs=n_jobs))
    parents = (problem.parent for problem in chain.from_iterable(groups.values()))
    models = dict(zip(parents, chain.from_iterable(fitted), strict=True))
    return (models[problem.parent] for problem in problems)


def fit_level(X: csr_array, weight: Weight, learner: Any, problems: Sequence[LocalProblem]) -> list[LinearModel]:
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
