"""Log-odds of nodes: those of their paths, with all their digits."""

import numpy as np
import pytest
from hypothesis import given, settings

from classmark import FlatNB
from classmark.generative.odds import CERTAIN, node_log_odds
from tests.generative.problems import NAMES, TREE, problems
from tests.oracles import generative as oracle


@settings(max_examples=50)
@given(problems(unlabelled=False))
def test_the_posterior_of_a_node_is_that_of_its_paths(problem):
    model = FlatNB(hierarchy=problem.tree).fit(problem.X, problem.labels)
    scores = model.node_scores(problem.X)
    for node, name in enumerate(problem.tree.names):
        through = [name in problem.tree.path(problem.tree.names[end]) for end in problem.ends]
        if not any(through):
            assert (scores[:, node] == -np.inf).all()
        if all(through):
            assert (scores[:, node] >= CERTAIN).all()


def test_odds_keep_their_digits_far_beyond_certainty():
    members = FlatNB(hierarchy=TREE).fit(np.eye(4), NAMES)._members()
    joint = np.array([[0.0, -800.0, -900.0, -2000.0]])
    scores = dict(zip(TREE.names, node_log_odds(joint, members)[0], strict=True))
    assert scores["a"] == pytest.approx(900)
    assert scores["x"] == pytest.approx(800)
    assert scores["y"] == pytest.approx(-800)
    assert scores["w"] == pytest.approx(-2000)
    expected = oracle.log_sum([0.0, -800.0]) - oracle.log_sum([-900.0, -2000.0])
    assert scores["a"] == pytest.approx(expected)
