"""Labels, ids and splits, document by document, and labels held against the hierarchy."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from classmark.data.assembly import hint
from classmark.data.looks import joined_labels, path_labels
from classmark.data.options import CorpusOptions
from classmark.data.outline import Outline
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.build import Edge, check_edge, edges_of_joined_path
from classmark.inspection.categories import n_documents
from classmark.inspection.findings import Finding, Places, Tally
from classmark.wording import meant

USUAL = ("train", "test", "validation", "valid", "val", "dev", "development", "unused", "unlabelled")
"""What splits are usually called."""
DROPPED = {
    "level": "warning",
    "then": "reading drops them; a document without others is not labeled",
    "remedy": "mend them, or add them to the hierarchy",
}


def id_findings(outline: Outline, places: Places, limit: int) -> Iterator[Finding]:
    """Give ids that two documents have; a document without one has its number."""
    first: dict[str, int] = {}
    tally = Tally("id-twice", limit)
    if any(name is not None for name in outline.ids):
        for row, name in enumerate(outline.ids):
            known = str(row + 1) if name is None else name
            if first.setdefault(known, row) != row:
                tally.add(places[row], f"{known!r} already stands at {places.beside(first[known], row)}")
    yield from tally.findings()


def tree_of(outline: Outline, separator: str, limit: int, places: Places) -> tuple[Hierarchy | None, list[Finding]]:
    """Make the tree of the label paths that are well written, and give the others."""
    tally = Tally("path-gap", limit)
    edges: dict[Edge, None] = {}
    for row, labels in enumerate(outline.labels):
        for label in labels or ():
            try:
                edges.update(dict.fromkeys(_edges(label, separator)))
            except ValueError as error:
                tally.add(places[row], str(error).partition("; ")[0])
    return Hierarchy.from_edges(edges) if edges else None, list(tally.findings())


def _edges(label: str, separator: str) -> list[Edge]:
    """Give the edges of a path that a hierarchy can have."""
    edges = list(edges_of_joined_path(label, separator))
    for edge in edges:
        check_edge(*edge)
    return edges


def unknown_findings(
    outline: Outline, hierarchy: Hierarchy, options: CorpusOptions, places: Places, limit: int
) -> Iterator[Finding]:
    """Give labels that the hierarchy does not have, each with the name that is near."""
    tally = Tally("unknown-label", limit)
    for row, labels in enumerate(outline.labels):
        for label in labels or ():
            if label not in hierarchy:
                # The place, and the nearest of many names, take a while to find: only for those that are shown.
                shown = tally.has_room
                where = places.of_label(row, label) if shown else ""
                tally.add(where, f"{label!r}{hint(label, hierarchy) if shown else ''}")
    yield from tally.findings(**(DROPPED if options.on_unknown == "drop" else {}))


def label_findings(outline: Outline, hierarchy: Hierarchy | None, places: Places, limit: int) -> Iterator[Finding]:
    """Give what is odd about labels that are known, or that nothing is known about."""
    twice, inner = Tally("label-twice", limit), Tally("inner-label", limit)
    above = set() if hierarchy is None else {hierarchy.names[node] for node in set(hierarchy.parents.indices.tolist())}
    for row, labels in enumerate(outline.labels):
        if labels and len(set(labels)) < len(labels):
            twice.add(places[row], f"{max(labels, key=labels.count)!r}")
        if labels and hierarchy is not None and (ends := _ends(labels, above, hierarchy)):
            inner.add(places[row], f"{ends[0]!r}")
    yield from twice.findings()
    yield from inner.findings()


def _ends(labels: list[str], above: set[object], hierarchy: Hierarchy) -> list[str]:
    """Give the labels that have categories below them, of which the document has none."""
    return [
        label
        for label in labels
        if label in above
        and not any(hierarchy.names[child] in labels for child in hierarchy.child_positions(hierarchy.position(label)))
    ]


def look_findings(outline: Outline, hierarchy: Hierarchy | None, limit: int) -> Iterator[Finding]:
    """Give labels that look like paths, or like several in one, where nobody has said so."""
    labels = {label for one in outline.labels for label in one or ()}
    several = any(len(one or ()) > 1 for one in outline.labels)
    for found in [*joined_labels(labels, hierarchy, several=several), *path_labels(labels, hierarchy)]:
        tally = Tally(found.kind, limit)
        for label in sorted(found.labels):
            tally.add(f"{found.separator!r} in", f"{label!r}")
        yield from tally.findings(remedy=f"if they are {found.remedy}")


def split_findings(outline: Outline, file: Path, places: Places, limit: int) -> Iterator[Finding]:
    """Give what is odd about splits."""
    counts = Counter(outline.splits)
    named = [split for split in counts if split is not None]
    if not named:
        return
    none, without, odd = Tally("no-train", limit), Tally("no-split", limit), Tally("odd-split", limit)
    if "train" not in named:
        none.add(str(file), f"there is {', '.join(map(repr, sorted(named)))}")
    for split in named:
        if split not in USUAL:
            odd.add(f"split {split!r}", f"{n_documents(counts[split])}{meant(split, USUAL)}")
    for row, name in enumerate(outline.splits):
        if name is None:
            without.add(places[row], "no split")
    for tally in (none, without, odd):
        yield from tally.findings()
