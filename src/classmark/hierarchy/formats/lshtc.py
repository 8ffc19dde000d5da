"""LSHTC's `hierarchy.txt`: a line `parent child` for each edge, ids with white space between them.

A node that is never a child is top-level. The ids are numbers there; here they are strings, as labels are.
"""

from collections.abc import Iterator
from pathlib import Path

from classmark.errors import InputError, attempts
from classmark.hierarchy.build import Edge
from classmark.hierarchy.formats.lines import numbered_lines
from classmark.hierarchy.formats.nodes import checked_edge


def read_lshtc(path: Path) -> Iterator[Edge]:
    """Yield the edges, refusing a bad line by its number."""
    return attempts(_edge, ((line, f"{path}:{number}") for number, line in numbered_lines(path)))


def _edge(line: str, where: str) -> Edge:
    cells = line.split()
    if len(cells) != 2:
        raise InputError(
            f"{where}: {len(cells)} id(s) instead of two, parent and child: {line!r};"
            " names with spaces belong into a .tsv file, with a tab between parent and child"
        )
    return checked_edge(cells[0], cells[1], where)
