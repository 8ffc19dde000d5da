"""Checks of the hierarchy file, and of labels, ids and splits of documents against the hierarchy."""

from collections import Counter
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from classmark.arrays import Integers
from classmark.data.assembly import hierarchy_file, hint, names_file, read_found
from classmark.data.formats import Format
from classmark.data.formats.dataset import read_nodes
from classmark.data.formats.records import Outline
from classmark.data.looks import joined_labels, path_labels
from classmark.data.options import CorpusOptions
from classmark.errors import InputError, attempt, collecting
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.build import ROOT, Edge, Name, check_edge, edges_of_joined_path
from classmark.hierarchy.formats import NodeText
from classmark.hierarchy.formats.contents import suffix_of
from classmark.hierarchy.formats.edges import read_numbered
from classmark.hierarchy.formats.vocabularies import is_vocabulary
from classmark.inspection.findings import FindingLog, Places
from classmark.inspection.siblings import n_documents
from classmark.wording import meant

NAMED = 5
"""So many categories of a cycle are named."""


class CheckedHierarchy:
    """A hierarchy, if there is one, and what is wrong with the file that tells it.

    Edges inside a cycle are left out, so that everything else can be checked.
    """

    def __init__(self, path: Path, given: str | Path | None, log: FindingLog) -> None:
        self.hierarchy: Hierarchy | None = None
        self.nodes: dict[str, NodeText] = {}
        self._log = log
        self._path = path
        self._file = hierarchy_file(path, given)
        self._names = names_file(path, None if given is None else self._file)

    def read(self, form: Format, records: Outline, options: CorpusOptions) -> None:
        """Read what tells the categories, called as the documents call them."""
        take = self._log.collector("hierarchy-line")
        # Asked outside, as what is wrong with the first line would be collected twice.
        numbered = self._file if self._file is not None and _has_edges(self._file) else None
        with collecting(take):
            try:
                self._build(_placed(numbered) if numbered else self._edges(form, records, options))
            except InputError as error:
                take(error)
            if self._names is not None:
                self.nodes |= attempt(read_nodes, self._names, self.hierarchy) or {}

    def _edges(self, form: Format, records: Outline, options: CorpusOptions) -> list[tuple[str, Edge]] | None:
        """Give the edges of a file or folder that does not number them; None where nothing tells any."""
        found = read_found(self._path, self._file, form, records, options.language)
        if found is None:
            return None
        self.nodes = dict(found.nodes)
        return [(str(self._file or self._path), edge) for edge in found.edges]

    def _build(self, placed: list[tuple[str, Edge]] | None) -> None:
        if placed is None:
            return
        if not placed:
            raise InputError(f"{self._file}: no category could be read; give at least one")
        edges = self._distinct(placed)
        names = list(dict.fromkeys(name for edge in edges for name in edge if name is not None))
        circle = _circles(names, edges)
        self._check_cycles(names, edges, circle)
        # A category whose every parent is in its circle stands at the top for the time being.
        kept = [edge for edge in edges if not _inside(edge, circle)] + [(None, name) for name in circle]
        self.hierarchy = Hierarchy.from_edges(dict.fromkeys(kept))
        self._check_parents(edges)
        for node in np.flatnonzero(np.diff(self.hierarchy.children.indptr) == 1).tolist():
            child = self.hierarchy.names[self.hierarchy.child_positions(node)[0]]
            self._log.add("one-child", str(self.hierarchy.names[node]), f"has {child!r} below it alone")

    def _distinct(self, placed: list[tuple[str, Edge]]) -> dict[Edge, str]:
        """Give every edge once, with its place, and speak of those that stand twice."""
        edges: dict[Edge, str] = {}
        for where, edge in placed:
            if edges.setdefault(edge, where) != where:
                self._log.add("edge-twice", where, f"{_arrow(edge)} stands at {edges[edge]} already")
        return edges

    def _check_cycles(self, names: list[Name], edges: dict[Edge, str], circle: dict[Name, int]) -> None:
        for number in dict.fromkeys(circle.values()):
            members = [name for name in names if circle.get(name) == number]
            where = next(where for edge, where in edges.items() if _inside(edge, circle) and edge[1] in members)
            more = f" and {len(members) - NAMED:,} more" if len(members) > NAMED else ""
            self._log.add(
                "cycle", where, f"{', '.join(map(repr, members[:NAMED]))}{more} are above and below each other"
            )

    def _check_parents(self, edges: dict[Edge, str]) -> None:
        """Add parents that nothing is above of, where the file says of others that they are at the top."""
        below = {child for _, child in edges}
        if any(parent is None for parent, _ in edges):
            lone = {parent: where for (parent, _), where in edges.items() if parent is not None and parent not in below}
            for parent, where in lone.items():
                self._log.add(
                    "not-a-child", where, f"{parent!r} is the parent of others, and no line puts it below {ROOT}"
                )


def _has_edges(file: Path) -> bool:
    """Say whether a file has an edge a line; of one that cannot be told apart, reading says what is wrong."""
    try:
        return suffix_of(file) == ".tsv" and not is_vocabulary(file)
    except ValueError:
        return True


def _placed(file: Path) -> list[tuple[str, Edge]]:
    """Give the edges that are well written, each with its place."""
    return [(f"{file}:{number}", edge) for number, edge in read_numbered(file)]


def _circles(names: list[Name], edges: dict[Edge, str]) -> dict[Name, int]:
    """Give the categories that are above and below each other, each with the number of its circle."""
    places = {name: place for place, name in enumerate(names)}
    ends = np.array([(places[above], places[child]) for above, child in edges if above is not None], dtype=np.int64)
    ends = ends.reshape(-1, 2)
    graph = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(len(names), len(names)))
    circles: Integers = connected_components(graph, directed=True, connection="strong")[1]
    sizes = np.bincount(circles)
    return {name: int(circle) for name, circle in zip(names, circles, strict=True) if sizes[circle] > 1}


def _inside(edge: Edge, circle: dict[Name, int]) -> bool:
    return edge[0] in circle and circle[edge[0]] == circle.get(edge[1])


def _arrow(edge: Edge) -> str:
    return f"{ROOT if edge[0] is None else edge[0]} → {edge[1]}"


USUAL = ("train", "test", "validation", "valid", "val", "dev", "development", "unused", "unlabelled")
"""What splits are usually called."""
DROPPED = {
    "level": "warning",
    "then": "reading drops them; a document without others is not labeled",
    "remedy": "mend them, or add them to the hierarchy",
}


def check_ids(outline: Outline, places: Places, log: FindingLog) -> None:
    """Add ids that two documents have; a document without one has its number."""
    first: dict[str, int] = {}
    if any(name is not None for name in outline.ids):
        for row, name in enumerate(outline.ids):
            known = str(row + 1) if name is None else name
            if first.setdefault(known, row) != row:
                log.add("id-twice", places[row], f"{known!r} already stands at {places.beside(first[known], row)}")


def tree_of(outline: Outline, separator: str, places: Places, log: FindingLog) -> Hierarchy | None:
    """Return the tree of the label paths that are well written, and add the others."""
    edges: dict[Edge, None] = {}
    for row, labels in enumerate(outline.labels):
        for label in labels or ():
            try:
                edges.update(dict.fromkeys(_edges_of_label(label, separator)))
            except ValueError as error:
                log.add("path-gap", places[row], str(error).partition("; ")[0])
    return Hierarchy.from_edges(edges) if edges else None


def _edges_of_label(label: str, separator: str) -> list[Edge]:
    """Give the edges of a path that a hierarchy can have."""
    edges = list(edges_of_joined_path(label, separator))
    for edge in edges:
        check_edge(*edge)
    return edges


def check_known(
    outline: Outline, hierarchy: Hierarchy, options: CorpusOptions, places: Places, log: FindingLog
) -> None:
    """Add labels that the hierarchy does not have, each with the name that is near."""
    words = DROPPED if options.on_unknown == "drop" else {}
    for row, labels in enumerate(outline.labels):
        for label in labels or ():
            if label not in hierarchy:
                # The place, and the nearest of many names, take a while to find: only for those that are shown.
                shown = log.has_room("unknown-label")
                where = places.of_label(row, label) if shown else ""
                what = f"{label!r}{hint(label, hierarchy) if shown else ''}"
                log.add("unknown-label", where, what, words=words)


def check_labels(outline: Outline, hierarchy: Hierarchy | None, places: Places, log: FindingLog) -> None:
    """Add what is odd about labels that are known, or that nothing is known about."""
    above = set() if hierarchy is None else {hierarchy.names[node] for node in set(hierarchy.parents.indices.tolist())}
    for row, labels in enumerate(outline.labels):
        if labels and len(set(labels)) < len(labels):
            log.add("label-twice", places[row], f"{max(labels, key=labels.count)!r}")
        if labels and hierarchy is not None and (ends := _ends_of_document(labels, above, hierarchy)):
            log.add("inner-label", places[row], f"{ends[0]!r}")


def _ends_of_document(labels: list[str], above: set[object], hierarchy: Hierarchy) -> list[str]:
    """Give the labels that have categories below them, of which the document has none."""
    return [
        label
        for label in labels
        if label in above
        and not any(hierarchy.names[child] in labels for child in hierarchy.child_positions(hierarchy.position(label)))
    ]


def check_separators(outline: Outline, hierarchy: Hierarchy | None, log: FindingLog) -> None:
    """Add labels that look like paths, or like several in one, where nobody has said so."""
    labels = {label for one in outline.labels for label in one or ()}
    several = any(len(one or ()) > 1 for one in outline.labels)
    for found in [*joined_labels(labels, hierarchy, several=several), *path_labels(labels, hierarchy)]:
        words = {"remedy": f"if they are {found.remedy}"}
        for label in sorted(found.labels):
            log.add(found.kind, f"{found.separator!r} in", f"{label!r}", key=found.separator, words=words)


def check_splits(outline: Outline, file: Path, places: Places, log: FindingLog) -> None:
    """Add what is odd about splits."""
    counts = Counter(outline.splits)
    named = [split for split in counts if split is not None]
    if not named:
        return
    if "train" not in named:
        log.add("no-train", str(file), f"there is {', '.join(map(repr, sorted(named)))}")
    for split in named:
        if split not in USUAL:
            log.add("odd-split", f"split {split!r}", f"{n_documents(counts[split])}{meant(split, USUAL)}")
    for row, name in enumerate(outline.splits):
        if name is None:
            log.add("no-split", places[row], "no split")
