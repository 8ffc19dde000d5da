"""Flat measures: each node is a yes-or-no question of its own, and the hierarchy is not looked at.

`Counts` is what all measures are made of, the hierarchical ones too: they only count other sets.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.checks import check_values, real
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.indicator import canonical
from classmark.labels import encode

Integers: TypeAlias = npt.NDArray[np.integer]
Numbers: TypeAlias = npt.NDArray[Any]


# eq=False here and below: numpy compares arrays element by element, so a generated == could only raise.
@dataclass(frozen=True, eq=False)
class Counts:
    """Shared, predicted and true labels, counted in groups: per node, per document, or all in one.

    Attributes
    ----------
    tp : array
        Number of labels of each group that are both true and predicted.
    predicted, true : arrays
        Numbers of predicted and of true labels of each group. Sums of weights may replace all three numbers.

    Examples
    --------
    >>> true = csr_array([[True, True, False], [False, True, False]])
    >>> predicted = csr_array([[True, False, False], [False, True, True]])
    >>> counts = Counts.per_node(true, predicted)
    >>> counts.tp.tolist(), counts.predicted.tolist(), counts.true.tolist()
    ([1, 1, 0], [1, 1, 1], [1, 2, 0])
    >>> counts.precision().tolist(), counts.recall().tolist()
    ([1.0, 1.0, 0.0], [1.0, 0.5, 0.0])
    """

    tp: Numbers
    predicted: Numbers
    true: Numbers

    @classmethod
    def per_node(cls, true: csr_array, predicted: csr_array) -> "Counts":
        """Count a group for each node, the columns of the two indicators."""
        tp, guessed, right = (np.bincount(m.indices, minlength=m.shape[1]) for m in overlap(true, predicted))
        return cls(tp, guessed, right)

    @classmethod
    def per_document(cls, true: csr_array, predicted: csr_array) -> "Counts":
        """Count a group for each document, the rows of the two indicators."""
        tp, guessed, right = (np.diff(m.indptr) for m in overlap(true, predicted))
        return cls(tp, guessed, right)

    @classmethod
    def overall(cls, true: csr_array, predicted: csr_array) -> "Counts":
        """Count all labels of all documents as one group."""
        return cls.per_document(true, predicted).total()

    def at(self, groups: npt.ArrayLike) -> "Counts":
        """Keep the groups at these positions."""
        positions = check_positions(groups, self.tp.size)
        return Counts(self.tp[positions], self.predicted[positions], self.true[positions])

    def total(self) -> "Counts":
        """Put all groups into one."""
        return Counts(*(part.sum(keepdims=True) for part in (self.tp, self.predicted, self.true)))

    def precision(self, zero_division: float = 0.0) -> Floats:
        """Give for each group the share of the predicted labels that are true."""
        return _ratio(self.tp, self.predicted, zero_division)

    def recall(self, zero_division: float = 0.0) -> Floats:
        """Give for each group the share of the true labels that are predicted."""
        return _ratio(self.tp, self.true, zero_division)

    def f(self, beta: float = 1.0, zero_division: float = 0.0) -> Floats:
        """Give F for each group: the harmonic mean of precision (weight 1) and recall (weight `beta`²)."""
        # (β² + 1)PR / (β²P + R) with P = tp / predicted and R = tp / true, reduced by tp. So written it is
        # 0/0 only where nothing is predicted and nothing true (for β = 0, where F is P: nothing predicted).
        share = 1 / (1 + beta * beta)
        return _ratio(self.tp, share * self.predicted + (1 - share) * self.true, zero_division)

    def means(self, beta: float = 1.0, zero_division: float = 0.0) -> tuple[float, float, float]:
        """Give the means of precision, recall and F over the groups."""
        parts = self.precision(zero_division), self.recall(zero_division), self.f(beta, zero_division)
        precision, recall, f = (float(part.mean()) for part in parts)
        return precision, recall, f


@dataclass(frozen=True, eq=False)
class FlatScores:
    """Precision, recall and F1 of each node, and their averages.

    Attributes
    ----------
    precision, recall, f1 : arrays of float
        One value for each node of the set.
    support : array of int
        The number of documents of each node.
    micro_precision, micro_recall, micro_f1 : float
        Of all decisions on all nodes of the set together.
    macro_precision, macro_recall, macro_f1 : float
        The mean over all nodes of the set.
    macro_f1_present : float
        The mean F1 over those nodes of the set that have a true document.

    Examples
    --------
    >>> counts = Counts(tp=np.array([1, 0]), predicted=np.array([2, 0]), true=np.array([1, 0]))
    >>> scores = FlatScores.from_counts(counts)
    >>> round(scores.macro_f1, 3), round(scores.macro_f1_present, 3)
    (0.333, 0.667)
    """

    precision: Floats
    recall: Floats
    f1: Floats
    support: Integers
    micro_precision: float
    micro_recall: float
    micro_f1: float
    macro_precision: float
    macro_recall: float
    macro_f1: float
    macro_f1_present: float

    @classmethod
    def from_counts(cls, counts: Counts, zero_division: float = 0.0) -> "FlatScores":
        """Compute the scores of nodes already counted."""
        precision, recall = counts.precision(zero_division), counts.recall(zero_division)
        f1 = counts.f(zero_division=zero_division)
        total = counts.total()
        present = counts.true > 0
        return cls(
            precision=precision,
            recall=recall,
            f1=f1,
            support=counts.true,
            micro_precision=float(total.precision(zero_division)[0]),
            micro_recall=float(total.recall(zero_division)[0]),
            micro_f1=float(total.f(zero_division=zero_division)[0]),
            macro_precision=float(precision.mean()),
            macro_recall=float(recall.mean()),
            macro_f1=float(f1.mean()),
            macro_f1_present=float(f1[present].mean()) if present.any() else float(zero_division),
        )


def flat_scores(
    true: csr_array, predicted: csr_array, nodes: npt.ArrayLike | None = None, zero_division: float = 0.0
) -> FlatScores:
    """Compute precision, recall and F1 of each node and their micro and macro averages.

    Parameters
    ----------
    true, predicted : csr_array of bool, (n_documents, n_nodes), or lists of labels
        The label sets, as they are: close them first where ancestors are to count. With lists, nodes are all labels
        that occur, in alphabetical order.
    nodes : array of int, optional
        The positions of the nodes to look at, such as `hierarchy.leaves`; all by default.
    zero_division : float, from 0 to 1
        The value of 0/0: of precision where a node is never predicted, of recall where it is never true, and
        of F1 where it is neither, as in scikit-learn.

    Examples
    --------
    >>> true = csr_array([[True, False], [True, True]])
    >>> predicted = csr_array([[True, False], [False, True]])
    >>> scores = flat_scores(true, predicted)
    >>> scores.micro_precision, round(scores.micro_recall, 3), scores.recall.tolist()
    (1.0, 0.667, [0.5, 1.0])
    >>> flat_scores(true, predicted, nodes=[1]).macro_f1
    1.0
    """
    check_zero_division(zero_division)
    counts = Counts.per_node(true, predicted)
    return FlatScores.from_counts(counts if nodes is None else counts.at(nodes), zero_division)


AVERAGED = (
    "micro_f1",
    "macro_f1",
    "micro_precision",
    "micro_recall",
    "macro_precision",
    "macro_recall",
    "macro_f1_present",
)
"""The fields of `FlatScores` that are one number each."""


def averages(counts: Counts) -> dict[str, float]:
    """Give the micro and macro averages of counts, by name.

    >>> averages(Counts(*np.array([[1, 0], [1, 1], [1, 0]])))["macro_precision"]
    0.5
    """
    scores = FlatScores.from_counts(counts)
    return {name: getattr(scores, name) for name in AVERAGED}


def micro_f1(true: csr_array, predicted: csr_array) -> float:
    """Return F1 over all labels of all documents, which is hF if both label sets include ancestors.

    >>> micro_f1(csr_array([[True, False], [True, True]]), csr_array([[True, False], [False, True]]))
    0.8
    """
    return float(Counts.overall(true, predicted).f()[0])


def hamming_loss(true: csr_array, predicted: csr_array) -> float:
    """Give the share of wrong decisions among all pairs of a document and a node.

    >>> hamming_loss(csr_array([[True, False]]), csr_array([[True, True]]))
    0.5
    """
    true, predicted = as_indicators(true, predicted)
    counts = Counts.per_document(true, predicted)
    return float((counts.predicted + counts.true - 2 * counts.tp).sum() / (true.shape[0] * true.shape[1]))


def subset_accuracy(true: csr_array, predicted: csr_array) -> float:
    """Give the share of documents whose predicted set is exactly the true one.

    >>> subset_accuracy(csr_array([[True, False], [True, True]]), csr_array([[True, False], [False, True]]))
    0.5
    """
    counts = Counts.per_document(true, predicted)
    return float(((counts.tp == counts.predicted) & (counts.tp == counts.true)).mean())


def check_positions(nodes: npt.ArrayLike, size: int) -> Integers:
    """Return positions of nodes as an array; raise InputError if there are none or some are invalid."""
    positions = np.asarray(nodes)
    if not positions.size:
        raise InputError("no node to evaluate: nodes is empty; give at least one position")
    if positions.ndim != 1 or positions.dtype.kind not in "iu" or positions.min() < 0 or positions.max() >= size:
        raise InputError(f"nodes are {nodes!r}; give positions from 0 to {size - 1}")
    return positions


def check_zero_division(value: float) -> None:
    """Refuse a value of 0/0 that no score can have."""
    check_values({"zero_division": value}, {"zero_division": real(ge=0, le=1)})


def _ratio(numerator: Numbers, denominator: Numbers, zero_division: float) -> Floats:
    """Divide, with `zero_division` for 0/0; tp is the smallest count, so no other division by zero occurs."""
    result = np.full(np.shape(numerator), zero_division, dtype=np.float64)
    np.divide(numerator, denominator, out=result, where=denominator > 0)
    return result


def overlap(true: csr_array, predicted: csr_array) -> tuple[csr_array, csr_array, csr_array]:
    """Give the labels in both indicators, those predicted and those true, each stored exactly once."""
    true, predicted = as_indicators(true, predicted)
    if true.shape != predicted.shape:
        raise InputError(f"true is {true.shape} and predicted {predicted.shape}; give both for the same documents")
    if not true.shape[0]:
        raise InputError("no document to evaluate: the indicators have no rows; give at least one document")
    right, guessed = label_indicator(true, "true"), label_indicator(predicted, "predicted")
    return right.multiply(guessed), guessed, right


def as_indicators(true: Any, predicted: Any) -> tuple[Any, Any]:
    """Give lists of labels as indicators over all labels in either; what are indicators already stays.

    >>> true, predicted = as_indicators([["a", "b"], []], [["a"], ["c"]])
    >>> true.toarray().astype(int).tolist(), predicted.toarray().astype(int).tolist()
    ([[1, 1, 0], [0, 0, 0]], [[1, 0, 0], [0, 0, 1]])
    """
    if all(getattr(labels, "ndim", 1) == 2 for labels in (true, predicted)):
        return true, predicted
    lists = [[[one] if isinstance(one, str) else one for one in labels] for labels in (true, predicted)]
    flat = Hierarchy.flat(sorted(_names_in(chain.from_iterable(lists))))
    first, second = (csr_array(encode(labels, flat).indicator) for labels in lists)
    return first, second


def _names_in(sets: Iterable[Any]) -> set[str]:
    """Give all labels of lists of names; refuse what are none."""
    names: set[str] = set()
    for one in sets:
        if not (isinstance(one, list | tuple | set | frozenset) and all(isinstance(name, str) for name in one)):
            raise InputError("labels are neither indicators nor names; give matrices with a column a node, or lists")
        names.update(one)
    if not names:
        raise InputError("no label to evaluate: neither the true sets nor the predicted ones have any")
    return names


def label_indicator(labels: Any, name: str) -> csr_array:
    """Give label sets as an indicator with every label stored exactly once; refuse what are no label sets.

    >>> label_indicator(csr_array([[0.7, 0.0]]), "predicted")
    Traceback (most recent call last):
    classmark.errors.InputError: predicted holds values other than 0 and 1; give label sets: scores become such by ...
    """
    values = labels.tocoo().data if hasattr(labels, "tocoo") else np.asarray(labels)
    if values.dtype != bool and not np.isin(values, (0, 1)).all():
        raise InputError(f"{name} holds values other than 0 and 1; give label sets: scores become such by a threshold")
    if not labels.shape[1]:
        raise InputError(f"no node to evaluate: {name} has no columns; give one for each node")
    return canonical(labels)
