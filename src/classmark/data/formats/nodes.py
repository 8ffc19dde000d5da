"""`nodes.tsv`: what people call the categories, as `node<TAB>name<TAB>description`; the description may be missing.

A first line that says `node`, `name` and perhaps `description` is a header.
"""

from collections.abc import Container, Mapping
from pathlib import Path

from classmark.data.formats.records import read_cells
from classmark.faults import attempt
from classmark.hierarchy.formats import NodeText
from classmark.persistence import replacing

__all__ = ["NodeText", "read_nodes", "write_nodes"]

HEADER = ["node", *NodeText._fields]


def read_nodes(path: str | Path, known: Container[str] | None = None) -> dict[str, NodeText]:
    """Read the texts of categories.

    Parameters
    ----------
    path : str or Path
        A file with two or three columns.
    known : container of str, optional
        The categories that there are, such as a `Hierarchy`; any other is refused.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "nodes.tsv")
    ...     write_nodes({"C11": NodeText("strategy", "plans of companies")}, file)
    ...     read_nodes(file)
    {'C11': NodeText(name='strategy', description='plans of companies')}
    """
    nodes: dict[str, NodeText] = {}
    for number, cells in read_cells(Path(path), HEADER[:1], HEADER[:2], HEADER):
        text = attempt(_text, cells, f"{path}:{number}", nodes, known)
        if text is not None:
            nodes[cells[0]] = text
    return nodes


def _text(cells: list[str], where: str, before: Container[str], known: Container[str] | None) -> NodeText:
    """Give what a line says; refuse one that says nothing, and a category that stands before or that there is not."""
    if len(cells) not in (2, 3):
        raise ValueError(f"{where}: {len(cells)} column(s) instead of node<TAB>name<TAB>description")
    node = cells[0]
    if node in before:
        raise ValueError(f"{where}: the category {node!r} stands in the file twice; keep one of the lines")
    if known is not None and node not in known:
        raise ValueError(f"{where}: the category {node!r} is not in the hierarchy; take the line out, or rename it")
    return NodeText(*cells[1:])


def write_nodes(nodes: Mapping[str, NodeText], path: str | Path) -> None:
    """Write the texts of categories; what a line cannot hold is refused."""
    lines = ["\t".join(HEADER), *(_line(node, *text) for node, text in nodes.items())]
    with replacing(Path(path)) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _line(*cells: str) -> str:
    if not cells[0] or any(cell != cell.strip() or set(cell) & set("\t\n") for cell in cells):
        raise ValueError(
            f"{list(cells)!r} has a tab, a line break, or space at an end, which a line cannot hold; take it out"
        )
    return "\t".join(cells)
