"""Categories called by the way down to them, for formats that keep a label as folders or as columns."""

from collections.abc import Mapping
from dataclasses import replace

from classmark.data.corpus import Corpus
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy, Name


def with_path_names(corpus: Corpus, separator: str) -> Corpus:
    """Call every category by its path, as `animal/owl`; a corpus whose names are paths already stays as it is.

    >>> animals = Hierarchy.from_nested({"animal": ["owl"]})
    >>> with_path_names(Corpus(["1"], ["hoots"], [["owl"]], [None], animals, "an owl"), "/").labels
    [['animal/owl']]
    """
    if corpus.hierarchy is None or _are_paths(corpus.hierarchy, separator):
        return corpus
    names = {name: _path_of(name, corpus.hierarchy, separator) for name in corpus.hierarchy}
    return replace(_renamed(corpus, names), hierarchy=Hierarchy.from_paths(names.values(), separator))


def _renamed(corpus: Corpus, names: Mapping[Name, str]) -> Corpus:
    """Give the labels of documents, and the texts of categories, other names."""
    labels = [own and [names[label] for label in own] for own in corpus.labels]
    return replace(corpus, labels=labels, nodes={names[name]: text for name, text in corpus.nodes.items()})


def tidied(label: str, separator: str) -> str:
    """Take white space around the separator away, so that one category is not written in two ways.

    >>> tidied("Garden / Flowers", "/")
    'Garden/Flowers'
    """
    return separator.join(part.strip() for part in label.split(separator)) if separator in label else label


def parts_of(label: str, separator: str) -> list[str]:
    """Take a path apart, refusing an empty part."""
    parts = label.split(separator)
    if not all(parts):
        raise InputError(f"the label {label!r} has an empty part; rename it")
    return parts


def _are_paths(hierarchy: Hierarchy, separator: str) -> bool:
    """Say whether each name is its parent's name, the separator and a last part."""
    return all(str(child).rpartition(separator)[0] == (parent or "") for parent, child in hierarchy.edges())


def _path_of(name: Name, hierarchy: Hierarchy, separator: str) -> str:
    ways = hierarchy.paths(name)
    if len(ways) > 1:
        raise InputError(f"the category {name!r} has {len(ways)} paths, and here only one has room; write .jsonl")
    for part in ways[0]:
        if separator in str(part):
            raise InputError(f"the category {part!r} has {separator!r} in its name; rename it, or write .jsonl")
    return separator.join(map(str, ways[0]))
