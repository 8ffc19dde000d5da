"""`nodes.tsv`: what people call the categories, as `node<TAB>name<TAB>description`; the description may be missing.

A first line that says `node`, `name` and perhaps `description` is a header; one that goes on with `uri` and `notation`,
or one of them, says that these columns follow.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path

from classmark.data.formats.records import read_cells
from classmark.errors import InputError, attempt
from classmark.hierarchy.formats import NodeText
from classmark.persistence import replacing

__all__ = ["NodeText", "read_nodes", "write_nodes"]

COLUMNS = ["node", *NodeText._fields]
USUAL = COLUMNS[:3]
"""The columns of a file without a header, and those that are always written."""


def read_nodes(path: str | Path, known: Container[str] | None = None) -> dict[str, NodeText]:
    """Read the texts of categories.

    Parameters
    ----------
    path : str or Path
        A file with two or three columns, or as many as its header says.
    known : container of str, optional
        The categories that there are, such as a `Hierarchy`; any other is refused.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "nodes.tsv")
    ...     write_nodes({"C11": NodeText("strategy", "plans of companies")}, file)
    ...     read_nodes(file)
    {'C11': NodeText(name='strategy', description='plans of companies', uri='', notation='')}
    """
    nodes: dict[str, NodeText] = {}
    for number, columns, cells in _lines(Path(path)):
        text = attempt(_text, cells, columns, f"{path}:{number}", nodes, known)
        if text is not None:
            nodes[cells[0]] = text
    return nodes


def _lines(path: Path) -> Iterator[tuple[int, list[str], list[str]]]:
    """Yield the lines below the header, if there is one, each with its number and the columns that it may have."""
    columns = USUAL
    for number, cells in read_cells(path):
        if number == 1 and _is_header(cells):
            columns = USUAL if len(cells) < len(USUAL) else cells
        else:
            yield number, columns, cells


def _is_header(cells: list[str]) -> bool:
    """Say whether a line names columns: the node, its name, and others, each once."""
    return cells[:2] == COLUMNS[: len(cells[:2])] and len(set(cells)) == len(cells) and {*cells} <= {*COLUMNS}


def _text(
    cells: list[str], columns: Sequence[str], where: str, before: Container[str], known: Container[str] | None
) -> NodeText:
    """Give what a line says; refuse one that says nothing, and a category that stands before or that there is not."""
    if not 2 <= len(cells) <= len(columns):
        raise InputError(f"{where}: {len(cells)} column(s) instead of {'<TAB>'.join(columns)}")
    node = cells[0]
    if node in before:
        raise InputError(f"{where}: the category {node!r} stands in the file twice; keep one of the lines")
    if known is not None and node not in known:
        raise InputError(f"{where}: the category {node!r} is not in the hierarchy; take the line out, or rename it")
    return NodeText(**dict(zip(columns[1:], cells[1:], strict=False)))


def write_nodes(nodes: Mapping[str, NodeText], path: str | Path) -> None:
    """Write the texts of categories, with addresses and notations if some have them; refuse what a line cannot hold."""
    further = [name for name in COLUMNS[len(USUAL) :] if any(getattr(text, name) for text in nodes.values())]
    columns = [*USUAL, *further]
    cells = ((node, *(getattr(text, name) for name in columns[1:])) for node, text in nodes.items())
    lines = ["\t".join(columns), *(_line(*line) for line in cells)]
    with replacing(Path(path)) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _line(*cells: str) -> str:
    if not cells[0] or any(cell != cell.strip() or set(cell) & set("\t\n") for cell in cells):
        raise InputError(
            f"{list(cells)!r} has a tab, a line break, or space at an end, which a line cannot hold; take it out"
        )
    return "\t".join(cells)
