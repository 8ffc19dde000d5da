"""The top-down filter and the upward closure, by hand and against sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.decision import CONSISTENCY, Threshold, close_upward, filter_topdown
from tests.generators import hierarchies, indicators
from tests.oracles import decision as oracle

# Node order: a, b, x, u, with x below a and b, and u below x.
RULES = {"filter": filter_topdown, "close": close_upward}
DAG = Hierarchy.from_parents({"a": None, "b": None, "x": ["a", "b"], "u": "x"})


def sets_of(hierarchy, matrix):
    return [{name for name, label in zip(hierarchy, row, strict=True) if label} for row in matrix.toarray()]


def test_by_hand():
    accepted = csr_array(np.array([[1, 1, 1, 0], [1, 0, 1, 1], [0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0]], dtype=bool))
    assert sets_of(DAG, filter_topdown(accepted, DAG)) == [{"a", "b", "x"}, {"a"}, set(), {"b"}, set()]
    everything = {"a", "b", "x", "u"}
    assert sets_of(DAG, close_upward(accepted, DAG)) == [{"a", "b", "x"}, everything, everything, {"b"}, set()]


@pytest.mark.parametrize("name", RULES)
@given(hierarchy=hierarchies(), data=st.data())
def test_equal_to_the_oracle_and_consistent(name, hierarchy, data):
    accepted = data.draw(indicators(hierarchy, 3))
    before = accepted.copy()
    found = RULES[name](accepted, hierarchy)
    edges = set(hierarchy.edges())
    assert sets_of(hierarchy, found) == [oracle.CONSISTENCY[name](edges, one) for one in sets_of(hierarchy, accepted)]
    assert hierarchy.is_consistent(found).all()
    assert found.dtype == bool
    assert found.nnz == found.sum()
    assert (before != accepted).nnz == 0


@given(hierarchies(), st.data())
def test_the_filter_takes_and_the_closure_gives(hierarchy, data):
    accepted = data.draw(indicators(hierarchy, 3))
    kept, closed = filter_topdown(accepted, hierarchy), close_upward(accepted, hierarchy)
    assert (kept > accepted).nnz == 0
    assert (accepted > closed).nnz == 0
    # What is consistent already stays as it is.
    for consistent in (kept, closed):
        assert (filter_topdown(consistent, hierarchy) != consistent).nnz == 0
        assert (close_upward(consistent, hierarchy) != consistent).nnz == 0


@pytest.mark.parametrize("name", RULES)
def test_stored_zeros_are_not_accepted_and_duplicates_count_once(name):
    # Row 0: x, with a stored 0 at b; row 1: a twice.
    accepted = csr_array((np.array([1, 0, 1, 1]), np.array([2, 1, 0, 0]), np.array([0, 2, 4])), shape=(2, 4))
    expected = {"filter": [set(), {"a"}], "close": [{"a", "b", "x"}, {"a"}]}
    assert sets_of(DAG, RULES[name](accepted, DAG)) == expected[name]
    assert accepted.data.tolist() == [1, 0, 1, 1]


@pytest.mark.parametrize("name", RULES)
def test_no_documents(name):
    assert RULES[name](csr_array((0, 4), dtype=bool), DAG).shape == (0, 4)


@pytest.mark.parametrize("name", CONSISTENCY)
@given(hierarchy=hierarchies(), data=st.data())
def test_every_rule_takes_margins_and_gives_consistent_sets(name, hierarchy, data):
    margins = data.draw(arrays(float, (3, len(hierarchy)), elements=st.integers(-2, 2).map(float)))
    found = CONSISTENCY[name](margins, hierarchy)
    assert found.shape == margins.shape
    assert hierarchy.is_consistent(found).all()
    if name in RULES:
        assert (found != RULES[name](csr_array(margins > 0), hierarchy)).nnz == 0
    assert (Threshold(7.0, name).decide(margins + 7, hierarchy, hierarchy.leaves) != found).nnz == 0
