"""Backing off: the best path as far as it is sure, by hand and over sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.decision import BackOff, BestPath, LearnedDecision, best_end
from classmark.decision.best_path import fit_temperature, node_chances
from tests.decision.cases import cases, int32, named, sets_of
from tests.generators import indicators
from tests.oracles import decision as oracle

INF = np.inf
TREE = Hierarchy.from_nested({"a": ["x", "y"], "b": None})  # node order: a, b, x, y
ENDS = int32(1, 2, 3)
# Chances .4 of x, .3 of y and of b, and so .7 of a; x is the best end.
SCORES = np.log([[1.0, 3.0, 4.0, 3.0]])


@pytest.mark.parametrize(
    ("confidence", "to", "expected"),
    [
        (0.0, "parent", {"a", "x"}),
        (0.39, "parent", {"a", "x"}),
        (0.41, "parent", {"a"}),
        (0.5, "parent", {"a"}),
        (0.69, "parent", {"a"}),
        (0.71, "parent", set()),
        (1.0, "parent", set()),
        (0.0, "nothing", {"a", "x"}),
        (0.39, "nothing", {"a", "x"}),
        (0.41, "nothing", set()),
        (1.0, "nothing", set()),
    ],
)
def test_by_hand(confidence, to, expected):
    assert sets_of(TREE, BackOff(confidence, to).decide(SCORES, TREE, ENDS)) == [expected]


def test_a_hotter_temperature_is_less_sure():
    # At T = 1, x has ⅘ of a's 1; at T = ½ the odds are 16 : 1, at T = 2 they are 2 : 1.
    scores = np.log([[1.0, 1e-9, 4.0, 1.0]])
    for temperature, chance in ((0.5, 16 / 17), (1.0, 4 / 5), (2.0, 2 / 3)):
        for confidence, expected in ((chance - 0.01, {"a", "x"}), (chance + 0.01, {"a"})):
            decision = BackOff(confidence, temperature=temperature)
            assert sets_of(TREE, decision.decide(scores, TREE, ENDS)) == [expected]


def test_fit_learns_the_temperature_of_own_labels():
    scores = np.array([[0.0, 0.0, 1.0, 0.0]] * 4)
    labels = csr_array(np.array([[1, 0, 1, 0]] * 3 + [[1, 0, 0, 1]], dtype=bool))
    before = BackOff(0.6, "nothing")
    after = before.fit(scores, labels, TREE)
    assert (after.confidence, after.to) == (0.6, "nothing")
    assert after.temperature == fit_temperature(scores, TREE.own(labels), int32(2, 3))
    # x was right three times of four: e^(1 / T) = 3.
    assert after.temperature == pytest.approx(1 / np.log(3), rel=1e-3)
    assert before.temperature == 1.0


def test_nothing_known_and_no_documents():
    nothing = np.full((1, 4), -INF)
    assert sets_of(TREE, BackOff(0.6).decide(nothing, TREE, ENDS)) == [set()]
    assert BackOff().decide(np.empty((0, 4)), TREE, ENDS).shape == (0, 4)


@given(cases(), st.sampled_from([0.0, 0.2, 0.45, 0.8, 1.0]), st.sampled_from(["parent", "nothing"]))
def test_equal_to_the_oracle(case, confidence, to):
    hierarchy, scores, ends = case
    edges = set(hierarchy.edges())
    expected = [
        oracle.back_off(edges, named(hierarchy, chances), hierarchy.names[end], confidence, to)
        for chances, end in zip(node_chances(scores, hierarchy, ends), best_end(scores, ends), strict=True)
    ]
    assert sets_of(hierarchy, BackOff(confidence, to).decide(scores, hierarchy, ends)) == expected


@given(cases(), st.sampled_from(["parent", "nothing"]))
def test_from_the_whole_path_to_nothing(case, to):
    """The surer it must be, the less is answered: at 0 the best path, at 1 only what is beyond doubt."""
    hierarchy, scores, ends = case
    best = BestPath().decide(scores, hierarchy, ends)
    assert (BackOff(0.0, to).decide(scores, hierarchy, ends) != best).nnz == 0
    before = best
    for confidence in (0.3, 0.6, 0.9, 1.0):
        found = BackOff(confidence, to).decide(scores, hierarchy, ends)
        assert (found > before).nnz == 0
        before = found
    assert (node_chances(scores, hierarchy, ends)[before.nonzero()] >= 1.0).all()


@given(cases(n_documents=4), st.data())
def test_anything_can_be_learned_from(case, data):
    hierarchy, scores, _ = case
    decision = BackOff().fit(scores, data.draw(indicators(hierarchy, 4)), hierarchy)
    assert 0 < decision.temperature < INF


def test_refusals():
    for confidence in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match=rf"confidence={confidence}.*number >= 0 and <= 1"):
            BackOff(confidence)
    with pytest.raises(ValueError, match="to='root': must be one of parent, nothing"):
        BackOff(to="root")
    assert isinstance(BackOff(), LearnedDecision)
    assert not BackOff.one_label
