"""Categories spread over parts: the same bits as one engine, for any number of parts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark.boosting.mp_boost import MPSpreadEngine
from classmark.boosting.mp_engine import MPEngine
from classmark.parallel import Here
from tests.boosting.problems import POLICIES, assert_same_bits, every_prediction, problems, run_apart

PARTS = st.sampled_from([1, 2, 3, 5])
NORMALISE = st.sampled_from(["pairs", "label"])


def spread(parts):
    def make(X, labels, weight, **settings):
        return MPSpreadEngine(Here(parts), X, labels, weight, **settings)

    return make


def assert_all_same(rounds, expected):
    for (ours, our_z), (theirs, their_z) in zip(rounds, expected, strict=True):
        assert our_z == their_z
        for one, other in zip(ours, theirs, strict=True):
            assert_same_bits(one, other)


@every_prediction
@settings(max_examples=40)
@given(problem=problems(), policy=POLICIES, parts=PARTS, normalize=NORMALISE, merge=st.booleans())
def test_the_bits_are_those_of_one_engine(prediction, problem, policy, parts, normalize, merge):
    given = {"normalize": normalize, "merge": merge}
    expected = run_apart(problem.engine(MPEngine, prediction, **given), 8, policy)
    assert_all_same(run_apart(problem.engine(spread(parts), prediction, **given), 8, policy), expected)


@settings(max_examples=25)
@given(problem=problems(), policy=POLICIES, parts=PARTS, other=PARTS, cut=st.integers(0, 5))
def test_going_on_elsewhere(problem, policy, parts, other, cut):
    whole = run_apart(problem.engine(MPEngine, "real"), 8, policy)
    for first, second in [(spread(parts), spread(other)), (spread(parts), MPEngine), (MPEngine, spread(parts))]:
        begun = problem.engine(first, "real")
        assert_all_same(run_apart(begun, cut, policy), whole[:cut])
        further = problem.engine(second, "real")
        further.take_up({name: np.array(array) for name, array in begun.to_state().items()})
        assert_all_same(run_apart(further, 8, policy, first=cut + 1), whole[cut:])


@pytest.mark.parametrize("parts", [2, 7])
def test_more_parts_than_categories(parts):
    problem = np.array([[1, 0], [0, 1]], dtype=bool)
    X, Y = csr_array(problem * 1.0), csr_array(problem)
    engine = MPSpreadEngine(Here(parts), X, Y, np.ones(2), prediction=0, epsilon=0.25)
    with engine.running():
        assert engine.best(1).columns.shape == (1, 2)
