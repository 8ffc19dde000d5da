"""Backing off to sure ancestors, over sets and in any DAG."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.decision.sure import sure_labels, sure_ranges
from tests.generators import hierarchies, indicators
from tests.oracles import coverage as oracle
from tests.oracles.metrics import sets_of

VALUES = [0.0, 0.2, 0.25, 0.5, 0.75, 1.0]
DIAMOND = Hierarchy.from_parents({"top": None, "left": "top", "right": "top", "low": ["left", "right"]})


@st.composite
def answers(draw):
    """Draw a hierarchy, closed label sets, and chances of all nodes, which may contradict each other."""
    hierarchy = draw(hierarchies())
    documents = draw(st.integers(0, 5))
    labels = hierarchy.close(draw(indicators(hierarchy, documents)))
    return hierarchy, labels, draw(arrays(np.float64, labels.shape, elements=st.sampled_from(VALUES)))


@given(answers(), st.sampled_from(VALUES))
def test_the_slow_twin_agrees(case, least):
    hierarchy, labels, chances = case
    kept = sure_labels(labels, chances[labels.nonzero()], least, hierarchy)
    assert hierarchy.is_consistent(kept).all()
    assert sets_of(kept) == [
        oracle.sure_labels(oracle.own_of(closed, hierarchy), dict(enumerate(row)), least, hierarchy)
        for closed, row in zip(sets_of(labels), chances.tolist(), strict=True)
    ]


@given(answers(), st.sampled_from(VALUES))
def test_ranges_say_where_each_label_is_an_own_one(case, least):
    hierarchy, labels, chances = case
    given_chances = chances[labels.nonzero()]
    above, to = sure_ranges(labels, given_chances, hierarchy)
    own = hierarchy.own(sure_labels(labels, given_chances, least, hierarchy)).toarray()
    assert np.array_equal(own[labels.nonzero()], (above < least) & (least <= to))


@pytest.mark.parametrize(
    ("least", "kept"),
    [
        (0.3, {"top", "left", "right", "low"}),
        (0.4, {"top", "left", "right"}),
        (0.5, {"top", "left"}),
        (0.9, {"top"}),
        (0.95, set()),
    ],
)
def test_all_deepest_ancestors_by_hand(least, kept):
    labels = csr_array([[True] * 4])
    chances = np.array([{"top": 0.9, "left": 0.6, "right": 0.4, "low": 0.3}[name] for name in DIAMOND.names])
    found = sure_labels(labels, chances, least, DIAMOND)
    assert {DIAMOND.names[node] for node in found.indices} == kept
