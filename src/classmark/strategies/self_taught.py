"""What self-training is made of: examples with weights, chances of own labels, and what may be wrapped."""

from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack

from classmark.arrays import Floats
from classmark.base import HierarchicalClassifier
from classmark.checks import instance, optional
from classmark.errors import InputError
from classmark.probability import CALIBRATIONS

WRAPPED = optional(
    instance(
        HierarchicalClassifier,
        "a classifier that gives probabilities, such as FlatNB()",
    )
)


def check_wrapped(estimator: HierarchicalClassifier) -> None:
    """Refuse a classifier that gives no probabilities.

    >>> from classmark import FlatClassifier
    >>> check_wrapped(FlatClassifier())
    Traceback (most recent call last):
    classmark.errors.InputError: FlatClassifier gives no probabilities; set its calibration to one of platt, ...
    """
    name = type(estimator).__name__
    if name == "SelfTrainingClassifier":
        raise InputError("estimator trains itself already; give the classifier that it wraps")
    if not hasattr(estimator, "predict_proba"):
        raise InputError(f"{name} gives no probabilities; set its calibration to one of {', '.join(CALIBRATIONS)}")


class Taught(NamedTuple):
    """Documents, their own labels and their weights."""

    X: csr_array
    own: csr_array
    weight: Floats

    @property
    def given_weight(self) -> Floats | None:
        """The weights, or None where all are 1: not every learner takes weights."""
        return None if bool((self.weight == 1).all()) else self.weight

    def joined(self, others: Self) -> "Taught":
        """Give these documents and then the others."""
        X, own = (csr_array(vstack(pair, format="csr")) for pair in ((self.X, others.X), (self.own, others.own)))
        return Taught(X, own, np.append(self.weight, others.weight))

    def copied(self, parts: csr_array) -> "Taught":
        """Give a copy of a document for each end it has a share in, which weighs that share of the document.

        >>> parts = csr_array([[0.25, 0.75], [0.0, 1.0]])
        >>> copies = Taught(csr_array([[1.0], [2.0]]), csr_array((2, 2)), np.array([1.0, 2.0])).copied(parts)
        >>> copies.X.toarray().ravel(), copies.own.indices, copies.weight
        (array([1., 1., 2.]), array([0, 1, 1]...), array([0.25, 0.75, 2.  ]))
        """
        rows = np.repeat(np.arange(parts.shape[0]), np.diff(parts.indptr))
        one_each = (np.ones(rows.size, bool), parts.indices, np.arange(rows.size + 1))
        own = csr_array(one_each, shape=(rows.size, parts.shape[1]))
        return Taught(csr_array(self.X[rows]), own, self.weight[rows] * parts.data)


def least_chances(chances: Floats, answers: csr_array) -> Floats:
    """Give the least chance among the labels of each document, 0 where there is none.

    >>> least_chances(np.array([[0.9, 0.8], [0.9, 0.8]]), csr_array([[True, True], [False, False]]))
    array([0.8, 0. ])
    """
    rows = np.repeat(np.arange(answers.shape[0]), np.diff(answers.indptr))
    least = np.full(answers.shape[0], np.inf)
    np.minimum.at(least, rows, chances[rows, answers.indices])
    return np.where(np.isinf(least), 0.0, least)


def responsibilities(chances: Floats, least: float) -> csr_array:
    """Divide each document among the ends that have at least some part of its chances, in proportion to these.

    >>> responsibilities(np.array([[0.3, 0.1, 0.004]]), 0.01).toarray()
    array([[0.75, 0.25, 0.  ]])
    """
    totals = chances.sum(axis=1, keepdims=True)
    parts = np.divide(chances, totals, out=np.zeros_like(chances), where=totals > 0)
    # The greatest is always kept, however many there are.
    kept = np.where((parts >= least) | (parts == parts.max(axis=1, keepdims=True)), parts, 0.0)
    sums = kept.sum(axis=1, keepdims=True)
    return csr_array(np.divide(kept, sums, out=np.zeros_like(kept), where=sums > 0))


def changed_rows(before: csr_array, now: csr_array) -> npt.NDArray[np.bool_]:
    """Say which rows of two boolean matrices differ.

    >>> changed_rows(csr_array([[True, False], [True, False]]), csr_array([[True, False], [False, True]]))
    array([False,  True])
    """
    difference = csr_array(now.astype(np.int8) - before.astype(np.int8))
    difference.eliminate_zeros()
    return np.diff(difference.indptr) > 0


def movement(before: csr_array, now: csr_array) -> float:
    """Give the part of the responsibilities that moved, from 0 to 1, the mean over the documents.

    >>> movement(csr_array([[1.0, 0.0], [0.5, 0.5]]), csr_array([[0.9, 0.1], [0.5, 0.5]]))
    0.05
    """
    return round(float(abs(now - before).sum()) / 2 / now.shape[0], 12)
