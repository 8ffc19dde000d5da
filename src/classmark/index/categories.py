"""The categories of a live index: hierarchy, readable names and decision, by which its documents classify others.

They are given when an index is made and never change; a file of their own has them, for there may be many of them, and
the manifest is written again with every document that comes.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from classmark.decision import Decision, parse_decision
from classmark.hierarchy import Hierarchy
from classmark.index.manifest import Manifest
from classmark.index.storage import load_mapped, pack_strings, unpack_strings
from classmark.persistence import State, all_below, checked_array


class IndexCategories(NamedTuple):
    """The hierarchy of an index, and what people call its nodes, those that have such a name."""

    hierarchy: Hierarchy
    titles: dict[Any, str]

    @classmethod
    def of(cls, hierarchy: Hierarchy, titles: Mapping[Any, str] | None) -> "IndexCategories":
        """Take categories that can be kept: their names are strings, as those of documents' labels are."""
        for name in hierarchy.names:
            if not isinstance(name, str):
                raise ValueError(f"the category {name!r} is not a string; the labels of an index are strings")
        return cls(hierarchy, {name: title for name, title in (titles or {}).items() if name in hierarchy and title})

    def check(self, ids: Iterable[str | None], labels: Iterable[Sequence[str]]) -> None:
        """Refuse documents whose labels are no categories."""
        for name, own in zip(ids, labels, strict=True):
            for label in own:
                if label not in self.hierarchy:
                    whose = "a document" if name is None else f"document {name!r}"
                    try:
                        self.hierarchy.position(label)
                    except ValueError as error:
                        raise ValueError(f"{whose}: {error}") from None


def categories_to_state(categories: IndexCategories) -> State:
    """Give what the file of categories holds."""
    hierarchy, titles = categories
    name_bytes, name_ends = pack_strings(map(str, hierarchy.names))
    title_bytes, title_ends = pack_strings(titles.get(name, "") for name in hierarchy.names)
    children, parents = hierarchy.parents.nonzero()
    return {
        "name_bytes": name_bytes,
        "name_ends": name_ends,
        "title_bytes": title_bytes,
        "title_ends": title_ends,
        "parents": parents.astype(np.int32),
        "children": children.astype(np.int32),
    }


def read_categories_of(folder: Path, manifest: Manifest) -> IndexCategories | None:
    """Read the categories that the manifest names, refusing what are none."""
    if manifest.categories is None:
        return None
    path = folder / manifest.categories
    state = load_mapped(path, manifest.checksums.get(manifest.categories))
    try:
        return _from_state(state)
    except ValueError as error:
        raise ValueError(f"{path}: {error}; build the index again") from None


def _from_state(state: State) -> IndexCategories:
    names, titles = (
        unpack_strings(
            checked_array(state, f"{kind}_bytes", np.uint8, (None,)),
            checked_array(state, f"{kind}_ends", np.int64, (None,)),
        )
        for kind in ("name", "title")
    )
    parents = checked_array(state, "parents", np.int32, (None,))
    children = checked_array(state, "children", np.int32, (len(parents),))
    if len(titles) != len(names) or not all_below(parents, len(names)) or not all_below(children, len(names)):
        raise ValueError("the categories of the index do not fit together")
    known = {name: title for name, title in zip(names, titles, strict=True) if title}
    return IndexCategories(Hierarchy(names, parents, children), known)


def checked_decision(words: str | None, hierarchy: Hierarchy | None = None) -> Decision | None:
    """Read the decision of an index, which must need nothing learned: its documents come and go."""
    if words is None:
        return None
    decision = parse_decision(words)
    if decision.learns_from != "nothing":
        raise ValueError(
            f"the decision {words!r} is learned from documents held out, and those of an index come and go; choose one "
            "that is not, such as best-path, rcut,r=3 or dscut,thresholds=1/0.7/0.7"
        )
    if hierarchy is not None:
        decision.check(hierarchy)
    return decision
