"""Hierarchies as edges: `hierarchy.tsv`, LSHTC's `hierarchy.txt`, RCV1's `rcv1.topics.hier.orig`, and networkx.

In `hierarchy.tsv` a line is `parent<TAB>child`. In `hierarchy.txt` a line is `parent child`, and the ids are strings
here, as labels are. In both, a node that is never a child is top-level; in `hierarchy.tsv` the parent `ROOT` marks one
too. In RCV1's file a line is `parent: CCAT child: C11 child-description: STRATEGY/PLANS`. Its root is called `Root`,
and the first line, which says that the parent of `Root` is `None`, is no category.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classmark.errors import InputError, attempts, needing
from classmark.hierarchy.build import ROOT, Edge, Name
from classmark.hierarchy.formats.contents import Categories, NodeText, checked_edge, numbered_lines

if TYPE_CHECKING:
    from classmark.hierarchy.core import Hierarchy


def read_tsv(path: Path) -> Iterator[Edge]:
    """Yield the edges of a `hierarchy.tsv`, refusing a bad line by its number."""
    return (edge for _, edge in read_numbered(path))


def read_numbered(path: Path) -> Iterator[tuple[int, Edge]]:
    """Yield the edges, each with the number of its line."""
    return attempts(_numbered_edge, ((number, line, f"{path}:{number}") for number, line in numbered_lines(path)))


def _numbered_edge(number: int, line: str, where: str) -> tuple[int, Edge]:
    cells = line.split("\t")
    if len(cells) != 2:
        raise InputError(f"{where}: {len(cells)} column(s) instead of parent<TAB>child: {line!r}")
    return number, checked_edge(cells[0].strip(), cells[1].strip(), where)


def write_tsv(hierarchy: "Hierarchy", path: Path) -> None:
    """Write a `hierarchy.tsv`; names that a line cannot hold, or that look the same in one, are refused."""
    written: dict[str, Name] = {}
    for name in hierarchy.names:
        if written.setdefault(str(name), name) is not name:
            raise InputError(f"the names {written[str(name)]!r} and {name!r} look the same in a file; rename one")
    lines = [_tsv_line(parent, child) for parent, child in hierarchy.edges()]
    path.write_text("".join(lines), encoding="utf-8", newline="\n")


def _tsv_line(parent: Name | None, child: Name) -> str:
    cells = [ROOT if parent is None else str(parent), str(child)]
    if set("".join(cells)) & set("\t\n\r"):
        raise InputError(f"the name {child!r} or {parent!r} has a tab or a line break; rename it before writing")
    if any(cell != cell.strip() for cell in cells):
        raise InputError(f"the name {child!r} or {parent!r} has space at an end; rename it before writing")
    return "\t".join(cells) + "\n"


def read_lshtc(path: Path) -> Iterator[Edge]:
    """Yield the edges, refusing a bad line by its number."""
    return attempts(_lshtc_edge, ((line, f"{path}:{number}") for number, line in numbered_lines(path)))


def _lshtc_edge(line: str, where: str) -> Edge:
    cells = line.split()
    if len(cells) != 2:
        raise InputError(
            f"{where}: {len(cells)} id(s) instead of two, parent and child: {line!r};"
            " names with spaces belong into a .tsv file, with a tab between parent and child"
        )
    return checked_edge(cells[0], cells[1], where)


RCV1_LINE = re.compile(r"parent:\s*(\S+)\s+child:\s*(\S+)(?:\s+child-description:\s*(.*))?")


def read_rcv1(path: Path) -> Categories:
    """Read the edges and the descriptions, which serve as names."""
    edges: list[Edge] = []
    nodes: dict[str, NodeText] = {}
    for number, line in numbered_lines(path):
        found = RCV1_LINE.fullmatch(line.strip())
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
