"""`hierarchy.tsv`: a line `parent<TAB>child` for each edge.

The parent `ROOT` marks a top-level category, and so does never standing in the right column.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from classmark.errors import InputError, attempts
from classmark.hierarchy.build import ROOT, Edge, Name
from classmark.hierarchy.formats.lines import numbered_lines
from classmark.hierarchy.formats.nodes import checked_edge

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
    lines = [_line(parent, child) for parent, child in hierarchy.edges()]
    path.write_text("".join(lines), encoding="utf-8", newline="\n")


def _line(parent: Name | None, child: Name) -> str:
    cells = [ROOT if parent is None else str(parent), str(child)]
    if set("".join(cells)) & set("\t\n\r"):
        raise InputError(f"the name {child!r} or {parent!r} has a tab or a line break; rename it before writing")
    if any(cell != cell.strip() for cell in cells):
        raise InputError(f"the name {child!r} or {parent!r} has space at an end; rename it before writing")
    return "\t".join(cells) + "\n"
