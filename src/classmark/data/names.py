"""The names of categories as documents: the least that is known of a category is what it is called."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from classmark.hierarchy import Hierarchy, Name
from classmark.hierarchy.render import short_name
from classmark.labels import encode


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
