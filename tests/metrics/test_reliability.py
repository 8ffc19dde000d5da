"""Batches give the figures of the whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from classmark.metrics import brier_score, expected_calibration_error, log_loss
from classmark.metrics.calibration import Reliability

TABLES = st.tuples(st.integers(1, 8), st.integers(1, 4)).flatmap(
    lambda shape: st.tuples(arrays(np.bool_, shape), arrays(np.float64, shape, elements=st.floats(0, 1)))
)


@given(TABLES, st.lists(st.integers(1, 7)))
def test_batches_are_added_up(table, cuts):
    true, chances = table
    found = Reliability()
    for part in np.split(np.arange(len(true)), sorted({cut for cut in cuts if cut < len(true)})):
        found.add(csr_array(true[part]), chances[part])
    whole = csr_array(true)
    assert found.figures() == pytest.approx(
        {
            "brier_score": brier_score(whole, chances),
            "log_loss": log_loss(whole, chances),
            "calibration_error": expected_calibration_error(whole, chances).error,
        },
        rel=1e-9,
        abs=1e-12,
    )


@given(TABLES)
def test_one_batch_is_the_whole_to_the_last_digit(table):
    true, chances = csr_array(table[0]), table[1]
    found = Reliability()
    found.add(true, chances)
    figures = [brier_score(true, chances), log_loss(true, chances), expected_calibration_error(true, chances).error]
    assert list(found.figures().values()) == figures
