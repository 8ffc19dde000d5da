"""The figures of two models on the same documents, and how sure their differences are."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.hierarchy import Hierarchy
from classmark.metrics import (
    BootstrapTest,
    error_kinds,
    macro_t_test,
    micro_sign_test,
    paired_bootstrap,
)


@dataclass(frozen=True, kw_only=True)
class FigureDifference:
    """A figure of two models."""

    name: str
    """What it is called."""
    first: float
    """That of the first model."""
    second: float
    """That of the second model."""
    difference: float
    """How much higher the second is."""
    low: float
    """The least difference that other documents of the kind would give, 95 % of the time, by the paired bootstrap."""
    high: float
    """The largest one."""
    p_value: float
    """How probable so large a difference is if there is none, by the paired bootstrap."""


@dataclass(frozen=True, eq=False)
class Answered:
    """What two models answer about the same documents, and the truth, all with ancestors."""

    hierarchy: Hierarchy
    """The categories."""
    true: csr_array
    """The truth."""
    first: csr_array
    """What the first model says."""
    second: csr_array
    """What the second model says."""

    @classmethod
    def of(cls, hierarchy: Hierarchy, *labels: csr_array) -> "Answered":
        """Add the ancestors to the truth and the answers."""
        return cls(hierarchy, *map(hierarchy.close, labels))

    @property
    def labels(self) -> tuple[csr_array, csr_array, csr_array]:
        """The truth and the answers."""
        return self.true, self.first, self.second

    @cached_property
    def kinds(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """The kind of each document's error, by both models."""
        first, second = (error_kinds(self.true, labels, self.hierarchy) for labels in (self.first, self.second))
        return first, second


def by_figure(answered: Answered) -> list[FigureDifference]:
    """Give the figures of both models, and how sure the difference is."""
    return [_figure(name, test(answered)) for name, test in FIGURES.items()]


def _figure(name: str, test: BootstrapTest) -> FigureDifference:
    # The bootstrap has the second model first, so that what is higher is better.
    numbers = {"difference": test.difference, "low": test.low, "high": test.high, "p_value": test.p_value}
    return FigureDifference(name=name, first=test.second, second=test.first, **numbers)


def _macro(answered: Answered) -> BootstrapTest:
    """Resample over the leaves that have a document: the others would only fill memory."""
    leaves = answered.hierarchy.leaves
    present = leaves[np.asarray(answered.true.sum(axis=0)).ravel()[leaves] > 0]
    nodes = present if present.size else leaves[:1]
    return paired_bootstrap(*_second_first(answered, nodes), metric="macro_f1_present")


def _accuracy(answered: Answered) -> BootstrapTest:
    """Resample which documents are right: the F1 of one label, right, which all should have, beside one for wrong."""
    first, second = (csr_array(np.column_stack([kind == 0, kind != 0])) for kind in answered.kinds)
    wanted = csr_array(np.tile([True, False], (first.shape[0], 1)))
    return paired_bootstrap(wanted, second, first, metric="micro_f1")


def _second_first(answered: Answered, nodes: Any = slice(None)) -> tuple[csr_array, csr_array, csr_array]:
    """Give the truth and the answers about some nodes, in the order of the tests."""
    true, second, first = (csr_array(each[:, nodes]) for each in (answered.true, answered.second, answered.first))
    return true, second, first


FIGURES: dict[str, Callable[[Answered], BootstrapTest]] = {
    "micro_f1": lambda one: paired_bootstrap(*_second_first(one, one.hierarchy.leaves), metric="micro_f1"),
    "macro_f1_present": _macro,
    "hf": lambda one: paired_bootstrap(*_second_first(one), metric="hf", hierarchy=one.hierarchy),
    "subset_accuracy": _accuracy,
}


def by_test(answered: Answered) -> dict[str, float]:
    """Give the p-values of the tests of Yang and Liu over the leaves."""
    leaves = answered.hierarchy.leaves
    tests: dict[str, float] = {"micro_sign_test": micro_sign_test(*_second_first(answered), nodes=leaves).p_value}
    if leaves.size > 1:
        tests["macro_t_test"] = macro_t_test(*_second_first(answered), nodes=leaves).p_value
    return tests
