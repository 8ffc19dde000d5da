"""Hierarchies as sets of edges: ancestors, levels and closures by recursion, straight from their definitions."""

from collections.abc import Iterable
from typing import Any

Edges = set[tuple[Any, Any]]


def parents(edges: Edges, node: Any) -> set[Any]:
    return {parent for parent, child in edges if child == node and parent is not None}


def ancestors(edges: Edges, node: Any) -> set[Any]:
    """The node itself, and everything above it."""
    return {node}.union(*(ancestors(edges, parent) for parent in parents(edges, node)))


def level(edges: Edges, node: Any) -> int:
    return 1 + max((level(edges, parent) for parent in parents(edges, node)), default=0)


def paths(edges: Edges, node: Any) -> set[tuple[Any, ...]]:
    above = parents(edges, node)
    return {(*path, node) for parent in above for path in paths(edges, parent)} if above else {(node,)}


def closed(edges: Edges, labels: Iterable[Any]) -> set[Any]:
    return set().union(*(ancestors(edges, label) for label in labels))


def own(edges: Edges, labels: Iterable[Any]) -> set[Any]:
    """The labels that stand above no other label."""
    labels = set(labels)
    return {a for a in labels if not any(a in ancestors(edges, b) for b in labels - {a})}
