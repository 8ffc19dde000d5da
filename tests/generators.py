"""Hypothesis strategies that every test may use: hierarchies, and label sets over them."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from classmark import Hierarchy


@st.composite
def hierarchies(draw: st.DrawFn, max_nodes: int = 12, tree: bool = False) -> Hierarchy:
    """Draw a hierarchy; a node's parents come from the nodes before it, so there is never a cycle."""
    edges: list[tuple[Any, str]] = []
    for node in range(draw(st.integers(1, max_nodes))):
        most = min(node, 1 if tree else 3)
        parents = draw(st.sets(st.integers(0, max(0, node - 1)), max_size=most))
        edges += [(f"c{parent}", f"c{node}") for parent in sorted(parents)] or [(None, f"c{node}")]
    # Any order of the edges must do: numbering goes by first appearance.
    return Hierarchy.from_edges(draw(st.permutations(edges)))


def indicators(hierarchy: Hierarchy, n_documents: int) -> st.SearchStrategy[csr_array]:
    """Draw label sets, ancestors not added and empty ones among them, as a boolean indicator."""
    return arrays(np.bool_, (n_documents, len(hierarchy))).map(csr_array)


def label_lists(hierarchy: Hierarchy, n_documents: int) -> st.SearchStrategy[list[list[Any]]]:
    """Draw label sets as lists of names, in any order."""
    labels = st.lists(st.sampled_from(hierarchy.names), unique=True, max_size=4)
    return st.lists(labels, min_size=n_documents, max_size=n_documents)


@st.composite
def evaluations(draw: st.DrawFn, max_documents: int = 5, max_nodes: int = 12) -> tuple[Hierarchy, csr_array, csr_array]:
    """Draw a hierarchy with the true and the predicted label sets of some documents."""
    hierarchy = draw(hierarchies(max_nodes))
    n_documents = draw(st.integers(1, max_documents))
    return hierarchy, draw(indicators(hierarchy, n_documents)), draw(indicators(hierarchy, n_documents))
