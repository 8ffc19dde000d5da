"""The path with the best expected hF: by hand, over sets, at the ends of the scale, and tuned."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.decision import BestPath, ExpectedHF, LearnedDecision
from classmark.decision.best_path import COSTS, node_chances
from classmark.metrics import hierarchical_scores
from tests.decision.cases import cases, int32, named, sets_of
from tests.generators import indicators
from tests.oracles import decision as oracle

INF = np.inf
TREE = Hierarchy.from_nested({"a": ["x", "y"], "b": None})  # node order: a, b, x, y
ENDS = int32(1, 2, 3)
# Chances .4 of b, .3 of x and of y, and so .6 of a.
SCORES = np.log([[1.0, 4.0, 3.0, 3.0]])


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        # a is worth 1.2 − λ, b .8 − λ, x 1.2 + .6 − 2 λ.
        (0.1, {"a", "x"}),
        (0.59, {"a", "x"}),
        (0.61, {"a"}),
        (1.9, {"a"}),
        (1e9, {"a"}),
    ],
)
def test_by_hand(cost, expected):
    assert sets_of(TREE, ExpectedHF(cost).decide(SCORES, TREE, ENDS)) == [expected]


def test_it_is_not_the_best_path():
    """The most likely end is b, but twice it would be an animal."""
    assert sets_of(TREE, BestPath().decide(SCORES, TREE, ENDS)) == [{"b"}]


def test_nodes_that_no_end_lies_below_are_never_chosen():
    # With a alone for an end, x adds nothing but its cost; where the cost is 0 it is as good as a, and not taken.
    assert sets_of(TREE, ExpectedHF(0.0).decide(SCORES, TREE, int32(0))) == [{"a"}]
    assert sets_of(TREE, ExpectedHF(1e9).decide(np.zeros((1, 4)), TREE, int32(2))) == [{"a"}]


def test_nothing_known_and_no_documents():
    assert sets_of(TREE, ExpectedHF(0.5).decide(np.full((1, 4), -INF), TREE, ENDS)) == [{"a", "x"}]
    assert ExpectedHF(0.5).decide(np.empty((0, 4)), TREE, ENDS).shape == (0, 4)


def worths(hierarchy, scores, ends, cost):
    """Give each document's worth of every node by the oracle, minus infinity where no end lies at or below it."""
    reachable = set(hierarchy.ancestors[ends].indices.tolist())
    edges, chances = set(hierarchy.edges()), node_chances(scores, hierarchy, ends)
    return [
        [
            oracle.worth(edges, named(hierarchy, row), name, cost) if node in reachable else -INF
            for node, name in enumerate(hierarchy.names)
        ]
        for row in chances
    ]


@given(cases(), st.sampled_from([0.0, 0.3, 1.0, 1.7]))
def test_nothing_is_worth_more(case, cost):
    hierarchy, scores, ends = case
    found = ExpectedHF(cost).decide(scores, hierarchy, ends)
    assert hierarchy.is_consistent(found).all()
    own = hierarchy.own(found)
    assert np.diff(own.indptr).tolist() == [1] * len(scores)
    for chosen, worth in zip(own.indices, worths(hierarchy, scores, ends, cost), strict=True):
        assert worth[chosen] == pytest.approx(max(worth))


@given(cases(elements=st.integers(-6, 6).map(float)))
def test_for_next_to_nothing_a_path_goes_to_an_end_and_for_a_fortune_it_stays_at_the_top(case):
    hierarchy, scores, ends = case
    deep = hierarchy.own(ExpectedHF(1e-9).decide(scores, hierarchy, ends))
    assert set(deep.indices) <= set(ends.tolist())
    high = hierarchy.own(ExpectedHF(1e9).decide(scores, hierarchy, ends))
    assert set(high.indices) <= set(hierarchy.tops.tolist())


def simulated(temperature=1.0, n=600):
    """Draw documents of a tree of nine ends in three groups, with scores that tell groups better than ends."""
    random = np.random.default_rng(1)
    tree = Hierarchy.from_nested({top: [f"{top}{leaf}" for leaf in "xyz"] for top in "abc"})
    truth = random.integers(9, size=n)
    logits = random.normal(size=(n, 9)) + 2.0 * (truth[:, None] // 3 == np.arange(9) // 3)
    logits[np.arange(n), truth] += 0.7
    scores = np.concatenate([np.zeros((n, 3)), logits * temperature], axis=1)
    labels = csr_array((np.ones(n, bool), truth + 3, np.arange(n + 1)), shape=(n, 12))
    return tree, scores, labels


def hf(labels, found, hierarchy):
    return hierarchical_scores(labels, found, hierarchy).hf


def test_the_cost_is_the_best_of_those_tried_and_at_least_as_good_as_the_best_path():
    tree, scores, labels = simulated()
    ends = np.arange(3, 12, dtype=np.int32)
    before = ExpectedHF()
    after = before.fit(scores, labels, tree)
    assert before == ExpectedHF()
    assert after.cost in COSTS
    reached = hf(labels, after.decide(scores, tree, ends), tree)
    tried = [hf(labels, replace(after, cost=cost).decide(scores, tree, ends), tree) for cost in COSTS]
    assert reached == max(tried)
    assert after.cost == COSTS[tried.index(max(tried))]
    assert reached > hf(labels, BestPath().decide(scores, tree, ends), tree)


def test_a_cost_that_is_given_is_kept():
    tree, scores, labels = simulated(n=60)
    after = ExpectedHF(0.7).fit(scores, labels, tree)
    assert after.cost == 0.7
    assert after.temperature != 1.0


def test_the_scale_of_the_scores_does_not_matter():
    """Scores a hundred times as large are a hundred times as hot, and the answers are the same."""
    tree, scores, labels = simulated(n=200)
    one, hundred = (ExpectedHF().fit(scale * scores, labels, tree) for scale in (1, 100))
    assert hundred.temperature == pytest.approx(100 * one.temperature, rel=1e-3)
    ends = np.arange(3, 12, dtype=np.int32)
    assert (one.decide(scores, tree, ends) != hundred.decide(100 * scores, tree, ends)).nnz == 0


@given(cases(n_documents=4), st.data())
def test_anything_can_be_learned_from(case, data):
    hierarchy, scores, _ = case
    labels = data.draw(indicators(hierarchy, 4).filter(lambda drawn: drawn.nnz))
    decision = ExpectedHF().fit(scores, labels, hierarchy)
    assert decision.cost in COSTS
    assert np.isfinite(decision.temperature)


def test_one_label_and_something_to_learn():
    assert ExpectedHF.one_label
    assert isinstance(ExpectedHF(), LearnedDecision)
