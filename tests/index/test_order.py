"""Sorting and selecting equal numpy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from classmark.index.kernels import highest, rising

FEW = st.sampled_from([0.0, 0.5, 1.0, 1e30])


@given(arrays(np.float64, st.integers(0, 40), elements=FEW | st.floats(0, 1e30)))
def test_rising_is_a_stable_sort(values):
    assert rising(values).tolist() == np.argsort(values, kind="stable").tolist()


@given(arrays(np.float32, st.integers(1, 40), elements=FEW | st.floats(0, 1, width=32)), st.data())
def test_highest_is_that_of_a_sort(values, data):
    before = values.copy()
    k = data.draw(st.integers(1, len(values)))
    assert highest(values, k) == np.sort(values)[-k]
    assert np.array_equal(values, before)


@pytest.mark.parametrize("size", [1000, 1023, 1024, 1025])
def test_many_numbers(size):
    values = np.random.default_rng(0).integers(0, 300, size).astype(np.float64)
    for given_ in (values, np.sort(values), np.sort(values)[::-1].copy()):
        assert rising(given_).tolist() == np.argsort(given_, kind="stable").tolist()
        single = given_.astype(np.float32)
        assert [highest(single, k) for k in (1, 7, size)] == [np.sort(single)[-k] for k in (1, 7, size)]
