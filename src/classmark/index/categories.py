"""The categories of a live index: hierarchy, what they are called, and decision, by which documents classify others.

They are given when an index is made and never change; a file of their own has them, for there may be many of them, and
the manifest is written again with every document that comes.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from classmark.decision import Decision, parse_decision
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import Told
from classmark.index.manifest import Manifest
from classmark.index.storage import load_mapped, pack_strings, unpack_strings
from classmark.persistence import State, all_below, checked_array

KEYS = {"titles": "title", "uris": "uri", "notations": "notation"}
"""What is kept of nodes → what the arrays that hold it are called in the file."""


class IndexCategories(NamedTuple):
    """The hierarchy of an index, and what its nodes are called, as far as they are: readable names and others."""

    hierarchy: Hierarchy
    titles: dict[Any, str]
    uris: dict[Any, str]
    notations: dict[Any, str]

    @classmethod
    def of(
        cls,
        hierarchy: Hierarchy,
        titles: Mapping[Any, str] | None = None,
        uris: Mapping[Any, str] | None = None,
        notations: Mapping[Any, str] | None = None,
    ) -> "IndexCategories":
        """Take categories that can be kept: their names are strings, as those of documents' labels are."""
        for name in hierarchy.names:
            if not isinstance(name, str):
                raise InputError(f"the category {name!r} is not a string; the labels of an index are strings")
        kept = (
            {name: text for name, text in (texts or {}).items() if name in hierarchy and text}
            for texts in (titles, uris, notations)
        )
        return cls(hierarchy, *kept)

    def told(self) -> Told:
        """Give what the nodes are called, None where none is."""
        return {"titles": self.titles or None, "uris": self.uris or None, "notations": self.notations or None}

    def check(self, ids: Iterable[str | None], labels: Iterable[Sequence[str]]) -> None:
        """Refuse documents whose labels are no categories."""
        for name, own in zip(ids, labels, strict=True):
            for label in own:
                if label not in self.hierarchy:
                    whose = "a document" if name is None else f"document {name!r}"
                    try:
                        self.hierarchy.position(label)
                    except ValueError as error:
                        raise InputError(f"{whose}: {error}") from None


def categories_to_state(categories: IndexCategories) -> State:
    """Give what the file of categories holds."""
    hierarchy = categories.hierarchy
    strings: State = _packed("name", map(str, hierarchy.names))
    for kind, key in KEYS.items():
        texts = getattr(categories, kind)
        strings |= _packed(key, (texts.get(name, "") for name in hierarchy.names))
    children, parents = hierarchy.parents.nonzero()
    return {**strings, "parents": parents.astype(np.int32), "children": children.astype(np.int32)}


def _packed(key: str, strings: Iterable[str]) -> State:
    data, ends = pack_strings(strings)
    return {f"{key}_bytes": data, f"{key}_ends": ends}


def read_categories_of(folder: Path, manifest: Manifest) -> IndexCategories | None:
    """Read the categories that the manifest names, refusing what are none."""
    if manifest.categories is None:
        return None
    path = folder / manifest.categories
    state = load_mapped(path, manifest.checksums[manifest.categories])
    try:
        return _from_state(state)
    except ValueError as error:
        raise InputError(f"{path}: {error}; build the index again") from None


def _from_state(state: State) -> IndexCategories:
    names = _unpacked(state, "name")
    known = {kind: _unpacked(state, key) for kind, key in KEYS.items()}
    parents = checked_array(state, "parents", np.int32, (None,))
    children = checked_array(state, "children", np.int32, (len(parents),))
    lengths = {len(strings) for strings in (names, *known.values())}
    if len(lengths) > 1 or not all_below(parents, len(names)) or not all_below(children, len(names)):
        raise InputError("the categories of the index do not fit together")
    texts = {kind: dict(zip(names, strings, strict=True)) for kind, strings in known.items()}
    return IndexCategories.of(Hierarchy(names, parents, children), **texts)


def _unpacked(state: State, key: str) -> list[str]:
    data = checked_array(state, f"{key}_bytes", np.uint8, (None,))
    return unpack_strings(data, checked_array(state, f"{key}_ends", np.int64, (None,)))


def checked_decision(words: str | None, hierarchy: Hierarchy | None = None) -> Decision | None:
    """Read the decision of an index, which must need nothing learned: its documents come and go."""
    if words is None:
        return None
    decision = parse_decision(words)
    if decision.learns_from != "nothing":
        raise InputError(
            f"the decision {words!r} is learned from documents held out, and those of an index come and go; choose one "
            "that is not, such as best-path, rcut,r=3 or dscut,thresholds=1/0.7/0.7"
        )
    if hierarchy is not None:
        decision.check(hierarchy)
    return decision
