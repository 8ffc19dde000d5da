"""One evaluation: true and predicted label sets in every form that a measure asks for, each made once.

`first_figures` evaluates the best-scored category alone, independently of the decision.

`error_kinds` compares the answer about a document with the truth. Both are sets of own labels, T the true and P the
predicted ones, and a label stands for its ancestors too. A true label is *missed* if P neither has it nor has a label
below it, and a predicted one is *wrong* if T neither has it nor has one below it. Then a document is

- `right`: nothing is missed or wrong;
- `too shallow`: nothing is wrong, and every missed label is below a predicted one;
- `missing`: nothing is wrong otherwise, such as where nothing is predicted;
- `too deep`: nothing is missed, and every wrong label is below a true one;
- `extra`: nothing is missed otherwise, such as where nothing is true;
- `sibling`: something is missed and something wrong, and every wrong label has a parent of a missed one;
- `other branch`: something is missed and something wrong otherwise; two categories at the top are two branches.

`coverage_curve` evaluates the answers without the least confident ones. Documents come in the order of the confidence
in their answers, the surest first, and the measures are taken of the first of them: of a tenth, two tenths and so on
(Y. Geifman and R. El-Yaniv, "Selective classification for deep neural networks", 2017). Documents of equal confidence
stand together, in no order: of such a group as much counts as the share asks for, every document of it by the same
part.

A share c of n documents is c n documents. With the sums over these, documents cut by the share counting by that part:

    accuracy  the share whose label set is exactly right, ancestors included; a document that belongs nowhere and has no
              label is right
    first     the share whose best-scored category is one of the own labels, of those with a true label
    hf        hF, micro-averaged
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.indicator import canonical
from classmark.metrics.calibration import Reliability
from classmark.metrics.flat import Counts
from classmark.metrics.hierarchical import HierarchicalScores, label_sets
from classmark.metrics.ranking import Ranking


# eq=False: numpy compares arrays element by element, so a generated == could only raise.
@dataclass(frozen=True, eq=False)
class Evaluation:
    """The answers to some documents, and the truth about them.

    Parameters
    ----------
    true, predicted : csr_array of bool, (n_documents, n_nodes)
        The label sets; ancestors are added or taken away here.
    hierarchy : Hierarchy
        The categories.
    first : array of int, (n_documents,), optional
        The position of each document's best-scored category, -1 where there is none.
    ranking : Ranking, optional
        Which of the best-scored categories are true.
    reliability : Reliability, optional
        The probabilities, as they were judged.

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a/x"])
    >>> found = Evaluation(csr_array([[False, True]]), csr_array([[True, False]]), tree)
    >>> found.closed_true.toarray(), found.own_predicted.toarray()
    (array([[ True,  True]]), array([[ True, False]]))
    """

    true: csr_array
    predicted: csr_array
    hierarchy: Hierarchy
    first: npt.NDArray[Any] | None = None
    ranking: Ranking | None = None
    reliability: Reliability | None = None

    @cached_property
    def given(self) -> csr_array:
        """The predicted sets as they came."""
        return label_sets(self.predicted, self.hierarchy)

    @cached_property
    def own_true(self) -> csr_array:
        """The true labels without a true descendant."""
        return self.hierarchy.own(label_sets(self.true, self.hierarchy))

    @cached_property
    def own_predicted(self) -> csr_array:
        """The predicted labels without a predicted descendant."""
        return self.hierarchy.own(self.given)

    @cached_property
    def closed_true(self) -> csr_array:
        """The true labels and all their ancestors."""
        return self.hierarchy.close(self.own_true)

    @cached_property
    def closed_predicted(self) -> csr_array:
        """The predicted labels and all their ancestors."""
        return self.hierarchy.close(self.given)

    @cached_property
    def node_counts(self) -> Counts:
        """What closed sets share, for each node."""
        return Counts.per_node(self.closed_true, self.closed_predicted)

    @property
    def has_label(self) -> npt.NDArray[np.bool_]:
        """Whether each document has a true label."""
        return np.diff(self.own_true.indptr) > 0


def first_figures(found: Evaluation) -> dict[str, float]:
    """Evaluate the best-scored categories on the documents with a true label.

    >>> from classmark import Hierarchy
    >>> labels, tree = csr_array([[False, True, False]]), Hierarchy.from_paths(["a/x", "a/y"])
    >>> first_figures(Evaluation(labels, labels, tree, first=np.array([2])))
    {'accuracy': 0.0, 'hf': 0.5}
    """
    first, own = np.asarray(found.first), found.own_true
    check_first(first, own.shape)
    # Without a true label or without a category a document's row is empty: no hit, nothing predicted.
    documents = np.flatnonzero(found.has_label & (first >= 0))
    best = csr_array((np.ones(documents.size, dtype=bool), (documents, first[documents])), shape=own.shape)
    counts = Counts.overall(found.closed_true, found.hierarchy.close(best))
    return {
        "accuracy": own.multiply(best).nnz / max(1, int(found.has_label.sum())),
        "hf": HierarchicalScores.from_counts(counts).hf,
    }


def check_first(first: npt.NDArray[Any], shape: tuple[int, int]) -> None:
    """Refuse what are no positions of categories, one a document."""
    n_documents, n_nodes = shape
    if first.shape != (n_documents,) or first.dtype.kind not in "iu":
        raise InputError(f"first has type {first.dtype} and shape {first.shape}; give {n_documents} integers")
    if first.min() < -1 or first.max() >= n_nodes:
        raise InputError(f"first goes from {first.min()} to {first.max()}; give positions from -1 to {n_nodes - 1}")


ERROR_KINDS = ("right", "too shallow", "too deep", "sibling", "other branch", "missing", "extra")
RIGHT, SHALLOW, DEEP, SIBLING, BRANCH, MISSING, EXTRA = range(len(ERROR_KINDS))

Truths: TypeAlias = npt.NDArray[np.bool_]


def error_kinds(true: csr_array, predicted: csr_array, hierarchy: Hierarchy) -> npt.NDArray[np.intp]:
    """Give the kind of each document's answer, a position in `ERROR_KINDS`.

    Parameters
    ----------
    true, predicted : csr_array of bool, (n_documents, n_nodes)
        The label sets, with their ancestors or without.
    hierarchy : Hierarchy
        The categories, a tree or a DAG.

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a/x", "a/y", "b"])
    >>> label = {name: row for name, row in zip(tree.names, np.eye(4, dtype=bool), strict=True)}
    >>> answers = ["a/x", "a", "a/y", "b"]
    >>> true, predicted = csr_array([label["a/x"]] * 4), csr_array([label[answer] for answer in answers])
    >>> [ERROR_KINDS[kind] for kind in error_kinds(true, predicted, tree)]
    ['right', 'too shallow', 'sibling', 'other branch']
    """
    closed_true, closed_predicted = hierarchy.close(true), hierarchy.close(predicted)
    own_true, own_predicted = hierarchy.own(closed_true), hierarchy.own(closed_predicted)
    missed, wrong = canonical(own_true > closed_predicted), canonical(own_predicted > closed_true)
    any_missed, any_wrong = (np.diff(found.indptr) > 0 for found in (missed, wrong))
    above, parents_of_missed = hierarchy.ancestors, (missed @ hierarchy.parents).astype(bool)
    # Of several cases that hold, the first one counts.
    cases: dict[int, Truths] = {
        RIGHT: ~any_missed & ~any_wrong,
        SHALLOW: ~any_wrong & _all_meet(missed, above, own_predicted),
        MISSING: ~any_wrong,
        DEEP: ~any_missed & _all_meet(wrong, above, own_true),
        EXTRA: ~any_missed,
        SIBLING: _all_meet(wrong, hierarchy.parents, parents_of_missed),
    }
    return np.select(list(cases.values()), [np.intp(kind) for kind in cases], np.intp(BRANCH))


def _all_meet(labels: csr_array, relation: csr_array, others: csr_array) -> Truths:
    """Say for each document whether every one of its labels has a node that it is related to among the others."""
    rows = np.repeat(np.arange(labels.shape[0]), np.diff(labels.indptr))
    met = np.diff(canonical(relation[labels.indices].multiply(others[rows])).indptr) > 0
    failing = np.bincount(rows[~met], minlength=labels.shape[0])
    return np.asarray(failing == 0)


SHARES = tuple(tenth / 10 for tenth in range(1, 11))


@dataclass(frozen=True, kw_only=True)
class CoveragePoint:
    """How good the surest answers are."""

    coverage: float
    """The share of documents that are answered."""
    confidence: float
    """The least confidence among them."""
    accuracy: float
    """The share of them whose label set is exactly right."""
    first: float
    """The share of those with a true label whose first category is right."""
    hf: float
    """Their hF."""


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """How good answers are against the share of documents answered."""

    area: float
    """The mean accuracy over every number of documents answered, from one to all."""
    points: Sequence[CoveragePoint]
    """The figures at some shares."""


def coverage_curve(
    true: csr_array,
    predicted: csr_array,
    first: npt.ArrayLike,
    confidence: npt.ArrayLike,
    hierarchy: Hierarchy,
    shares: Sequence[float] = SHARES,
) -> Coverage:
    """Measure the surest answers, more and more of them.

    Parameters
    ----------
    true, predicted : csr_array of bool, (n_documents, n_nodes)
        The label sets; ancestors are added here.
    first : array of int, (n_documents,)
        The position of each document's best-scored category, -1 where there is none, which counts as wrong.
    confidence : array of float, (n_documents,)
        How sure each answer is; only the order counts, and what is equal.
    hierarchy : Hierarchy
        The categories.
    shares : sequence of float
        The shares of documents to answer, above 0 and up to 1.

    Examples
    --------
    >>> flat = Hierarchy.flat("ab")
    >>> true, predicted = csr_array([[True, False]] * 4), csr_array([[True, False]] * 3 + [[False, True]])
    >>> curve = coverage_curve(true, predicted, [0, 0, 0, 1], [0.9, 0.8, 0.8, 0.8], flat, [0.25, 0.5, 1])
    >>> [round(point.accuracy, 3) for point in curve.points]  # of the second share one third of (2 right of 3)
    [1.0, 0.833, 0.75]
    """
    found = Evaluation(true, predicted, hierarchy, first=np.asarray(first))
    sure = _checked(np.asarray(confidence, dtype=np.float64), found)
    order = np.argsort(-sure, kind="stable")
    # After how many documents a group of equals ends, 0 among these.
    ends = np.append(0, np.flatnonzero(np.append(sure[order][1:] != sure[order][:-1], True)) + 1)
    sums = _sums(found, order)[:, ends]
    answered = np.asarray(shares, dtype=np.float64)
    if answered.ndim != 1 or not ((answered > 0) & (answered <= 1)).all():
        raise InputError(f"shares are {shares!r}; give numbers above 0 and up to 1")
    # Rounded: 0.07 of a hundred documents are seven, whatever their product.
    asked = np.round(answered * order.size, 9)
    hits, firsts, labelled, *counts = (np.interp(asked, ends, some) for some in sums)
    figures = {
        "coverage": answered,
        "confidence": sure[order][ends[np.searchsorted(ends, asked)] - 1],
        "accuracy": hits / asked,
        "first": np.divide(firsts, labelled, out=np.zeros_like(firsts), where=labelled > 0),
        "hf": Counts(*counts).f(),
    }
    rows = zip(*(some.tolist() for some in figures.values()), strict=True)
    points = [CoveragePoint(**dict(zip(figures, row, strict=True))) for row in rows]
    every = np.arange(1, order.size + 1)
    return Coverage(area=float((np.interp(every, ends, sums[0]) / every).mean()), points=points)


def _checked(confidence: Floats, found: Evaluation) -> Floats:
    """Refuse what is not a number a document."""
    documents = found.own_true.shape[0]
    if not documents:
        raise InputError("no document to evaluate: the indicators have no rows; give at least one document")
    if confidence.shape != (documents,) or np.isnan(confidence).any():
        raise InputError(f"confidence has shape {confidence.shape}; give {documents} numbers, none of them NaN")
    check_first(np.asarray(found.first), found.own_true.shape)
    return confidence


def _sums(found: Evaluation, order: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """Sum over the first so many documents, none included: what is exactly right, first right, and so on."""
    counts = Counts.per_document(found.closed_true, found.closed_predicted)
    first = np.asarray(found.first)
    rows = np.flatnonzero(first >= 0)
    best = csr_array((np.ones(rows.size, dtype=bool), (rows, first[rows])), shape=found.own_true.shape)
    hit = Counts.per_document(found.own_true, best).tp
    exact = (counts.tp == counts.predicted) & (counts.tp == counts.true)
    table = np.array([exact, hit, found.has_label, counts.tp, counts.predicted, counts.true], dtype=np.int64)
    return np.concatenate([np.zeros((len(table), 1), dtype=np.int64), np.cumsum(table[:, order], axis=1)], axis=1)
