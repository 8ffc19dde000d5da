"""The names of categories as texts: the least that is known of a category is what it is called."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from classmark.errors import InputError
from classmark.hierarchy import Hierarchy, Name
from classmark.hierarchy.formats import NodeText
from classmark.hierarchy.render import short_name
from classmark.labels import encode

BETWEEN_WORDS = str.maketrans("_-./", "    ")


def name_documents(
    hierarchy: Hierarchy | None, labels: Sequence[Any], titles: Mapping[Name, str] | None = None
) -> tuple[list[str], list[list[Name]]]:
    """Give a document for each category, its title or its name, and the documents' labels.

    An inner category that no document has for its own label has no document either: it would become one that
    documents are put into. Underscores become spaces.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        The categories; without one, the labels seen.
    labels : sequence of lists
        The labels of the documents that these will be added to.
    titles : mapping, optional
        Readable names of categories that are codes.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> tree = Hierarchy.from_nested({"birds": ["snowy_owl", "gull"], "P": None})
    >>> name_documents(tree, [["gull"]], {"P": "plants"})
    (['plants', 'snowy owl', 'gull'], [['P'], ['snowy_owl'], ['gull']])
    """
    encoded = encode(labels, hierarchy)
    hierarchy = encoded.hierarchy
    closed = hierarchy.close(encoded.indicator)
    ends = np.union1d(hierarchy.own(closed).indices, hierarchy.leaves)
    names = [hierarchy.names[end] for end in ends]
    return [_title_of(name, titles or {}) for name in names], [[name] for name in names]


def _title_of(name: Name, titles: Mapping[Name, str]) -> str:
    return titles.get(name) or short_name(name).replace("_", " ")


def category_texts(hierarchy: Hierarchy, nodes: Mapping[Any, NodeText] | None = None) -> list[str]:
    """Give what is known of every node in words: name and description, or the node's own name as words.

    >>> tree = Hierarchy.from_nested({"animals": ["snowy_owl", "G7"]})
    >>> category_texts(tree, {"G7": NodeText("gulls", "birds of the sea")})
    ['animals', 'snowy owl', 'gulls birds of the sea']
    """
    given = {} if nodes is None else _described(nodes, hierarchy)
    return [given.get(name) or _words_of(short_name(name)) for name in hierarchy.names]


def _words_of(name: str) -> str:
    """Give the words of a name, without the numbers among them that tell names apart.

    >>> _words_of("snowy_owl.0215"), _words_of("1984")
    ('snowy owl', '1984')
    """
    words = name.translate(BETWEEN_WORDS).split()
    return " ".join([word for word in words if not word.isdigit()] or words)


def _described(nodes: Mapping[Any, NodeText], hierarchy: Hierarchy) -> dict[Any, str]:
    """Give the words of categories that somebody describes."""
    given = {name: text.words for name, text in nodes.items()}
    if unknown := [name for name in given if name not in hierarchy]:
        raise InputError(f"the category {unknown[0]!r} is described, but not in the hierarchy; take it out, or add it")
    if not any(given.values()):
        raise InputError("no category is described; give at least one a name or some words")
    return given
