"""A graph without its cycles: the edges that close one on a walk from the top are left out."""

from collections.abc import Iterable
from typing import TypeAlias

Pair: TypeAlias = tuple[str, str]


def acyclic(edges: Iterable[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Part the edges `(parent, child)`, each taken once and in their order, into those to keep and those to leave out.

    The walk goes depth first, from the nodes that are nobody's child and then from any that it has not met, to the
    children in their order; an edge to a node that it is just below closes a cycle.

    >>> acyclic([("a", "b"), ("b", "c"), ("c", "a"), ("top", "b")])
    ([('b', 'c'), ('c', 'a'), ('top', 'b')], [('a', 'b')])
    """
    distinct = list(dict.fromkeys(edges))
    children: dict[str, list[str]] = {}
    for parent, child in distinct:
        children.setdefault(parent, []).append(child)
    below = {child for _, child in distinct}
    closing = _closing(children, [node for node in children if node not in below])
    return [edge for edge in distinct if edge not in closing], [edge for edge in distinct if edge in closing]


def _closing(children: dict[str, list[str]], tops: Iterable[str]) -> set[Pair]:
    """Walk, with a stack of our own, as the way down may be longer than Python's."""
    closing: set[Pair] = set()
    above: dict[str, bool] = {}  # of each node met, whether the walk is below it
    for start in (*tops, *children):
        way = [] if start in above else [(start, iter(children[start]))]
        above.setdefault(start, True)
        while way:
            node, rest = way[-1]
            child = next(rest, None)
            if child is None:
                above[node] = False
                way.pop()
            elif above.get(child):
                closing.add((node, child))
            elif child not in above:
                above[child] = True
                way.append((child, iter(children.get(child, ()))))
    return closing
