"""Rounds with shared pivots: the pivots and numbers of the formulas, whatever the engine does to be fast."""

from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classmark.boosting.committee import SameSize
from classmark.boosting.engine import Engine
from classmark.boosting.merits import F1
from tests.boosting.problems import (
    PLACES,
    POLICIES,
    SMOOTHINGS,
    Problem,
    assert_near,
    assert_same_bits,
    every_prediction,
    places,
    problems,
    run,
    telling,
)
from tests.oracles import boosting as oracle
from tests.oracles.boosting import Round


def engine(problem, prediction, smoothing=1.0, criterion="z", **settings):
    by_f1 = {"criterion": F1} if criterion == "f1" else {"criterion": by_z(prediction)}
    return problem.engine(Engine, prediction, smoothing, **by_f1, **settings)


def by_z(prediction):
    return ["real", "abstaining", "discrete"].index(prediction)


@every_prediction
@settings(max_examples=60)
@given(problem=problems(), smoothing=SMOOTHINGS, merge=st.booleans(), found=PLACES)
def test_pivots_and_numbers_are_those_of_the_formulas(prediction, problem, smoothing, merge, found):
    with places(found):
        rounds = run(engine(problem, prediction, smoothing, merge=merge), 30, SameSize(1))
    X, Y, weight = problem
    expected = oracle.boost(X, Y, 30, prediction=prediction, smoothing=smoothing, weight=weight)
    for ours, theirs in telling(rounds, expected):
        assert_near(ours, theirs)


@every_prediction
@settings(max_examples=40)
@given(problem=problems(), criterion=st.sampled_from(["z", "f1"]), policy=POLICIES, found=PLACES)
def test_committees_and_the_choice_by_f1_too(prediction, problem, criterion, policy, found):
    with places(found):
        rounds = run(engine(problem, prediction, criterion=criterion), 20, policy)
    X, Y, weight = problem
    expected = oracle.boost(X, Y, 20, prediction=prediction, criterion=criterion, weight=weight, policy=policy)
    for ours, theirs in zip(rounds, expected, strict=True):
        assert_near(ours, theirs)


@every_prediction
@settings(max_examples=25)
@given(problem=problems(), criterion=st.sampled_from(["z", "f1"]), policy=POLICIES, found=PLACES)
def test_any_number_of_threads_gives_the_same_bits(prediction, problem, criterion, policy, found):
    with places(found):
        one = run(engine(problem, prediction, criterion=criterion), 15, policy)
        two = run(engine(problem, prediction, criterion=criterion, n_threads=2), 15, policy)
        many = run(engine(problem, prediction, criterion=criterion, n_threads=9), 15, policy)
    for ours, others, more in zip(one, two, many, strict=True):
        assert_same_bits(ours, others)
        assert_same_bits(ours, more)


@every_prediction
@settings(max_examples=40)
@given(problem=problems(), criterion=st.sampled_from(["z", "f1"]), found=PLACES)
def test_several_rounds_in_a_call_give_the_same_bits(prediction, problem, criterion, found):
    with places(found):
        one = alone_on(engine(problem, prediction, criterion=criterion), 20)
        two = run(engine(problem, prediction, criterion=criterion, n_threads=2), 20, SameSize(1))
    for ours, others in zip(one, two, strict=True):
        assert_same_bits(ours, others)


def alone_on(boosting, rounds):
    """Run rounds of one stump each, some in the first call and the others in a second."""
    found = [*boosting.rounds(3), *boosting.rounds(rounds - 3)]
    return [Round(stumps.columns, stumps.answers, stumps.costs, z) for stumps, z in found]


@every_prediction
@settings(max_examples=25)
@given(problem=problems(), copies=st.lists(st.integers(1, 3), min_size=14, max_size=14), policy=POLICIES)
def test_a_weight_is_so_many_copies(prediction, problem, copies, policy):
    X, Y, _ = problem
    copies = copies[: len(X)]
    rows = np.repeat(np.arange(len(X)), copies)
    weighted = run(engine(Problem(X, Y, copies), prediction), 20, policy)
    repeated = run(engine(Problem(X[rows], Y[rows], None), prediction), 20, policy)
    for ours, theirs in zip(weighted, repeated, strict=True):
        assert_near(ours, theirs)


# Term 0 is in documents 0 and 1, term 1 in 2 and 3, and only document 3 is negative: with term 0 there is 1/2 for and
# nothing against the label, without it 1/4 and 1/4. The smoothing is 1/4.
FOUR = Problem(np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=bool), np.array([[1], [1], [1], [0]], dtype=bool), None)


def test_a_round_of_real_predictions_by_hand():
    ours = run(engine(FOUR, "real"), 1, SameSize(1))[0]
    # Term 1 ties: it is present where term 0 is absent.
    assert ours.pivots.tolist() == [0]
    assert ours.costs.tolist() == pytest.approx([2 * sqrt(1 / 2 * 0) + 2 * sqrt(1 / 4 * 1 / 4)])
    assert ours.answers[0, :, 0] == pytest.approx([0, log((1 / 2 + 1 / 4) / (0 + 1 / 4)) / 2])
    assert ours.z == pytest.approx(1 / 2 * exp(-log(3) / 2) + 1 / 2)


def test_a_round_of_abstaining_predictions_by_hand():
    ours = run(engine(FOUR, "abstaining"), 1, SameSize(2))[0]
    assert ours.pivots.tolist() == [0, 1]
    assert ours.costs.tolist() == pytest.approx([1 / 2 + 2 * sqrt(1 / 2 * 0), 1 / 2 + 2 * sqrt(1 / 4 * 1 / 4)])
    assert ours.answers[:, :, 0] == pytest.approx(np.array([[0, log(3) / 2], [0, log(1) / 2]]))
    # The mean of both says half of what the first says of documents 0 and 1, and nothing of the others.
    assert ours.z == pytest.approx(1 / 2 * exp(-log(3) / 4) + 1 / 2)


def test_a_round_of_discrete_predictions_by_hand():
    ours = run(engine(FOUR, "discrete"), 1, SameSize(1))[0]
    r, strength = 1 / 2, log((3 / 4 + 1 / 4) / (1 / 4 + 1 / 4)) / 2
    assert ours.pivots.tolist() == [0]
    assert ours.costs.tolist() == pytest.approx([sqrt(1 - r * r)])
    # As much for as against: that is not for.
    assert ours.answers[0, :, 0] == pytest.approx([-strength, strength])
    assert ours.z == pytest.approx(3 / 4 * exp(-strength) + 1 / 4 * exp(strength))


def test_a_round_by_f1_by_hand():
    ours = run(engine(FOUR, "real", criterion="f1"), 1, SameSize(2))[0]
    # The label is predicted for documents 0 and 1, 1/2 of the weight, and 3/4 of it is positive; by term 1 the same.
    assert ours.pivots.tolist() == [0, 1]
    assert ours.costs.tolist() == pytest.approx([1 - 2 * (1 / 2) / (3 / 4 + 1 / 2)] * 2)


def test_the_places_that_small_problems_never_reach_are_reached(monkeypatch):
    random = np.random.default_rng(0)
    problem = Problem(random.random((40, 6)) < 0.4, random.random((40, 2)) < 0.3, None)
    fills = []
    sum_anew = Engine._fill_tables
    monkeypatch.setattr(Engine, "_fill_tables", lambda self: fills.append(self) or sum_anew(self))
    sweeps = []
    sweep = Engine._sweep
    monkeypatch.setattr(Engine, "_sweep", lambda self: sweeps.append(self) or sweep(self))
    easy = engine(problem, "real")
    with places({"RARE": (15, 15), "BLOCKS": 5, "CHUNK_BYTES": 50, "FADED": 0.3}):
        hard = engine(problem, "real")
        rounds = run(hard, 200, SameSize(1))
        alone = alone_on(engine(problem, "real"), 200)
    expected = oracle.boost(problem.X, problem.Y, 200)
    for ours, other, plain, theirs in zip(rounds, alone, run(easy, 200, SameSize(1)), expected, strict=True):
        assert_near(ours, theirs)
        assert_near(plain, theirs)
        assert_same_bits(ours, other)
    # Some terms are frequent, some rare; the largest pivot is changed in several parts; some rounds sum anew, and most
    # keep the totals and the bounds.
    documents = np.diff(hard.terms.starts)
    assert 0 < hard.state.tables.shape[1] < 6
    assert hard.state.block_totals.shape[0] == 5
    assert documents.max() > 2 * hard.state.changes.shape[0]
    assert 2 < fills.count(hard) < 100
    assert fills.count(easy) == 1
    assert 2 < sweeps.count(easy) < 100
