"""What every decision can do."""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, Self, dataclass_transform

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.checks import choice, integer
from classmark.hierarchy import Hierarchy
from classmark.parameters import check_parameters, declare


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
@dataclass(frozen=True)
class Decision:
    """Turns scores into consistent label sets; its settings are declared as fields (`classmark.parameters`).

    Attributes
    ----------
    one_label : bool
        Whether every document gets exactly one own label, so that answers may be a 1-D array.
    takes_best_end : bool
        Whether that label is always the end with the highest score, so that nothing else need be known.
    ranks_ends : bool
        Whether the scores of ends are compared with each other, as those of own labels, and not each with a threshold.
    weighs_chances : bool
        Whether it can decide by the chances of nodes, with `decide_by`, where a classifier gives these by itself.
    learns_from : "nothing", "scores" or "trials"
        What a classifier gives it before it decides: nothing, the scores of documents whose labels are known, or these
        and the time to try other decisions on them.
    learned : tuple of str
        The fields that `fit` learns and nobody types.
    """

    one_label: ClassVar[bool] = False
    takes_best_end: ClassVar[bool] = False
    ranks_ends: ClassVar[bool] = False
    weighs_chances: ClassVar[bool] = False
    learns_from: ClassVar[Literal["nothing", "scores", "trials"]] = "nothing"
    learned: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        declare(cls, frozen=True, kw_only=False, hidden=cls.learned)

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def ranks(self) -> int | None:
        """How many of the best ends it looks at, as if there were no others; None where it looks at every node."""
        return None

    def stops_at(self, hierarchy: Hierarchy) -> float:
        """Give the score at which a node and all below it can be left out, where none below scores higher.

        The answer is the same whatever minus infinity stands for then; it is minus infinity where every node is needed.
        """
        return -np.inf

    def decide(self, scores: npt.NDArray[np.float64], hierarchy: Hierarchy, ends: npt.NDArray[np.int32]) -> csr_array:
        """Give the label sets, ancestors included, as a boolean indicator over the nodes."""
        raise NotImplementedError

    def decide_by(
        self, chances: npt.NDArray[np.float64], hierarchy: Hierarchy, ends: npt.NDArray[np.int32]
    ) -> csr_array:
        """Give the label sets by the chances of nodes."""
        raise NotImplementedError

    def check(self, hierarchy: Hierarchy) -> None:
        """Refuse a hierarchy that the decision has not learned for; a model file may say anything."""


class LearnedDecision(Decision):
    """A decision that learns from the scores of documents whose labels are known."""

    learns_from = "scores"

    on: Annotated[
        str,
        choice(["held-out", "training"]),
        "Whether the scores come from cross-validation, or from the very documents that the scorer learned from, where "
        "they flatter.",
    ] = field(default="held-out", kw_only=True)
    folds: Annotated[int, integer(ge=2), "How many parts cross-validation has."] = field(default=10, kw_only=True)

    @property
    def learned_ranks(self) -> int | None:
        """How many of the best ends it learns from, by `fit_ranked`; None where it needs the scores of every node."""
        return None

    def fit(self, scores: npt.NDArray[np.float64], labels: csr_array, hierarchy: Hierarchy) -> Self:
        """Give a decision that has learned from scores and label sets."""
        raise NotImplementedError

    def fit_ranked(self, nodes: npt.NDArray[np.int32], ranked: npt.NDArray[np.float64], own: csr_array) -> Self:
        """Give one that has learned from the best ends of documents, best first, their scores and own labels."""
        raise NotImplementedError
