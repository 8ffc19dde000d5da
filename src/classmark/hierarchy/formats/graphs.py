"""Hierarchies to and from networkx."""

from collections.abc import Iterable
from typing import Any

from classmark.errors import InputError, needing
from classmark.hierarchy.build import ROOT, Edge, Name


def edges_of_networkx(graph: Any) -> Iterable[Edge]:
    """Give the edges of a directed networkx graph; a node without a parent is top-level."""
    if not graph.is_directed():
        raise InputError("the graph is undirected; give a networkx.DiGraph with edges from parent to child")
    tops: list[Edge] = [(None, node) for node, degree in graph.in_degree() if degree == 0 and node != ROOT]
    return [*tops, *graph.edges()]


def to_networkx(names: Iterable[Name], edges: Iterable[Edge]) -> Any:
    """Give a `networkx.DiGraph` of the categories, without the root."""
    with needing("networkx is not installed", "networkx"):
        import networkx as nx
    graph = nx.DiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from(edge for edge in edges if edge[0] is not None)
    return graph
