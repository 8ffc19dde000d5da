"""Scores over hierarchies for the tests of decisions, and the way to the names that the oracles speak of."""

from collections.abc import Callable, Set
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.decision.thresholds import NodeThresholds
from tests.generators import hierarchies
from tests.oracles import decision as oracle

# Halves, so that many are equal and all sums are exact; minus infinity where nothing is known.
HALVES = st.integers(-6, 6).map(lambda n: n / 2) | st.just(-np.inf)

# The same with an error in the last digits, as other orders of summing give.
ROUNDED = st.builds(lambda n, error: n / 2 * (1 + error * 2.0**-50), st.integers(-6, 6), st.integers(-3, 3))


def int32(*nodes: int) -> Any:
    return np.array(nodes, dtype=np.int32)


@st.composite
def cases(draw: st.DrawFn, n_documents: int = 3, elements: Any = HALVES) -> tuple[Hierarchy, Any, Any]:
    """Draw a hierarchy, the scores of some documents, and the ends."""
    hierarchy = draw(hierarchies(max_nodes=8))
    scores = draw(arrays(float, (n_documents, len(hierarchy)), elements=elements))
    ends = draw(st.sets(st.integers(0, len(hierarchy) - 1), min_size=1))
    return hierarchy, scores, int32(*sorted(ends))


@st.composite
def few_labels(draw: st.DrawFn, tree: bool, n_documents: int = 6) -> tuple[Hierarchy, Any, csr_array]:
    """Draw a deep hierarchy, scores that tie but for rounding, and few labels.

    Children then often bring more than a node's share. From a seed: what hypothesis draws by itself is mostly flat, or
    full of labels.
    """
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    edges: list[tuple[Any, str]] = [(None, "c0")]
    for node in range(1, draw(st.integers(3, 8))):
        above = random.choice(node, min(node, 1 if tree else int(random.integers(1, 3))), replace=False)
        edges += [(f"c{parent}", f"c{node}") for parent in above.tolist()]
    hierarchy = Hierarchy.from_edges(edges)
    scores = random.integers(-6, 7, (n_documents, len(hierarchy))) / 2
    scores *= 1 + random.integers(-3, 4, scores.shape) * 2.0**-50
    scores[random.random(scores.shape) < 0.1] = -np.inf
    return hierarchy, scores, csr_array(random.random(scores.shape) < 0.15)


def named(hierarchy: Hierarchy, row: Any) -> dict[Any, float]:
    """Give one document's scores by the names of the nodes."""
    return dict(zip(hierarchy.names, row.tolist(), strict=True))


def names_of(hierarchy: Hierarchy, ends: Any) -> list[Any]:
    return [hierarchy.names[end] for end in ends]


def sets_of(hierarchy: Hierarchy, matrix: csr_array) -> list[set[Any]]:
    """Give label sets as sets of names, and see to it that they are what a decision must answer with."""
    assert matrix.dtype == bool
    assert hierarchy.is_consistent(matrix).all()
    return [{name for name, label in zip(hierarchy, row, strict=True) if label} for row in matrix.toarray()]


def children_of(hierarchy: Hierarchy) -> list[list[int]]:
    return [hierarchy.child_positions(node).tolist() for node in range(len(hierarchy))]


def assert_thresholds(
    decision: NodeThresholds, scores: Any, hierarchy: Hierarchy, threshold_of: Callable[[int, Set[int]], float]
) -> None:
    """See to it that thresholds, and the label sets by them, are those that the oracle finds from the leaves upward."""
    closing = decision.consistency == "close"
    expected, inside = oracle.bottom_up(scores.T.tolist(), children_of(hierarchy), closing, threshold_of)
    assert list(decision.thresholds) == expected
    rule, edges = oracle.CONSISTENCY_OF_MARGINS[decision.consistency], set(hierarchy.edges())
    sets = [rule(edges, named(hierarchy, row)) for row in scores - np.array(expected)]
    found = decision.decide(scores, hierarchy, hierarchy.leaves)
    assert sets_of(hierarchy, found) == sets
    if closing:
        # What was taken to be in a node as the thresholds were chosen is what is in it.
        assert [set(np.flatnonzero(column).tolist()) for column in found.toarray().T] == inside
