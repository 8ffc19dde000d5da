"""RCV1's `rcv1.topics.hier.orig`: a line `parent: CCAT child: C11 child-description: STRATEGY/PLANS` for each edge.

The root is called `Root`, and the first line says that its own parent is `None`; that line is no category.
"""

import re
from pathlib import Path

from classmark.errors import InputError
from classmark.hierarchy.build import ROOT, Edge
from classmark.hierarchy.formats.lines import numbered_lines
from classmark.hierarchy.formats.nodes import Categories, NodeText, checked_edge

LINE = re.compile(r"parent:\s*(\S+)\s+child:\s*(\S+)(?:\s+child-description:\s*(.*))?")


def read_rcv1(path: Path) -> Categories:
    """Read the edges and the descriptions, which serve as names."""
    edges: list[Edge] = []
    nodes: dict[str, NodeText] = {}
    for number, line in numbered_lines(path):
        found = LINE.fullmatch(line.strip())
        if found is None:
            raise InputError(
                f"{path}:{number}: not a line such as 'parent: CCAT child: C11 child-description: PLANS': {line!r}"
            )
        parent, child, description = found.groups()
        if (parent, child) == ("None", "Root"):
            continue
        edges.append(checked_edge(ROOT if parent == "Root" else parent, child, f"{path}:{number}"))
        if description:
            nodes[child] = NodeText(description.strip())
    return Categories(edges, nodes)
