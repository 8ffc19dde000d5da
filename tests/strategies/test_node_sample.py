"""Some nodes for all: what a threshold is tuned on where there are too many."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark.decision.thresholds import best_f1
from classmark.strategies.flat import NodeSample


def labels(seed, documents=80, nodes=200):
    random = np.random.default_rng(seed)
    chances = random.random(nodes) ** 4
    return csr_array(random.random((documents, nodes)) < chances)


@given(st.integers(0, 10**6), st.integers(1, 300))
def test_the_sum_over_the_drawn_is_the_sum_over_all(seed, size):
    truth = labels(seed)
    counts = np.asarray(truth.sum(axis=0))
    sample = NodeSample.draw(truth, size)
    assert sample.nodes.size <= size
    assert (np.diff(sample.nodes) > 0).all()
    assert (sample.weights >= 1).all()
    assert (counts[sample.nodes] > 0).all()
    # A node of n documents is drawn at most once for every distance it covers, and stands for no more than it.
    distance = counts.sum() / size
    assert (sample.weights * counts[sample.nodes] <= np.maximum(counts[sample.nodes], distance) + 1e-9).all()


def test_everything_is_drawn_where_there_is_time():
    truth = labels(0)
    sample = NodeSample.draw(truth, 10**6)
    assert np.array_equal(sample.nodes, np.flatnonzero(np.asarray(truth.sum(axis=0))))
    assert (sample.weights == 1).all()


def test_a_weight_is_as_good_as_so_many_copies():
    scores, truth = np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, False, True, False])
    copied = best_f1(np.repeat(scores, 3), np.repeat(truth, 3))
    assert best_f1(scores, truth, np.full(4, 3.0)) == pytest.approx(copied)
    uneven = best_f1(np.array([3.0, 2.0, 2.0, 2.0, 1.0]), np.array([True, False, False, False, True]))
    assert best_f1(scores[:3], truth[:3], np.array([1.0, 3.0, 1.0])) == pytest.approx(uneven)


def test_the_threshold_of_a_few_nodes_is_near_that_of_all():
    truth = labels(1, documents=300, nodes=400)
    dense = truth.toarray()
    scores = dense - 0.4 + 0.3 * np.random.default_rng(0).standard_normal(dense.shape)
    everything = best_f1(scores.ravel(), dense.ravel())[0]
    sample = NodeSample.draw(truth, 60)
    found = sample.threshold(scores[:, sample.nodes], dense[:, sample.nodes])
    assert found == pytest.approx(everything, abs=0.05)
