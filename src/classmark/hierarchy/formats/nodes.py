"""What a hierarchy file gives: edges, and what people call the categories."""

from typing import NamedTuple

from classmark.hierarchy.build import ROOT, Edge, check_edge


class NodeText(NamedTuple):
    """What people read in place of a code: a name, and perhaps a description.

    >>> NodeText("STRATEGY/PLANS")
    NodeText(name='STRATEGY/PLANS', description='')
    """

    name: str
    description: str = ""


class Categories(NamedTuple):
    """The edges of a hierarchy, and the texts of its categories as far as the file has them."""

    edges: list[Edge]
    nodes: dict[str, NodeText]


def checked_edge(parent: str, child: str, where: str) -> Edge:
    """Give an edge as a file writes it, `ROOT` for the root; one that no hierarchy can have is refused."""
    try:
        check_edge(parent, child)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return (None if parent == ROOT else parent), child
