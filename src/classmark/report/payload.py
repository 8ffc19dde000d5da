"""The nodes as the page's script reads them: columns of JSON that no HTML can be hidden in, within a number of bytes.

Where there is not room for all, the nodes with the most documents are kept, each with all that is above it; then words
are added as long as there is room.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from classmark.html import script_json, short
from classmark.report.contents import Node

LONGEST_NAME = 120
LONGEST_WORD = 30
N_WORDS = 8
COUNTS = ("documents", "training", "predicted")
SHARES = ("precision", "recall", "f1", "other_f1")
LABELS = ("name", "title")
PLACE_BYTES = 16
"""So many bytes are kept for the places of a node and of its parent."""
HEADER_BYTES = 400
"""So many bytes are kept for the names of the columns."""

Row = tuple[str | int | None, ...]


@dataclass(frozen=True)
class Payload:
    """What the script reads, and what it lacks."""

    json: str
    """All of it, in one line."""
    kept: int
    """How many nodes are in it."""
    with_words: int
    """How many of those that have words have them there."""


def parent_of(nodes: Sequence[Node], node: int) -> int | None:
    """Return the node that another is drawn below; a parent that does not precede it counts as none.

    >>> parent_of([Node(name="bird"), Node(name="owl", parents=[0])], 1)
    0
    """
    parents = nodes[node].parents
    return parents[0] if parents and 0 <= parents[0] < node else None


def way_to(nodes: Sequence[Node], node: int) -> list[int]:
    """Return the nodes from the top to another, which is the last."""
    way, above = [node], parent_of(nodes, node)
    while above is not None:
        way.append(above)
        above = parent_of(nodes, above)
    return way[::-1]


def by_documents(nodes: Sequence[Node]) -> list[int]:
    """Return the nodes, those with the most documents first."""
    return sorted(range(len(nodes)), key=lambda node: (-(nodes[node].documents or 0), node))


def payload(nodes: Sequence[Node], names: Sequence[str], n_bytes: int) -> Payload:
    """Give as many nodes as there is room for."""
    known = [key for key in (*COUNTS, *SHARES) if any(getattr(node, key) is not None for node in nodes)]
    models = [short(name, LONGEST_NAME) for name in names[:2]]
    rows, left = _most_important(nodes, known, n_bytes - _n_bytes(models) - HEADER_BYTES)
    kept = sorted(rows)
    places = {node: place for place, node in enumerate(kept)}
    also, left = _also(nodes, places, left)
    words, left = _words([nodes[node] for node in kept], left)
    columns: dict[str, Any] = {
        "models": models,
        "parent": [-1 if (above := parent_of(nodes, node)) is None else places.get(above, -1) for node in kept],
        "also": also,
        "words": words,
        **{key: [rows[node][place] for node in kept] for place, key in enumerate((*LABELS, *known))},
    }
    if not any(columns["title"]):
        del columns["title"]
    if len(kept) < len(nodes):
        columns["number"] = kept
    return Payload(script_json(columns), len(kept), len(words))


def _n_bytes(value: Any) -> int:
    return len(script_json(value).encode())


def _number(value: float | None, key: str) -> int | None:
    """Give a count as it is, and a share in thousandths, which is shorter."""
    if value is None or value != value:
        return None
    return int(value) if key in COUNTS else round(1000 * value)


def _most_important(nodes: Sequence[Node], known: Sequence[str], n_bytes: int) -> tuple[dict[int, Row], int]:
    """Give the nodes with the most documents, as many as there is room for, and the room that is left."""
    kept: dict[int, Row] = {}
    for node in by_documents(nodes):
        new = {one: _row(nodes[one], known) for one in _not_kept(nodes, node, kept)}
        n_bytes -= sum(map(_n_bytes, new.values())) + PLACE_BYTES * len(new)
        if n_bytes < 0:
            break
        kept |= new
    return kept, max(n_bytes, 0)


def _row(node: Node, known: Sequence[str]) -> Row:
    numbers = (_number(getattr(node, key), key) for key in known)
    return (short(node.name, LONGEST_NAME), short(node.title or "", LONGEST_NAME), *numbers)


def _not_kept(nodes: Sequence[Node], node: int, kept: Container[int]) -> Iterable[int]:
    above: int | None = node
    while above is not None and above not in kept:
        yield above
        above = parent_of(nodes, above)


def _also(nodes: Sequence[Node], places: Mapping[int, int], n_bytes: int) -> tuple[dict[str, list[int]], int]:
    """Give what a node is below beside its first parent."""
    also: dict[str, list[int]] = {}
    for node, place in places.items():
        some = [places[one] for one in nodes[node].parents[1:9] if one in places]
        n_bytes -= 24 + 8 * len(some) if some else 0
        if n_bytes < 0:
            break
        if some:
            also[str(place)] = some
    return also, max(n_bytes, 0)


def _words(nodes: Sequence[Node], n_bytes: int) -> tuple[dict[str, str], int]:
    """Give the words of as many nodes as there is room for, those with the most documents first."""
    words: dict[str, str] = {}
    for place in by_documents(nodes):
        if not nodes[place].words:
            continue
        some = ", ".join(short(word, LONGEST_WORD) for word in nodes[place].words[:N_WORDS])
        n_bytes -= _n_bytes(some) + 10
        if n_bytes < 0:
            break
        words[str(place)] = some
    return dict(sorted(words.items(), key=lambda item: int(item[0]))), n_bytes
