"""HTML of a hierarchy for notebooks: a tree that opens, its first levels and at most a page of it."""

from collections import deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from classmark.hierarchy.render import short_name, titled
from classmark.html import render

if TYPE_CHECKING:
    from classmark.hierarchy.core import Hierarchy

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
