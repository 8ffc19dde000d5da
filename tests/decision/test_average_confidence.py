"""Relabelling by the average confidence: the paper's words by hand and over sets."""

import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.decision import Threshold, average_confidence, filter_topdown, parse_decision
from tests.decision.cases import cases, named, sets_of
from tests.oracles import decision as oracle

INF = np.inf
# Node order: a, b, x, u, with x below a and b, and u below x.
DAG = Hierarchy.from_parents({"a": None, "b": None, "x": ["a", "b"], "u": "x"})


def relabelled(*margins, hierarchy=DAG):
    return sets_of(hierarchy, average_confidence(np.array([margins]), hierarchy))[0]


@pytest.mark.parametrize(
    ("margins", "expected"),
    [
        # Consistent: kept as it is, however weak.
        ((0.1, 0.1, 0.1, -9), {"a", "b", "x"}),
        ((5, -1, -9, -9), {"a"}),
        # x against b: (1 − 1 + 1) / 3 > 0, so x comes and brings b.
        ((1, -1, 1, -9), {"a", "b", "x"}),
        # (1 − 3 + 1) / 3 < 0: x goes, a stays by itself.
        ((1, -3, 1, -9), {"a"}),
        # A mean of exactly 0 is not above it.
        ((1, -2, 1, -9), {"a"}),
        # u alone: (−1 − 1 − 1 + 4) / 4 > 0 outvotes all its ancestors; −1 − 1 − 1 + 3 does not.
        ((-1, -1, -1, 4), {"a", "b", "x", "u"}),
        ((-1, -1, -1, 3), set()),
        # u is kept, and x with it, although x by itself was rejected.
        ((2, 2, -1, 1), {"a", "b", "x", "u"}),
        # A class below its threshold is never asked, whatever its ancestors say.
        ((9, 9, 0, 0), {"a", "b"}),
        # Nothing known of an ancestor: no vote can make up for it.
        ((-INF, 9, 9, 9), {"b"}),
        ((-INF, -INF, -INF, -INF), set()),
    ],
)
def test_by_hand(margins, expected):
    assert relabelled(*margins) == expected


def test_documents_are_judged_one_by_one():
    margins = np.array([[1.0, -1, 1, -9], [1, -3, 1, -9], [-1, -1, -1, -1], [-1, -1, -1, 4]])
    assert sets_of(DAG, average_confidence(margins, DAG)) == [{"a", "b", "x"}, {"a"}, set(), {"a", "b", "x", "u"}]


def test_the_threshold_is_taken_off_first():
    scores = np.array([[1.0, -1, 1, -9]]) + 7
    decision = parse_decision("average-confidence,value=7")
    assert decision == Threshold(7.0, "average")
    assert sets_of(DAG, decision.decide(scores, DAG, DAG.leaves)) == [{"a", "b", "x"}]


def test_no_documents():
    assert average_confidence(np.empty((0, 4)), DAG).shape == (0, 4)


@given(cases())
def test_equal_to_the_oracle(case):
    hierarchy, margins, _ = case
    edges = set(hierarchy.edges())
    expected = [oracle.average_confidence(edges, named(hierarchy, row)) for row in margins]
    assert sets_of(hierarchy, average_confidence(margins, hierarchy)) == expected


@given(cases())
def test_it_lies_between_the_filter_and_the_closure(case):
    """What the filter keeps is consistent and stays; what is kept was accepted, or lies above something accepted."""
    hierarchy, margins, _ = case
    accepted = csr_array(margins > 0)
    found = average_confidence(margins, hierarchy)
    assert (filter_topdown(accepted, hierarchy) > found).nnz == 0
    assert (found > hierarchy.close(accepted)).nnz == 0
