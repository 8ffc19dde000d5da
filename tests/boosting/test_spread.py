"""Terms spread over parts: the same bits as one engine, for any number of parts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classmark.boosting.engine import Engine
from classmark.boosting.merits import F1
from classmark.boosting.spread import SpreadEngine, deal
from classmark.parallel import Here
from tests.boosting.problems import (
    PLACES,
    POLICIES,
    Problem,
    assert_same_bits,
    every_prediction,
    places,
    problems,
    run,
)

PARTS = st.sampled_from([1, 2, 3, 5])


def spread(parts):
    def make(X, labels, weight, **settings):
        return SpreadEngine(Here(parts), X, labels, weight, **settings)

    return make


def settings_of(prediction, criterion, merge):
    by_z = ["real", "abstaining", "discrete"].index(prediction)
    return {"criterion": F1 if criterion == "f1" else by_z, "merge": merge}


def assert_all_same(rounds, expected):
    for ours, theirs in zip(rounds, expected, strict=True):
        assert_same_bits(ours, theirs)


@every_prediction
@settings(max_examples=60)
@given(
    problem=problems(),
    policy=POLICIES,
    parts=PARTS,
    criterion=st.sampled_from(["z", "f1"]),
    found=PLACES,
    merge=st.booleans(),
)
def test_the_bits_are_those_of_one_engine(prediction, problem, policy, parts, criterion, found, merge):
    given = settings_of(prediction, criterion, merge)
    with places(found):
        expected = run(problem.engine(Engine, prediction, **given), 12, policy)
        rounds = run(problem.engine(spread(parts), prediction, **given), 12, policy)
    assert_all_same(rounds, expected)


@settings(max_examples=30)
@given(problem=problems(), policy=POLICIES, parts=PARTS, other=PARTS, found=PLACES, cut=st.integers(0, 6))
def test_going_on_elsewhere(problem, policy, parts, other, found, cut):
    """From a state after some rounds, on another number of parts, or on one engine, and from one engine on parts."""
    given = settings_of("real", "z", False)
    with places(found):
        whole = run(problem.engine(Engine, "real", **given), 10, policy)
        for first, second in [(spread(parts), spread(other)), (spread(parts), Engine), (Engine, spread(parts))]:
            begun = problem.engine(first, "real", **given)
            assert_all_same(run(begun, cut, policy), whole[:cut])
            further = problem.engine(second, "real", **given)
            further.take_up({name: np.array(array) for name, array in begun.to_state().items()})
            assert_all_same(run(further, 10, policy, first=cut + 1), whole[cut:])


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40), st.integers(1, 9))
def test_every_term_is_dealt_once(sizes, parts):
    dealt = deal(np.array(sizes), parts)
    assert sorted(np.concatenate(dealt).tolist()) == list(range(len(sizes)))
    counts = [len(part) for part in dealt]
    assert max(counts) - min(counts) <= 1
    assert len(dealt) == min(parts, len(sizes))


def test_workers_that_disagree():
    class Other(Here):
        def residents(self, make, parts, *given):
            return super().residents(lambda *some: Lying(make(*some)), parts, *given)

    class Lying:
        def __init__(self, part):
            self.part, self.count = part, 0

        def propose(self, count):
            return self.part.propose(count)

        def step(self, *given):
            z, proposal = self.part.step(*given)
            return z + id(self), proposal

    X, Y = np.eye(4, dtype=bool), np.array([[True], [False], [True], [False]])
    engine = Problem(X, Y, None).engine(lambda *a, **k: SpreadEngine(Other(2), *a, **k), "real", criterion=0)
    with engine.running(), pytest.raises(RuntimeError, match="the workers disagree about Z"):
        engine.best(1)
        engine.apply(1)
