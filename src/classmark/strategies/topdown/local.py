"""Local problems: what is learned at each inner node, and which documents are negative there.

A local problem belongs to a node with children, or to the root. Its *slots* are the children that have documents and,
where documents may belong to the node itself, one more for staying there. The notation of treeboost_mh_2006 and where
it is found here: Tr⁺(c), Definition 1, is a column of `targets`; Tr⁻(c), Definition 2, is the other rows of it; the
children of r in line 8 of Figure 1 are `slots`.

Which documents take part is said by a policy of the table `POLICIES`; their names follow Silla and Freitas (2011,
"A survey of hierarchical classification across different application domains", section 4).
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import csc_array, csr_array

from classmark.arrays import Integers
from classmark.hierarchy import Hierarchy

ROOT = -1


class LocalProblem(NamedTuple):
    """What is learned at one node.

    Attributes
    ----------
    parent : int
        The node's position, -1 for the root.
    slots : array of int
        The categories to tell apart: a child's position, or the number of nodes plus the parent's position for staying
        at the parent.
    documents : array of int
        The rows that take part.
    targets : csc_array of bool, (n_documents, n_slots)
        The positive documents of each slot.
    """

    parent: int
    slots: Integers
    documents: Integers
    targets: csc_array

    @property
    def passes(self) -> bool:
        """Whether there is nothing to tell apart: every document goes on to the only slot."""
        return self.slots.size == 1 and self.targets.nnz == self.documents.size


class Labelling(NamedTuple):
    """The training documents' labels in the forms that policies ask for."""

    hierarchy: Hierarchy
    closed: csc_array
    own: csc_array

    @property
    def size(self) -> int:
        """The number of documents."""
        return int(self.own.shape[0])


Policy: TypeAlias = Callable[[Labelling, int, csc_array], Integers]


def _subtree(labelling: Labelling, parent: int, targets: csc_array) -> Integers:
    if parent == ROOT:
        return _all(labelling, parent, targets)
    closed = labelling.closed
    return np.sort(closed.indices[closed.indptr[parent] : closed.indptr[parent + 1]]).astype(np.int32)


def _level(labelling: Labelling, parent: int, targets: csc_array) -> Integers:
    levels = labelling.hierarchy.levels
    level = 1 if parent == ROOT else levels[parent] + 1
    beside = labelling.closed[:, np.flatnonzero(levels == level)].indices
    return np.unique(np.concatenate([beside, targets.indices])).astype(np.int32)


def _all(labelling: Labelling, parent: int, targets: csc_array) -> Integers:
    return np.arange(labelling.size, dtype=np.int32)


POLICIES: dict[str, Policy] = {
    "siblings": lambda labelling, parent, targets: np.unique(targets.indices).astype(np.int32),
    "subtree": _subtree,
    "level": _level,
    "all": _all,
    "exclusive": _all,
}
"""The documents of a local problem.

- siblings: the positive documents of its slots (Definitions 1 and 2); who belongs nowhere takes no part.
- subtree: every document at or below the parent, at the root every document (consistent_global_2006, the local
  approach). Differs from siblings only where nobody may stay at the parent, and at the root.
- level: every document with a category on the children's level.
- all: every document.
- exclusive: every document too, but positive are only those that have the category as their own label. Inner nodes are
  then passed, and what is learned is what the flat strategy learns.
"""


def local_problems(own: csr_array, hierarchy: Hierarchy, negatives: str, stay: bool) -> Iterator[LocalProblem]:
    """Give the local problems that have documents, the root's first, then in node order.

    Parameters
    ----------
    own : csr_array of bool, (n_documents, n_nodes)
        The documents' own labels.
    negatives : str
        A name of the table `POLICIES`.
    stay : bool
        Whether documents that belong to an inner node itself make a slot of their own there.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> tree = Hierarchy.from_nested({"a": ["x", "y"], "b": None})
    >>> own = csr_array([[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]], dtype=bool)
    >>> for problem in local_problems(own, tree, "siblings", stay=True):
    ...     print(problem.parent, problem.slots, problem.documents)
    -1 [0 1] [0 1 2 3]
    0 [2 3 4] [0 1 2]
    """
    labelling = Labelling(hierarchy, csc_array(hierarchy.close(own)), csc_array(own))
    inner = np.flatnonzero(np.diff(hierarchy.children.indptr))
    for parent in [ROOT, *inner.tolist()]:
        slots, targets = _slots(labelling, parent, negatives == "exclusive", stay)
        if slots.size:
            documents = POLICIES[negatives](labelling, parent, targets)
            yield LocalProblem(parent, slots, documents, csc_array(targets[documents]))


def _slots(labelling: Labelling, parent: int, exclusive: bool, stay: bool) -> tuple[Integers, csc_array]:
    """Give the slots of a node that have documents, and their positive documents."""
    hierarchy = labelling.hierarchy
    children = hierarchy.tops if parent == ROOT else hierarchy.child_positions(parent)
    every = [(child, _positives(labelling, child, exclusive)) for child in children.tolist()]
    # A child without positive documents may have documents below it.
    known = [(slot, rows) for slot, rows in every if rows.size or _column(labelling.closed, slot).size]
    if parent != ROOT and (stay or exclusive) and (staying := _column(labelling.own, parent)).size:
        known.append((len(hierarchy) + parent, staying))
    rows = np.concatenate([np.empty(0, np.int32), *(rows for _, rows in known)])
    indptr = np.cumsum([0, *(rows.size for _, rows in known)])
    targets = csc_array((np.ones(rows.size, bool), rows, indptr), shape=(labelling.size, len(known)))
    return np.array([slot for slot, _ in known], dtype=np.int32), targets


def _positives(labelling: Labelling, child: int, exclusive: bool) -> Integers:
    """Give the documents at or below a child; for an exclusive inner one none, so that it is passed."""
    if not exclusive:
        return _column(labelling.closed, child)
    leaf = not labelling.hierarchy.child_positions(child).size
    return _column(labelling.own, child) if leaf else np.empty(0, np.int32)


def _column(matrix: csc_array, column: int) -> Integers:
    return np.asarray(matrix.indices[matrix.indptr[column] : matrix.indptr[column + 1]], dtype=np.int32)
