"""From the forms users have to edges, and from edges to nodes in topological order.

Every function that makes edges yields `(parent, child)` pairs of names, the parent `None` for a top-level category.
`number` turns names into positions, and `topological_levels` finds the levels or refuses a cycle by name.
"""

import warnings
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Integers
from classmark.errors import InputError

Name: TypeAlias = Hashable
Edge: TypeAlias = tuple[Name | None, Name]

ROOT = "ROOT"
"""The name that files give to the root, which is not a category."""


def is_missing(value: Any) -> bool:
    """Say whether a cell of a path or of a table holds no name: None, an empty string, NaN or pandas' NA."""
    try:
        return value is None or (isinstance(value, str) and not value) or bool(value != value)
    except TypeError:
        return True  # NA compares to NA, which is neither true nor false


def edges_of_path(path: Sequence[Name]) -> Iterator[Edge]:
    """Give the edges of one path, each node named by the whole path down to it, as a tuple."""
    names = tuple(_filled(path))
    for depth in range(1, len(names) + 1):
        yield names[: depth - 1] or None, names[:depth]


def _filled(path: Sequence[Name]) -> list[Name]:
    """Give the parts of a path without those left empty at its end; refuse a gap before that."""
    names = [part.item() if isinstance(part, np.generic) else part for part in path]
    while names and is_missing(names[-1]):
        names.pop()
    if any(map(is_missing, names)):
        raise InputError(f"the path {list(path)!r} has a gap; only its end may be left empty")
    return names


def edges_of_joined_path(path: str, separator: str) -> Iterator[Edge]:
    """Give the edges of a path written as one string, each node named by the string down to it."""
    parts = path.split(separator)
    if not all(parts):
        raise InputError(f"the path {path!r} has an empty part; write it as a{separator}b{separator}c")
    for depth in range(1, len(parts) + 1):
        yield (separator.join(parts[: depth - 1]) or None), separator.join(parts[:depth])


def edges_of_paths(paths: Iterable[str | Sequence[Name]], separator: str) -> dict[Edge, None]:
    """Give the edges of many paths, each once, in the order of their first appearance."""
    edges: dict[Edge, None] = {}
    for path in paths:
        found = edges_of_joined_path(path, separator) if isinstance(path, str) else edges_of_path(path)
        edges.update(dict.fromkeys(found))
    return edges


def edges_of_nested(nested: Mapping[Name, Any] | Iterable[Name]) -> Iterator[Edge]:
    """Give the edges of a nested dict; lists, `None` and empty dicts end a branch."""
    waiting: deque[tuple[Name | None, Any]] = deque([(None, nested)])
    while waiting:
        parent, below = waiting.popleft()
        if isinstance(below, str):
            raise InputError(f"below {parent!r} stands the string {below!r}; give a list, a dict or None")
        for child in below or ():
            yield parent, child
            if isinstance(below, Mapping):
                waiting.append((child, below[child]))


def check_edge(parent: Name | None, child: Name | None) -> None:
    """Refuse an edge that no hierarchy can have."""
    for name in (parent, child):
        if not isinstance(name, Hashable):
            raise InputError(f"the category {name!r} is not a name; give a string, a number or a tuple")
    if child == ROOT:
        raise InputError(f"{ROOT!r} is the name of the root, which is not a category; rename that category")
    if is_missing(child) or (parent is not None and is_missing(parent)):
        raise InputError(f"the edge from {parent!r} to {child!r} has an empty name; give every category a name")
    if parent == child:
        raise InputError(f"{child!r} is its own parent; take that edge out")


def number(edges: Iterable[Edge]) -> tuple[list[Name], Integers, Integers]:
    """Give names numbers in order of appearance.

    Returns
    -------
    names, parents, children
        The names, and for every edge that does not start at the root the positions of its two ends.
    """
    distinct = _distinct(edges)
    names = dict.fromkeys(name for edge in distinct for name in edge if name is not None)
    positions = {name: place for place, name in enumerate(names)}
    pairs = [(positions[parent], positions[child]) for parent, child in distinct if parent is not None]
    ends = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return list(names), ends[:, 0], ends[:, 1]


def _distinct(edges: Iterable[Edge]) -> list[Edge]:
    """Give every edge once, the root as None; refuse one that cannot be, and warn of those that stand twice."""
    seen: dict[Edge, None] = {}
    duplicates: list[Edge] = []
    for parent, child in edges:
        check_edge(parent, child)
        edge = (None if parent == ROOT else parent, child)
        if edge in seen:
            duplicates.append(edge)
        seen[edge] = None
    if duplicates:
        parent, child = duplicates[0]
        first = f"{ROOT if parent is None else parent!r} to {child!r}"
        warnings.warn(f"dropped {len(duplicates)} duplicate edge(s), the first from {first}", stacklevel=4)
    return list(seen)


def topological_levels(names: Sequence[Name], children: csr_array) -> Integers:
    """Give each node's level, the length of the longest path from the root, so that a top-level node has 1."""
    unseen_parents = np.bincount(children.indices, minlength=len(names))
    levels = np.zeros(len(names), dtype=np.int32)
    frontier = np.flatnonzero(unseen_parents == 0)
    depth = 0
    while frontier.size:
        depth += 1
        levels[frontier] = depth
        reached, times = np.unique(children[frontier].indices, return_counts=True)
        unseen_parents[reached] -= times
        frontier = reached[unseen_parents[reached] == 0]
    if not levels.all():
        cycle = " → ".join(map(repr, find_cycle(names, children, levels == 0)))
        raise InputError(f"the hierarchy has a cycle: {cycle}; take one of these edges out")
    return levels


def find_cycle(names: Sequence[Name], children: csr_array, suspects: npt.NDArray[np.bool_]) -> list[Name]:
    """Walk up among the nodes without a level, each of which has such a parent, until one comes back."""
    parents = children.T.tocsr()
    node = int(np.flatnonzero(suspects)[0])
    walked: list[int] = []
    while node not in walked:
        walked.append(node)
        above = parents.indices[parents.indptr[node] : parents.indptr[node + 1]]
        node = int(above[suspects[above]][0])
    cycle = [*walked[walked.index(node) :], node]
    return [names[i] for i in reversed(cycle)]
