"""The hierarchy of categories, which every other part of classmark shares.

`core` holds `Hierarchy` itself: immutable, a tree or a directed acyclic graph, nodes in topological order, with an
implicit root that is not a category. `build` turns whatever a user has (edges, paths, parents, a nested dict) into
edges and orders them, `render` draws the tree, `indicator` makes clean matrices of label sets, and `ancestor_paths`
has the shortest ways up and where they meet.
"""

from classmark.hierarchy.build import Name
from classmark.hierarchy.core import Hierarchy

__all__ = ["Hierarchy", "Name"]
