"""Ancestor paths: the shortest ways up in a hierarchy, from every node to each of its ancestors and the root.

What the distance and the lowest common ancestors of labels are counted from. All of it works on arrays
of node positions, many at a time.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, eye_array

from classmark.hierarchy.core import Hierarchy

Positions: TypeAlias = npt.NDArray[np.int64]

FAR = np.iinfo(np.int64).max


# eq=False: numpy compares arrays element by element, so a generated == could only raise.
@dataclass(frozen=True, eq=False)
class AncestorPaths:
    """All shortest ways up in a hierarchy, with the root as one more node behind all others.

    Attributes
    ----------
    size : int
        The number of nodes, the root included; `size - 1` is the root's position.
    levels : array of int, (size,)
        The length of the longest way from the root; 0 for the root itself.
    parents : csr_array of bool, (size, size)
        A row holds the node's parents; of a top-level category, the root.
    keys, steps : arrays of int
        For each node and each of its ancestors, itself and the root included: `node * size + ancestor`, ascending,
        and the steps between them.
    starts : array of int, (size + 1,)
        Where in these two the ancestors of a node start, as in CSR.

    Examples
    --------
    >>> paths = AncestorPaths.of(Hierarchy.from_paths(["a/x", "b"]))
    >>> paths.meet(np.array([2, 2]), np.array([0, 1]))  # x and a meet in a, x and b in the root
    (array([1, 3]), array([0, 3]))
    """

    size: int
    levels: Positions
    parents: csr_array
    keys: Positions
    steps: Positions
    starts: Positions

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> "AncestorPaths":
        """Find the ways up of every node."""
        size = len(hierarchy) + 1
        lower, upper = hierarchy.parents.tocoo().coords
        lower, upper = np.append(lower, hierarchy.tops), np.append(upper, np.full(hierarchy.tops.size, size - 1))
        parents = csr_array((np.ones(lower.size, dtype=bool), (lower, upper)), shape=(size, size))
        reached = csr_array(eye_array(size, dtype=bool, format="csr"))
        keys: list[Positions] = []
        steps: list[Positions] = []
        while reached.nnz:
            rows, columns = reached.tocoo().coords
            keys.append(rows.astype(np.int64) * size + columns)
            steps.append(np.full(rows.size, len(steps), dtype=np.int64))
            reached = csr_array(reached @ parents)
        # The first time that a key turns up is the shortest way.
        distinct, first = np.unique(np.concatenate(keys), return_index=True)
        return cls(
            size=size,
            levels=np.append(hierarchy.levels, 0).astype(np.int64),
            parents=parents,
            keys=distinct,
            steps=np.concatenate(steps)[first],
            starts=np.searchsorted(distinct, np.arange(size + 1) * size),
        )

    def steps_up(self, nodes: Positions, ancestors: Positions) -> Positions:
        """Give the steps from each node up to the ancestor beside it, `FAR` where it is not an ancestor."""
        wanted = nodes * self.size + ancestors
        # The last key is the root's own, the largest there is, so no place lies behind the end.
        places = np.searchsorted(self.keys, wanted)
        return np.where(self.keys[places] == wanted, self.steps[places], FAR)

    def meet(self, first: Positions, second: Positions) -> tuple[Positions, Positions]:
        """Give for each pair of nodes its distance and the common ancestor where the shortest way turns.

        Of several such ancestors, which only a DAG has, the deepest by level counts, then the first in node order.
        """
        if not first.size:
            return first, second
        pairs, entries = expand(self.starts, first)
        common = self.keys[entries] % self.size
        other = self.steps_up(second[pairs], common)
        # One number orders by distance, level and position; the least of each pair is found in one sweep.
        height = self.levels.max() + 1
        distance = np.where(other < FAR, self.steps[entries] + other, 2 * height)
        rank = (distance * height + height - 1 - self.levels[common]) * self.size + common
        best = np.minimum.reduceat(rank, np.flatnonzero(np.diff(pairs, prepend=-1)))
        return best // self.size // height, best % self.size

    def nodes_on(self, nodes: Positions, tops: Positions) -> tuple[Positions, Positions]:
        """Give the nodes on the shortest way from each node up to the ancestor beside it, both ends included.

        Where there are several, which only a DAG has, each step goes to the first parent in node order.

        Returns
        -------
        numbers, nodes : arrays of int
            For every node on a way the number of the way, and the node's position.
        """
        ways, current = np.arange(nodes.size), nodes
        found = [(ways, current)]
        while (moving := current != tops).any():
            ways, current, tops = ways[moving], current[moving], tops[moving]
            current = self._step(current, tops)
            found.append((ways, current))
        numbers, walked = zip(*found, strict=True)
        return np.concatenate(numbers), np.concatenate(walked)

    def _step(self, nodes: Positions, tops: Positions) -> Positions:
        """Go from each node to the first parent on a shortest way to its top."""
        pairs, entries = expand(self.parents.indptr, nodes)
        parents = self.parents.indices[entries].astype(np.int64)
        nearer = self.steps_up(parents, tops[pairs]) < self.steps_up(nodes, tops)[pairs]
        return np.minimum.reduceat(np.where(nearer, parents, FAR), np.flatnonzero(np.diff(pairs, prepend=-1)))


def expand(starts: npt.NDArray[np.integer], rows: Positions) -> tuple[Positions, Positions]:
    """Go through the entries of some rows of a CSR structure.

    Returns
    -------
    numbers, entries : arrays of int
        For each entry which of `rows` it belongs to, counted from 0, and its place.

    Examples
    --------
    >>> expand(np.array([0, 2, 3]), np.array([1, 0]))
    (array([0, 1, 1]), array([2, 0, 1]))
    """
    lengths = starts[rows + 1] - starts[rows]
    numbers = np.repeat(np.arange(rows.size), lengths)
    before = np.cumsum(lengths) - lengths
    return numbers, (starts[rows] - before)[numbers] + np.arange(numbers.size)
