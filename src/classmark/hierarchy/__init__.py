"""The hierarchy of categories, which every other part of classmark shares.

`build` turns whatever a user has (edges, paths, parents, a nested dict) into edges and orders them, `formats` reads
and writes them elsewhere (TSV, networkx), `render` draws the tree, and `core` holds `Hierarchy` itself: immutable, a
tree or a directed acyclic graph, nodes in topological order, with an implicit root that is not a category.
"""

from classmark.hierarchy.build import Name
from classmark.hierarchy.core import Hierarchy

__all__ = ["Hierarchy", "Name"]
