"""Ends that compete, under one temperature."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.decision.confidence import fit_temperature, node_chances
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.persistence import State
from classmark.probability.pairs import Ends


@dataclass(frozen=True)
class Softmax:
    """One temperature for all ends, which share 1 among them.

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a/x", "a/y", "b"])
    >>> Softmax(1.0).probabilities(np.log([[1.0, 2.0, 1.0, 1.0]]), tree, tree.leaves)
    array([[0.5 , 0.5 , 0.25, 0.25]])
    """

    ranks_ends: ClassVar[bool] = True

    temperature: float

    @classmethod
    def fit(cls, scores: Floats, own: csr_array, hierarchy: Hierarchy, ends: Ends, pooled: bool = False) -> Self:
        """Learn from the scores and the own labels of held-out documents."""
        return cls(fit_temperature(scores, own, ends))

    def probabilities(self, scores: Floats, hierarchy: Hierarchy, ends: Ends) -> Floats:
        """Give every node's probability, no node's above its parents'."""
        return np.minimum(node_chances(scores, hierarchy, ends, self.temperature), 1.0)

    def to_state(self) -> State:
        """Give the temperature."""
        return {"temperature": self.temperature}

    @classmethod
    def from_state(cls, state: State, size: int) -> Self:
        """Take up a temperature, refusing what cannot be one."""
        temperature = state["temperature"]
        if not isinstance(temperature, float) or not temperature > 0:
            raise InputError(f"the model's temperature is {temperature!r}")
        return cls(temperature)
