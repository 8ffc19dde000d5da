"""Candidates by hand, and against loops."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from classmark.ensembles.candidates import best_of_parts
from tests.ensembles.problems import scored
from tests.oracles import pairs as oracle


def test_by_hand():
    one = np.array([[5.0, 4.0, 4.0, 1.0], [-np.inf] * 4])
    other = np.array([[-np.inf, -np.inf, -np.inf, 2.0], [0.0, 1.0, 1.0, 1.0]])
    found = best_of_parts([one, other], np.array([0, 1, 2, 3], np.int32), count=2)
    # Node 1 before its equal, node 2; what the other part knows nothing of is none of its best.
    assert found.nodes.tolist() == [0, 1, 3, 1, 2]
    assert found.starts.tolist() == [0, 3, 5]
    assert found.documents.tolist() == [0, 0, 0, 1, 1]
    assert found.nodes.dtype == np.int32
    # The first of both parts come before the second of either.
    assert best_of_parts([one, other], np.array([0, 1, 2, 3], np.int32), 2, most=2).nodes.tolist() == [0, 3, 1, 2]


def test_nothing_known_gives_nothing():
    found = best_of_parts([np.full((2, 3), -np.inf)], np.array([0, 2], np.int32))
    assert found.nodes.size == 0
    assert found.starts.tolist() == [0, 0, 0]
    assert best_of_parts([np.empty((0, 3))], np.array([0, 2], np.int32)).starts.tolist() == [0]


@given(scored(), st.integers(1, 14), st.integers(1, 20))
def test_against_loops(problem, count, most):
    _, ends, parts = problem
    found = best_of_parts([part.own for part in parts], ends, count, most)
    tables = [part.own.tolist() for part in parts]
    for document in range(len(parts[0].own)):
        expected = oracle.candidates([table[document] for table in tables], ends.tolist(), count, most)
        assert found.nodes[found.starts[document] : found.starts[document + 1]].tolist() == expected
    again = best_of_parts([part.own for part in parts], ends, count, most, n_jobs=3)
    assert np.array_equal(again.nodes, found.nodes)
    assert np.array_equal(again.starts, found.starts)
