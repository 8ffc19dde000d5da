"""Weights of many learners as one matrix."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from classmark.strategies.one_vs_rest import (
    WeightColumns,
    margins,
    weights_at,
    weights_from_state,
    weights_to_state,
)

RANDOM = np.random.default_rng(0)
DENSE = RANDOM.standard_normal((6, 4)) * (RANDOM.random((6, 4)) < 0.6)
INTERCEPTS = RANDOM.standard_normal(4)


def put(prune):
    kept = WeightColumns(6, 4, prune)
    for column in range(4):
        kept.put(column, DENSE[:, column])
    return kept.finished()


def test_nothing_is_lost_without_pruning():
    assert np.array_equal(put(0.0), DENSE)


def test_small_weights_are_dropped_and_the_others_kept_in_single_precision():
    found = put(0.5)
    assert isinstance(found, csr_array)
    expected = np.where(np.abs(DENSE) >= 0.5, DENSE, 0).astype(np.float32)
    assert np.array_equal(found.toarray(), expected)


@pytest.mark.parametrize("prune", [0.0, 0.5])
def test_margins_and_single_weights_are_those_of_the_matrix(prune):
    weights = put(prune)
    dense = weights.toarray() if prune else weights
    X = csr_array(RANDOM.random((3, 6)) * (RANDOM.random((3, 6)) < 0.5))
    assert margins(X, weights, INTERCEPTS) == pytest.approx(X.toarray() @ dense + INTERCEPTS)
    rows, columns = np.array([0, 5, 3, 3]), np.array([1, 0, 3, 2])
    assert np.array_equal(weights_at(weights, rows, columns), dense[rows, columns])


@pytest.mark.parametrize("prune", [0.0, 0.5])
def test_state_and_back_gives_the_same_numbers(prune):
    weights = put(prune)
    again, intercepts = weights_from_state(weights_to_state(weights, INTERCEPTS), 6, 4)
    X = csr_array(RANDOM.random((3, 6)))
    assert np.array_equal(margins(X, again, intercepts), margins(X, weights, INTERCEPTS))


def test_a_state_of_another_size_is_refused():
    for prune in (0.0, 0.5):
        state = weights_to_state(put(prune), INTERCEPTS)
        with pytest.raises(ValueError):
            weights_from_state(state, 7, 4)
        with pytest.raises(ValueError):
            weights_from_state(state, 6, 5)
