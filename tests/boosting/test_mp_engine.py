"""Rounds in which every category has pivots of its own: those of the formulas."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from classmark.boosting import mp_engine
from classmark.boosting.committee import SameSize
from classmark.boosting.mp_engine import MPEngine
from tests.boosting.problems import (
    POLICIES,
    SMOOTHINGS,
    Problem,
    assert_near,
    assert_same_bits,
    every_prediction,
    problems,
    run_apart,
)
from tests.oracles import boosting as oracle

NORMALISED = st.sampled_from(["pairs", "label"])


@every_prediction
@settings(max_examples=50)
@given(
    problem=problems(),
    smoothing=SMOOTHINGS,
    policy=POLICIES,
    normalize=NORMALISED,
    faded=st.sampled_from([0.5, 2.0, 1e3]),
)
def test_pivots_and_numbers_are_those_of_the_formulas(prediction, problem, smoothing, policy, normalize, faded):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mp_engine, "FADED", faded)
        boosting = problem.engine(MPEngine, prediction, smoothing, normalize=normalize)
        rounds = run_apart(boosting, 20, policy)
    X, Y, weight = problem
    told = {"prediction": prediction, "smoothing": smoothing, "weight": weight, "policy": policy}
    expected = oracle.mp_boost(X, Y, 20, normalize=normalize, **told)
    for (ours, z), (theirs, expected_z) in zip(rounds, expected, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert_near(one, other)
        assert z == pytest.approx(expected_z, abs=1e-9)


@every_prediction
@settings(max_examples=20)
@given(problem=problems(), policy=POLICIES, normalize=NORMALISED)
def test_any_number_of_threads_gives_the_same_bits(prediction, problem, policy, normalize):
    one, two, many = (
        run_apart(problem.engine(MPEngine, prediction, normalize=normalize, n_threads=count), 12, policy)
        for count in (1, 2, 9)
    )
    for (ours, z), (others, other_z), (more, more_z) in zip(one, two, many, strict=True):
        assert z == other_z == more_z
        for a, b, c in zip(ours, others, more, strict=True):
            assert_same_bits(a, b)
            assert_same_bits(a, c)


@pytest.mark.parametrize(("normalize", "mass"), [("pairs", None), ("label", 1 / 2)])
def test_two_rounds_by_hand(normalize, mass):
    # Term 0 is label 0, term 1 is label 1 but for one document of four.
    X = np.array([[1, 0], [1, 1], [0, 0], [0, 1]], dtype=bool)
    Y = np.array([[1, 0], [1, 1], [0, 0], [0, 0]], dtype=bool)
    boosting = Problem(X, Y, None).engine(MPEngine, "real", normalize=normalize)
    ((first, second), z), _ = run_apart(boosting, 2, SameSize(1))
    assert (first.pivots.tolist(), second.pivots.tolist()) == ([0], [0])
    # The smoothing is 1/8, and so is the weight of every pair.
    assert first.answers[0, :, 0] == pytest.approx([log((0 + 1) / (2 + 1)) / 2, log((2 + 1) / (0 + 1)) / 2])
    assert second.answers[0, :, 0] == pytest.approx([log((0 + 1) / (2 + 1)) / 2, log((1 + 1) / (1 + 1)) / 2])
    masses = [4 / 8 * exp(-log(3) / 2), 2 / 8 * exp(-log(3) / 2) + 2 / 8]
    assert z == pytest.approx(sum(masses))
    shares = [mass, mass] if mass else [each / sum(masses) for each in masses]
    found = boosting_after_one_round(X, Y, normalize)
    assert found == pytest.approx(shares)


def boosting_after_one_round(X, Y, normalize):
    """Each label's share of the distribution after a round."""
    boosting = Problem(X, Y, None).engine(MPEngine, "real", normalize=normalize)
    run_apart(boosting, 1, SameSize(1))
    return (boosting.state.scales * boosting.state.totals).sum(axis=0).tolist()


@every_prediction
@pytest.mark.parametrize(("labels", "pivot"), [(1, 1), (2, 0)])
def test_terms_are_tied_where_their_parts_of_z_are(prediction, labels, pivot):
    # Term 1 is the label; term 0 is it too but for a document of weight w of 4, so that its Z is 2 √(1/2 · w/4) of the
    # label's share of the distribution, or, discrete, 2 √(w/4): 1.5e-12 where it has all of it, half where there are
    # two of its kind. Abstaining, both have 1/2 beside that for the documents without them, less w/4 for term 0.
    w = 4 * 0.75e-12**2 * (1 if prediction == "discrete" else 2)
    X = np.array([[1, 1], [1, 1], [1, 0], [0, 0]], dtype=bool)
    Y = np.repeat([[True], [True], [False], [False]], labels, axis=1)
    boosting = Problem(X, Y, [1, 1, w, 2]).engine(MPEngine, prediction)
    (found, _), *_ = run_apart(boosting, 1, SameSize(1))
    assert [each.pivots.tolist() for each in found] == [[pivot]] * labels


@every_prediction
@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), normalize=NORMALISED)
@example(seed=173, normalize="pairs")
@example(seed=171, normalize="label")
def test_larger_problems_have_the_pivots_of_the_formulas_too(prediction, seed, normalize):
    """Where a label is well learned, the differences between terms fall to the size of ties."""
    random = np.random.default_rng(seed)
    n_documents, n_terms, n_labels = random.integers(2, 40), random.integers(1, 20), random.integers(1, 6)
    X = random.random((n_documents, n_terms)) < random.uniform(0.1, 0.6)
    Y = random.random((n_documents, n_labels)) < random.uniform(0.1, 0.6)
    weight = None if random.random() < 0.5 else random.choice([0.5, 1, 2, 3], n_documents)
    rounds = run_apart(Problem(X, Y, weight).engine(MPEngine, prediction, normalize=normalize), 20, SameSize(1))
    expected = oracle.mp_boost(X, Y, 20, prediction=prediction, weight=weight, normalize=normalize)
    for (ours, _), (theirs, _) in zip(rounds, expected, strict=True):
        assert [one.pivots.tolist() for one in ours] == [one.pivots.tolist() for one in theirs]


def test_as_much_for_as_against_is_not_for():
    # Without term 0 a document is for and one against the label; three thirds do not add up to the same in any order.
    X = np.array([[1, 0], [0, 0], [0, 0]], dtype=bool)
    Y = np.array([[1], [0], [1]], dtype=bool)
    for weight in ([1, 1, 1], [3, 1, 1], [0.7, 0.1, 0.1]):
        boosting = Problem(X, Y, weight).engine(MPEngine, "discrete")
        ((only,), _), *_ = run_apart(boosting, 1, SameSize(1))
        assert only.pivots.tolist() == [0]
        assert np.sign(only.answers[0, :, 0]).tolist() == [-1, 1]
