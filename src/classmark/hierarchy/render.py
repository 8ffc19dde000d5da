"""The hierarchy as a tree a person can read."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from classmark.hierarchy.build import Name
    from classmark.hierarchy.core import Hierarchy


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
    lines: list[str] = []
    drawn: set[int] = set()
    stack = [(int(node), "", "", "") for node in hierarchy.tops[::-1]]
    while stack:
        if max_nodes is not None and len(lines) == max_nodes:
            lines.append(f"… {len(hierarchy) - len(drawn)} more of {len(hierarchy)} categories")
            break
        node, indent, branch, below = stack.pop()
        again = node in drawn
        drawn.add(node)
        children = hierarchy.child_positions(node)
        mark = " ↑" if again and children.size else ""
        name = hierarchy.names[node]
        lines.append(f"{indent}{branch}{titled(name, titles, short_name(name))}{mark}")
        if again:
            continue
        inner = indent + below
        for position, child in enumerate(children[::-1]):
            last = position == 0
            stack.append((int(child), inner, "└── " if last else "├── ", "    " if last else "│   "))
    return "\n".join(lines)
