"""A hierarchy as a tree that people can read, in text and as HTML for notebooks."""

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from classmark.html import render

if TYPE_CHECKING:
    from classmark.hierarchy.build import Name
    from classmark.hierarchy.core import Hierarchy

BRANCHES = {True: ("└── ", "    "), False: ("├── ", "│   ")}
"""Whether a child is the last → how its line starts, and what goes on below it."""


def short_name(name: "Name") -> str:
    """Give the name to show below its parent: the last part where the name is a whole path."""
    return str(name[-1]) if isinstance(name, tuple) else str(name)


def titled(name: "Name", titles: "Mapping[Name, str] | None", shown: str | None = None) -> str:
    """Give a name, or what is shown of it, with its readable title where it has one."""
    title = (titles or {}).get(name)
    shown = str(name) if shown is None else shown
    return shown if title is None else f"{shown} {title}"


def draw(hierarchy: "Hierarchy", max_nodes: int | None = None, titles: "Mapping[Name, str] | None" = None) -> str:
    """Draw the tree, children below parents; `↑` says that a node's children stand above, below its first parent."""
    drawn: set[int] = set()
    every = _lines(hierarchy, titles, drawn)
    lines = list(islice(every, max_nodes))
    left = len(hierarchy) - len(drawn)
    if next(every, None) is not None:
        lines.append(f"… {left} more of {len(hierarchy)} categories")
    return "\n".join(lines)


def _lines(hierarchy: "Hierarchy", titles: "Mapping[Name, str] | None", drawn: set[int]) -> "Iterator[str]":
    """Yield a line for each node, below each of its parents, and keep which nodes were drawn."""
    stack = [(int(node), "", "", "") for node in hierarchy.tops[::-1]]
    while stack:
        node, indent, branch, below = stack.pop()
        name, children = hierarchy.names[node], hierarchy.child_positions(node)[::-1]
        again = node in drawn
        drawn.add(node)
        mark = " ↑" if again and children.size else ""
        yield f"{indent}{branch}{titled(name, titles, short_name(name))}{mark}"
        if not again:
            stack += [(int(child), indent + below, *BRANCHES[place == 0]) for place, child in enumerate(children)]


MAX_NODES = 200
MAX_CHILDREN = 25
MAX_LEVELS = 5


class OutlineNode(NamedTuple):
    """A node that is shown, and those of its children that are shown below it."""

    title: str
    n_children: int
    children: list["OutlineNode"]


class TreeOutline(NamedTuple):
    """The first levels of a hierarchy; a node is below the first of its parents alone."""

    tops: list[OutlineNode]
    n_hidden: int
    n_nodes: int


def hierarchy_html(hierarchy: "Hierarchy") -> str:
    """Return the representation of a hierarchy."""
    return render("notebook/hierarchy.html", title=repr(hierarchy).strip("<>"), outline=outline_of(hierarchy))


def outline_of(hierarchy: "Hierarchy", titles: Mapping[Any, str] | None = None) -> TreeOutline:
    """Return the first levels of a hierarchy."""

    def nodes(positions: Iterator[int], most: int) -> list[tuple[int, OutlineNode]]:
        shown = list[tuple[int, OutlineNode]]()
        for position in positions:
            if position not in seen and len(shown) < most:
                seen.add(position)
                name = hierarchy.names[position]
                title = titled(name, titles, short_name(name))
                shown.append((position, OutlineNode(title, hierarchy.child_positions(position).size, [])))
        return shown

    seen = set[int]()
    tops = nodes(map(int, hierarchy.tops), MAX_CHILDREN)
    waiting = deque(tops)
    while waiting and len(seen) < MAX_NODES:
        position, node = waiting.popleft()
        if hierarchy.levels[position] < MAX_LEVELS:
            most = min(MAX_CHILDREN, MAX_NODES - len(seen))
            children = nodes(map(int, hierarchy.child_positions(position)), most)
            node.children.extend(child for _, child in children)
            waiting.extend(children)
    return TreeOutline([node for _, node in tops], len(hierarchy) - len(seen), len(hierarchy))
