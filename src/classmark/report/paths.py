"""Nodes in words: the way to each from the top, as it is drawn in the tree."""

from collections.abc import Sequence

from classmark.markup import text
from classmark.report.contents import Node
from classmark.report.elements import name

ENDS = (2, 3)
"""Of a long way, so many of the first and of the last nodes are shown."""
LISTED = 8
"""So many labels of a document are shown."""
ARROW = '<span class="arrow" aria-hidden="true"> › </span>'


def parent_of(nodes: Sequence[Node], node: int) -> int | None:
    """Give the node that another is drawn below; what does not stand before it is none.

    >>> parent_of([Node(name="bird"), Node(name="owl", parents=[0])], 1)
    0
    """
    parents = nodes[node].parents
    return parents[0] if parents and 0 <= parents[0] < node else None


def way_to(nodes: Sequence[Node], node: int) -> list[int]:
    """Give the nodes from the top to another, which is the last."""
    way, above = [node], parent_of(nodes, node)
    while above is not None:
        way.append(above)
        above = parent_of(nodes, above)
    return way[::-1]


def called(node: Node) -> str:
    """Give what people call a node."""
    return node.title or node.name or "(no name)"


def path(nodes: Sequence[Node], node: int) -> str:
    """Give the way to a node, the node itself strong; the middle of a long way is left out."""
    way = way_to(nodes, node)
    first, last = ENDS
    shown = [name(called(nodes[one])) for one in way]
    if len(way) > first + last:
        shown = [*shown[:first], "…", *shown[-last:]]
    *above, own = shown
    return f'<span class="path">{"".join(f"{one}{ARROW}" for one in above)}<strong>{own}</strong></span>'


def paths(nodes: Sequence[Node], some: Sequence[int], otherwise: str) -> str:
    """Give the ways to some nodes as a list; other words where there are none."""
    if not some:
        return f'<p class="quiet none">{text(otherwise)}</p>'
    shown = "".join(f"<li>{path(nodes, node)}</li>" for node in some[:LISTED])
    more = f'<li class="quiet">and {len(some) - LISTED:,} more</li>' if len(some) > LISTED else ""
    return f'<ul class="paths">{shown}{more}</ul>'
