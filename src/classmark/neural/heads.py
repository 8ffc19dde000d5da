"""The two heads over the hierarchy, once they are learned: what answers, whoever learned them.

h is the vector of a text.

- *own*: s · cos(h, v_c) + b_c for every category c that may be an own label;
- *closed*: u_n · h + a_n for every node n.
"""

import math
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from classmark.errors import InputError
from classmark.persistence import State, checked_array

Floats = npt.NDArray[np.float32]

STORED = np.float16
"""What a model file keeps of a number."""


@dataclass(frozen=True)
class Heads:
    """The heads *own* and *closed*.

    Examples
    --------
    >>> eye = np.eye(2, dtype=np.float32)
    >>> heads = Heads(own=3 * eye, own_bias=eye[0], scale=10.0, closed=eye, closed_bias=-eye[1])
    >>> heads.own_logits(np.array([[0.0, 2.0]])), heads.closed_logits(np.array([[0.0, 2.0]]))
    (array([[ 1., 10.]]), array([[0., 1.]]))
    """

    own: Floats
    """The vectors v of the categories that may be own labels, `(n_ends, n_coordinates)`, of any length."""
    own_bias: Floats
    scale: float
    closed: Floats
    """The vectors u of the nodes, `(n_nodes, n_coordinates)`."""
    closed_bias: Floats

    def own_logits(self, vectors: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Score the categories that may be own labels, a row for each vector, which hardly depends on the others."""
        found = unit(np.asarray(vectors, dtype=np.float64)) @ unit(self.own).T
        found *= self.scale
        found += self.own_bias
        return np.asarray(found)

    def closed_logits(self, vectors: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Score every node, a row for each vector."""
        found = np.asarray(vectors, dtype=np.float64) @ self.closed.T
        found += self.closed_bias
        return np.asarray(found)

    def rounded(self) -> Self:
        """Give the same heads in numbers that a model file keeps as they are."""
        arrays = {name: _kept(array).astype(np.float32) for name, array in self._arrays().items()}
        return type(self)(scale=self.scale, **arrays)

    def to_state(self) -> State:
        """Give them as plain data and arrays."""
        return {"scale": self.scale} | {name: _kept(array) for name, array in self._arrays().items()}

    @classmethod
    def from_state(cls, state: State, n_ends: int, n_nodes: int) -> Self:
        """Take them out of a state, refusing what cannot be heads over so many categories."""
        scale, own = float(state["scale"]), checked_array(state, "own", STORED, (n_ends, None))
        width = own.shape[1]
        shapes = {"own_bias": (n_ends,), "closed": (n_nodes, width), "closed_bias": (n_nodes,)}
        arrays = {"own": own} | {name: checked_array(state, name, STORED, shape) for name, shape in shapes.items()}
        if not (math.isfinite(scale) and all(np.isfinite(array).all() for array in arrays.values())):
            raise InputError("the model's heads hold what is not a number")
        return cls(scale=scale, **{name: array.astype(np.float32) for name, array in arrays.items()})

    def _arrays(self) -> dict[str, Floats]:
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name != "scale"}


def unit(vectors: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Bring vectors to length 1, but for those of zeros.

    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1))


def _kept(array: Floats) -> npt.NDArray[np.float16]:
    limit = np.finfo(STORED).max
    return np.clip(array, -limit, limit).astype(STORED)
