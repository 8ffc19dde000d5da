"""Hierarchies in files and in networkx.

`hierarchy.tsv` has a line `parent<TAB>child` for each edge; the parent `ROOT` marks a top-level category, and so does
never standing in the right column.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classmark.hierarchy.build import ROOT, Edge, Name, check_edge

if TYPE_CHECKING:
    from classmark.hierarchy.core import Hierarchy


def read_tsv(path: Path) -> Iterator[Edge]:
    """Yield the edges of a `hierarchy.tsv`, refusing a bad line by its number."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8") from None
    for line_number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != 2:
            raise ValueError(f"{path}:{line_number}: {len(cells)} column(s) instead of parent<TAB>child: {line!r}")
        parent, child = (cell.strip() for cell in cells)
        try:
            check_edge(parent, child)
        except ValueError as error:
            raise ValueError(f"{path}:{line_number}: {error}") from None
        yield (None if parent == ROOT else parent), child


def write_tsv(hierarchy: "Hierarchy", path: Path) -> None:
    """Write a `hierarchy.tsv`; names that a line cannot hold are refused."""
    lines = []
    for parent, child in hierarchy.edges():
        cells = [ROOT if parent is None else str(parent), str(child)]
        if any(set(cell) & set("\t\n\r") for cell in cells):
            raise ValueError(f"the name {child!r} or {parent!r} has a tab or a line break; rename it before writing")
        lines.append("\t".join(cells) + "\n")
    path.write_text("".join(lines), encoding="utf-8")


def edges_of_networkx(graph: Any) -> Iterable[Edge]:
    """Give the edges of a directed networkx graph; a node without a parent is top-level."""
    if not graph.is_directed():
        raise ValueError("the graph is undirected; give a networkx.DiGraph with edges from parent to child")
    tops: list[Edge] = [(None, node) for node, degree in graph.in_degree() if degree == 0 and node != ROOT]
    return [*tops, *graph.edges()]


def to_networkx(names: Iterable[Name], edges: Iterable[Edge]) -> Any:
    """Give a `networkx.DiGraph` of the categories, without the root."""
    try:
        import networkx as nx
    except ImportError:
        raise ImportError("networkx is not installed; pip install 'classmark[networkx]'") from None
    graph = nx.DiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from(edge for edge in edges if edge[0] is not None)
    return graph
