"""The ways up, against walking."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from classmark import Hierarchy
from classmark.hierarchy.ancestor_paths import FAR, AncestorPaths, expand
from tests.generators import hierarchies
from tests.oracles import graphs as oracle

# a and b at the top, c below both, d below c and directly below a: two ways from d to a, one of a single step.
SHORT_CUT = Hierarchy.from_parents({"a": None, "b": None, "c": ["a", "b"], "d": ["c", "a"]})


def test_a_short_cut_by_hand():
    paths = AncestorPaths.of(SHORT_CUT)
    a, b, c, d, root = range(5)
    assert paths.steps_up(np.array([d, d, d, d]), np.array([a, b, c, root])).tolist() == [1, 2, 1, 2]
    assert paths.steps_up(np.array([a, c]), np.array([d, d])).tolist() == [FAR, FAR]
    numbers, nodes = paths.nodes_on(np.array([d, d]), np.array([root, b]))
    assert sorted(zip(numbers.tolist(), nodes.tolist(), strict=True)) == [
        (0, a),
        (0, d),
        (0, root),
        (1, b),
        (1, c),
        (1, d),
    ]


def test_the_deeper_of_two_common_ancestors_counts_then_the_first():
    # x and y are children of p, of q and of the deeper r; all three are one step away.
    dag = Hierarchy.from_parents({"p": None, "q": None, "r": "q", "x": ["p", "q", "r"], "y": ["p", "q", "r"]})
    x, y, r = (np.array([dag.position(name)]) for name in "xyr")
    assert AncestorPaths.of(dag).meet(x, y) == (2, r)
    flat = Hierarchy.from_parents({"p": None, "q": None, "x": ["p", "q"], "y": ["p", "q"]})
    x, y, p = (np.array([flat.position(name)]) for name in "xyp")
    assert AncestorPaths.of(flat).meet(x, y) == (2, p)


@given(hierarchies(max_nodes=9))
def test_equal_to_walking(hierarchy):
    paths = AncestorPaths.of(hierarchy)
    nodes = np.arange(paths.size)
    first, second = (grid.ravel() for grid in np.meshgrid(nodes, nodes))
    ups = {node: oracle.steps_up(node, hierarchy) for node in range(paths.size)}
    expected = [ups[one].get(other, FAR) for one, other in zip(first.tolist(), second.tolist(), strict=True)]
    assert paths.steps_up(first, second).tolist() == expected
    pairs = list(zip(*(found.tolist() for found in paths.meet(first, second)), strict=True))
    assert pairs == [oracle.meet(one, other, hierarchy) for one, other in zip(first, second, strict=True)]


@given(hierarchies(max_nodes=9))
def test_ways_equal_to_walking(hierarchy):
    paths = AncestorPaths.of(hierarchy)
    nodes, tops = paths.keys // paths.size, paths.keys % paths.size
    numbers, walked = paths.nodes_on(nodes, tops)
    for number, (node, top) in enumerate(zip(nodes, tops, strict=True)):
        assert set(walked[numbers == number].tolist()) == oracle.way(int(node), int(top), hierarchy)


@given(st.lists(st.integers(0, 3), min_size=1), st.data())
def test_expand_goes_through_rows(lengths, data):
    starts = np.append(0, np.cumsum(lengths))
    rows = data.draw(st.lists(st.integers(0, len(lengths) - 1)))
    numbers, entries = expand(starts, np.array(rows, dtype=np.int64))
    expected = [(n, entry) for n, row in enumerate(rows) for entry in range(starts[row], starts[row + 1])]
    assert list(zip(numbers.tolist(), entries.tolist(), strict=True)) == expected
