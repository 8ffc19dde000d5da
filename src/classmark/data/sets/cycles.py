"""A graph without its cycles: the edges that close one on a walk from the top are left out."""

from collections.abc import Iterable, Iterator
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
    # False before True: the nodes that are nobody's child come first.
    closing = _closing(children, sorted(children, key=below.__contains__))
    return [edge for edge in distinct if edge not in closing], [edge for edge in distinct if edge in closing]


def _closing(children: dict[str, list[str]], starts: Iterable[str]) -> set[Pair]:
    """Find the edges that close a cycle on walks from some nodes, in turn."""
    above: dict[str, bool] = {}
    return {edge for start in starts if start not in above for edge in _walk(start, children, above)}


def _walk(start: str, children: dict[str, list[str]], above: dict[str, bool]) -> Iterator[Pair]:
    """Walk down, and yield the edges to nodes that the walk is just below; `above` tells it of each node met.

    The stack is our own, as the way down may be longer than Python's.
    """
    way = [(start, iter(children[start]))]
    above[start] = True
    while way:
        node, rest = way[-1]
        child = next(rest, None)
        if child is None:
            above[node] = False
            way.pop()
        elif above.get(child):
            yield node, child
        elif child not in above:
            above[child] = True
            way.append((child, iter(children.get(child, ()))))
