"""The paired bootstrap: by hand, as properties, and against a loop over the same draws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.metrics import flat_scores, paired_bootstrap, significance
from classmark.metrics.significance import METRICS, draw_weights
from tests.generators import hierarchies, indicators
from tests.oracles import bootstrap as oracle
from tests.oracles.metrics import sets_of


@st.composite
def comparisons(draw):
    hierarchy = draw(hierarchies(max_nodes=6))
    n_documents = draw(st.integers(1, 5))
    return hierarchy, [draw(indicators(hierarchy, n_documents)) for _ in range(3)]


def labels_of(*nodes):
    return csr_array(np.eye(2, dtype=bool)[list(nodes)])


TRUE, SECOND = labels_of(*[0, 1] * 50), labels_of(*[0, 1] * 45, *[0] * 10)


def test_the_oracle_knows_every_measure():
    assert set(METRICS) == set(oracle.MEASURES)


@settings(max_examples=40)
@given(comparisons(), st.sampled_from(list(METRICS)), st.integers(0, 5), st.sampled_from([0.5, 0.95]))
def test_equal_to_a_loop_over_the_same_draws(case, metric, seed, confidence):
    hierarchy, (true, first, second) = case
    found = paired_bootstrap(
        true, first, second, metric, hierarchy=hierarchy, n_resamples=20, seed=seed, confidence=confidence
    )
    sets = [sets_of(labels) for labels in (true, first, second)]
    draws = np.concatenate(list(draw_weights(true.shape[0], 20, seed))).tolist()
    whole, *resampled = oracle.differences(*sets, oracle.MEASURES[metric], hierarchy, [[1.0] * true.shape[0], *draws])
    assert found.difference == pytest.approx(whole)
    assert found.first - found.second == found.difference
    expected = oracle.interval_and_p(whole, resampled, confidence)
    assert (found.low, found.high, found.p_value) == pytest.approx(expected)


def test_a_function_gives_what_its_name_gives():
    def micro_f1(true, predicted):
        return flat_scores(true, predicted).micro_f1

    by_name = paired_bootstrap(TRUE, TRUE, SECOND, "micro_f1", n_resamples=30)
    by_function = paired_bootstrap(TRUE, TRUE, SECOND, micro_f1, n_resamples=30)
    assert by_function.metric == by_name.metric == "micro_f1"
    assert vars(by_function) == pytest.approx(vars(by_name))


def test_by_hand():
    # One document of two, with the first right and the second wrong: every draw says 1 − 0.
    found = paired_bootstrap(labels_of(0, 0), labels_of(0, 0), labels_of(1, 1), "micro_f1", n_resamples=9)
    assert (found.first, found.second, found.difference, found.low, found.high) == (1, 0, 1, 1, 1)
    # No moved difference, 1 − 1, is as large as 1, and one is added above and below.
    assert found.p_value == 1 / 10


def test_a_difference_that_hangs_on_one_document():
    # The second is wrong in one document of two; a draw leaves it out, 1 − 1, with probability ¼, has it once or twice.
    found = paired_bootstrap(labels_of(0, 1), labels_of(0, 1), labels_of(0, 0), "micro_f1", n_resamples=4000, seed=1)
    # |δ* − ½| ≥ ½ for none and for two of it: probability ½.
    assert found.p_value == pytest.approx(1 / 2, abs=0.03)
    assert (found.low, found.high) == (0, 1)


@given(comparisons(), st.sampled_from(list(METRICS)))
def test_against_itself_there_is_no_difference(case, metric):
    hierarchy, (true, first, _) = case
    found = paired_bootstrap(true, first, first, metric, hierarchy=hierarchy, n_resamples=10)
    assert (found.difference, found.low, found.high, found.p_value) == (0, 0, 0, 1)


def test_a_clear_difference_is_found_and_signs_change_with_places():
    one = paired_bootstrap(TRUE, TRUE, SECOND, "macro_f1")
    other = paired_bootstrap(TRUE, SECOND, TRUE, "macro_f1")
    assert one.p_value < 0.05
    assert 0 < one.low < one.difference < one.high
    assert (other.difference, other.low, other.high) == pytest.approx((-one.difference, -one.high, -one.low))


def test_same_seed_same_result_whatever_the_batches(monkeypatch):
    whole = paired_bootstrap(TRUE, TRUE, SECOND, "macro_f1", n_resamples=50, seed=3)
    assert paired_bootstrap(TRUE, TRUE, SECOND, "macro_f1", n_resamples=50, seed=3) == whole
    assert paired_bootstrap(TRUE, TRUE, SECOND, "macro_f1", n_resamples=50, seed=4) != whole
    monkeypatch.setattr(significance, "CELLS_IN_A_BATCH", 700)
    assert len(list(draw_weights(100, 50, seed=3))) == 8
    assert paired_bootstrap(TRUE, TRUE, SECOND, "macro_f1", n_resamples=50, seed=3) == whole


def test_draws_are_even():
    weights = np.concatenate(list(draw_weights(10, 5000, seed=0)))
    assert (weights.sum(axis=1) == 10).all()
    assert weights.mean(axis=0) == pytest.approx(np.ones(10), abs=0.06)
    # The variance of the number of times that a document is drawn: n · 1/n · (1 − 1/n).
    assert weights.var(axis=0) == pytest.approx(np.full(10, 0.9), abs=0.1)


def test_refusals():
    with pytest.raises(ValueError, match=r"true is \(100, 2\), first \(100, 2\) and second \(1, 2\)"):
        paired_bootstrap(TRUE, TRUE, SECOND[:1])
    with pytest.raises(ValueError, match="no document to evaluate"):
        paired_bootstrap(TRUE[:0], TRUE[:0], SECOND[:0])
    with pytest.raises(ValueError, match=r"n_resamples=0.*>= 1"):
        paired_bootstrap(TRUE, TRUE, SECOND, n_resamples=0)
    with pytest.raises(ValueError, match=r"confidence=95.*> 0 and < 1"):
        paired_bootstrap(TRUE, TRUE, SECOND, confidence=95)
    with pytest.raises(
        ValueError, match="metric='f1': must be one of 'micro_f1', 'macro_f1', 'macro_f1_present', 'hf', or a function"
    ):
        paired_bootstrap(TRUE, TRUE, SECOND, "f1")
    with pytest.raises(ValueError, match="the metric 'hf' needs the hierarchy"):
        paired_bootstrap(TRUE, TRUE, SECOND, "hf")
    assert paired_bootstrap(TRUE, TRUE, SECOND, "hf", hierarchy=Hierarchy.flat("ab"), n_resamples=2).first == 1
