"""The hierarchy in a notebook: a tree that opens, its first levels and no more than a page of it."""

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from classmark import markup
from classmark.hierarchy.render import short_name, titled

if TYPE_CHECKING:
    from classmark.hierarchy.core import Hierarchy

MOST_NODES = 200
MOST_CHILDREN = 25
MOST_LEVELS = 5
INDENT = "margin-left:1.2em"


def hierarchy_html(hierarchy: "Hierarchy") -> str:
    """Show what a hierarchy is, and its tree."""
    return markup.panel(repr(hierarchy).strip("<>"), tree_html(hierarchy))


def tree_html(hierarchy: "Hierarchy", titles: Mapping[Any, str] | None = None) -> str:
    """Draw the first levels; a node stands below the first of its parents alone."""
    shown = _shown(hierarchy)
    left = len(hierarchy) - sum(map(len, shown.values()))
    more = f"<div>{markup.quiet(f'… {left:,} more of {len(hierarchy):,} categories')}</div>" if left else ""
    return "".join(_node(node, hierarchy, shown, titles) for node in shown[-1]) + more


def _shown(hierarchy: "Hierarchy") -> dict[int, list[int]]:
    """Choose the nodes to show, level by level: those below each node that is opened, and below the root, -1."""
    tops = [int(node) for node in hierarchy.tops[:MOST_CHILDREN]]
    shown, seen = {-1: tops}, set(tops)
    waiting = deque(tops)
    while waiting and len(seen) < MOST_NODES:
        node = waiting.popleft()
        if hierarchy.levels[node] < MOST_LEVELS:
            room = min(MOST_CHILDREN, MOST_NODES - len(seen))
            below = [int(child) for child in hierarchy.child_positions(node) if int(child) not in seen][:room]
            shown[node] = below
            seen.update(below)
            waiting.extend(below)
    return shown


def _node(node: int, hierarchy: "Hierarchy", shown: Mapping[int, list[int]], titles: Mapping[Any, str] | None) -> str:
    """Draw a node and what is shown below it; how many children there are is said in any case."""
    name, children = hierarchy.names[node], hierarchy.child_positions(node).size
    label = markup.text(titled(name, titles, short_name(name)))
    if not children:
        return f'<div style="{INDENT}">{label}</div>'
    below = shown.get(node, [])
    inside = "".join(_node(child, hierarchy, shown, titles) for child in below)
    left = children - len(below)
    if left:
        inside += f'<div style="{INDENT}">{markup.quiet(f"… {left:,} more")}</div>'
    summary = f'<summary style="cursor:pointer">{label} {markup.quiet(f"({children:,})")}</summary>'
    return f'<details style="{INDENT}">{summary}{inside}</details>'
