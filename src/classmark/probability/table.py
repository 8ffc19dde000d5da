"""The ways to probabilities by name, and what they have in common."""

from typing import ClassVar, Protocol, Self

from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.hierarchy import Hierarchy
from classmark.persistence import State
from classmark.probability.isotonic import Isotonic
from classmark.probability.pairs import Ends
from classmark.probability.platt import Platt
from classmark.probability.softmax import Softmax


class Calibrator(Protocol):
    """What turns scores into probabilities; `ranks_ends` as for decisions."""

    ranks_ends: ClassVar[bool]

    @classmethod
    def fit(cls, scores: Floats, own: csr_array, hierarchy: Hierarchy, ends: Ends, pooled: bool = False) -> Self:
        """Learn from the scores and the own labels of held-out documents; pooled, one curve for all nodes."""

    def probabilities(self, scores: Floats, hierarchy: Hierarchy, ends: Ends) -> Floats:
        """Give every node's probability, no node's above its parents'."""

    def to_state(self) -> State:
        """Give what was learned as plain data and arrays."""

    @classmethod
    def from_state(cls, state: State, size: int) -> Self:
        """Take up what was learned for so many nodes, refusing what cannot be."""


CALIBRATIONS: dict[str, type[Calibrator]] = {"platt": Platt, "isotonic": Isotonic, "softmax": Softmax}
"""The ways from scores to probabilities by name."""
