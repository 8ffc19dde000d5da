"""Probabilistic measures by hand, against loops, and against scikit-learn."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array
from sklearn import metrics as peer
from sklearn.calibration import calibration_curve

from classmark.metrics import brier_score, expected_calibration_error, log_loss
from tests.oracles import ranking as oracle

TRUE = csr_array(np.array([[1, 0], [0, 1]], dtype=bool))
GIVEN = np.array([[0.8, 0.2], [0.6, 0.4]])


@st.composite
def predictions(draw, single=False):
    """Draw labels and probabilities; with `single` one label and a distribution a document."""
    n_documents, n_nodes = draw(st.integers(1, 6)), draw(st.integers(2, 4))
    # Quarters and tenths, so that probabilities fall on edges of bins.
    values = st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.5, 0.7, 0.75, 1.0])
    table = draw(arrays(np.float64, (n_documents, n_nodes), elements=values))
    if not single:
        return draw(arrays(np.bool_, table.shape)), table
    best = draw(st.lists(st.integers(0, n_nodes - 1), min_size=n_documents, max_size=n_documents))
    table += 0.01
    return np.eye(n_nodes, dtype=bool)[best], table / table.sum(axis=1, keepdims=True)


def test_brier_by_hand():
    squares = 0.2**2 + 0.2**2 + 0.6**2 + 0.6**2
    assert brier_score(TRUE, GIVEN) == pytest.approx(squares / 4)
    assert brier_score(TRUE, GIVEN, over="rows") == pytest.approx(squares / 2)
    assert brier_score(TRUE, GIVEN, nodes=[1]) == pytest.approx((0.2**2 + 0.6**2) / 2)


def test_log_loss_by_hand():
    assert log_loss(TRUE, GIVEN) == pytest.approx(-(log(0.8) + log(0.8) + log(0.4) + log(0.4)) / 4)
    assert log_loss(TRUE, GIVEN, over="rows") == pytest.approx(-(log(0.8) + log(0.4)) / 2)


def test_a_certain_error_costs_no_more_than_the_clip():
    assert log_loss(TRUE, [[0.0, 0.0], [0.0, 1.0]], clip=0.01, over="rows") == pytest.approx(
        -(log(0.01) + log(0.99)) / 2
    )


def test_calibration_by_hand():
    # Two bins, up to 0.5 and above: 0.2 (not true) and 0.4 (true); 0.8 (true) and 0.6 (not true).
    found = expected_calibration_error(TRUE, GIVEN, n_bins=2)
    assert found.counts.tolist() == [2, 2]
    assert found.predicted == pytest.approx([0.3, 0.7])
    assert found.observed.tolist() == [1 / 2, 1 / 2]
    assert found.error == pytest.approx(1 / 2 * abs(1 / 2 - 0.3) + 1 / 2 * abs(1 / 2 - 0.7))


def test_calibration_over_rows_looks_at_the_most_probable_node():
    # 0.8 comes true, 0.6 does not.
    found = expected_calibration_error(TRUE, GIVEN, n_bins=5, over="rows")
    assert found.counts.tolist() == [0, 0, 1, 1, 0]
    assert found.error == pytest.approx((0.6 + 0.2) / 2)


def test_empty_bins_and_the_edges():
    found = expected_calibration_error(csr_array([[True, True, False]]), [[0.0, 0.5, 1.0]], n_bins=4)
    assert found.edges.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert found.counts.tolist() == [1, 1, 0, 1]
    assert np.isnan(found.predicted[2])
    assert np.isnan(found.observed[2])
    assert found.error == pytest.approx((1 + 0.5 + 1) / 3)


def test_bins_of_equal_mass():
    given_probabilities = [[0.1, 0.2, 0.3, 0.4, 0.9, 1.0]]
    found = expected_calibration_error(
        csr_array([[False] * 3 + [True] * 3]), given_probabilities, n_bins=3, bins="mass"
    )
    assert found.counts.tolist() == [2, 2, 2]
    assert found.error == pytest.approx((abs(0 - 0.15) + abs(0.5 - 0.35) + abs(1 - 0.95)) / 3)


@given(st.integers(1, 40), st.integers(1, 12))
def test_bins_of_equal_mass_differ_by_one_at_most(n_predictions, n_bins):
    given_probabilities = np.random.default_rng(n_predictions).permutation(n_predictions) / n_predictions
    labels = csr_array(np.zeros((1, n_predictions), dtype=bool))
    counts = expected_calibration_error(labels, given_probabilities[None, :], n_bins=n_bins, bins="mass").counts
    assert counts.size == n_bins
    assert counts.max() - counts.min() <= 1


def test_seven_bins_of_eight_predictions():
    found = expected_calibration_error(
        csr_array([[False] * 8]), [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]], n_bins=7, bins="mass"
    )
    # The prediction with s smaller ones is in bin ⌊7 s / 8⌋: 0, 0, 1, 2, 3, 4, 5, 6.
    assert found.counts.tolist() == [2, 1, 1, 1, 1, 1, 1]


def test_equal_probabilities_stay_together():
    found = expected_calibration_error(csr_array([[True, False, False, True]]), [[0.3] * 4], n_bins=2, bins="mass")
    assert sorted(found.counts.tolist()) == [0, 4]
    assert found.error == pytest.approx(abs(1 / 2 - 0.3))


@given(predictions(), st.sampled_from([1e-15, 0.05]))
def test_pairs_equal_to_loops(case, clip):
    true, table = case
    pairs = list(zip(true.ravel().tolist(), table.ravel().tolist(), strict=True))
    assert brier_score(csr_array(true), table) == pytest.approx(sum((p - y) ** 2 for y, p in pairs) / len(pairs))
    expected = oracle.log_loss(true.tolist(), table.tolist(), clip)
    assert log_loss(csr_array(true), table, clip=clip) == pytest.approx(expected)


@given(predictions(), st.integers(1, 12), st.sampled_from(["width", "mass"]))
def test_calibration_error_equal_to_loops(case, n_bins, bins):
    true, table = case
    found = expected_calibration_error(csr_array(true), table, n_bins=n_bins, bins=bins)
    expected = oracle.calibration_error(true.ravel().tolist(), table.ravel().tolist(), found.edges.tolist())
    assert found.error == pytest.approx(expected)
    assert found.counts.sum() == table.size


@given(predictions(), st.integers(1, 12))
def test_equal_mass_by_its_definition(case, n_bins):
    true, table = case
    found = expected_calibration_error(csr_array(true), table, n_bins=n_bins, bins="mass")
    places = oracle.mass_bins(table.ravel().tolist(), n_bins)
    assert found.counts.tolist() == [places.count(place) for place in range(n_bins)]


@given(predictions().filter(lambda case: 0 < case[0].sum() < case[0].size))
def test_pairs_equal_to_scikit_learn(case):
    true, table = case
    assert brier_score(csr_array(true), table) == pytest.approx(peer.brier_score_loss(true.ravel(), table.ravel()))
    assert log_loss(csr_array(true), table) == pytest.approx(peer.log_loss(true.ravel(), table.ravel()))
    # Their quantiles lie between predictions, so that bins of equal mass are not the same.
    found = expected_calibration_error(csr_array(true), table, n_bins=5)
    observed, predicted = calibration_curve(true.ravel(), table.ravel(), n_bins=5, strategy="uniform")
    there = found.counts > 0
    assert found.observed[there] == pytest.approx(observed)
    assert found.predicted[there] == pytest.approx(predicted)


@given(predictions(single=True))
def test_rows_equal_to_scikit_learn(case):
    true, table = case
    labels = list(range(true.shape[1]))
    expected = peer.log_loss(true.argmax(axis=1), table, labels=labels)
    assert log_loss(csr_array(true), table, over="rows") == pytest.approx(expected)
    assert brier_score(csr_array(true), table, over="rows") == pytest.approx(((table - true) ** 2).sum(axis=1).mean())


@pytest.mark.parametrize("measure", [brier_score, log_loss, expected_calibration_error])
def test_refusals(measure):
    with pytest.raises(ValueError, match="the probabilities go from -1 to 2; give numbers from 0 to 1, not raw scores"):
        measure(TRUE, [[-1, 2], [0, 0]])
    with pytest.raises(ValueError, match=r"over='columns'.*'pairs', 'rows'"):
        measure(TRUE, GIVEN, over="columns")
    with pytest.raises(ValueError, match="document 1 has 2 labels among the nodes looked at"):
        measure(csr_array([[True, False], [True, True]]), GIVEN, over="rows")
    with pytest.raises(ValueError, match="score is NaN"):
        measure(TRUE, GIVEN * np.nan)


def test_refuses_settings_without_a_meaning():
    with pytest.raises(ValueError, match=r"clip=0.*> 0 and < 0\.5"):
        log_loss(TRUE, GIVEN, clip=0)
    with pytest.raises(ValueError, match=r"n_bins=0.*>= 1"):
        expected_calibration_error(TRUE, GIVEN, n_bins=0)
    with pytest.raises(ValueError, match=r"bins='equal'.*'width', 'mass'"):
        expected_calibration_error(TRUE, GIVEN, bins="equal")
