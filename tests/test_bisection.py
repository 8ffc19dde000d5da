"""The search by halves: that of numpy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from classmark.bisection import first_from


@given(st.lists(st.integers(0, 20)), st.integers(-1, 21), st.data())
def test_it_finds_what_numpy_finds(numbers, least, data):
    rising = np.sort(np.array(numbers, dtype=np.int64))
    start = data.draw(st.integers(0, rising.size))
    stop = data.draw(st.integers(start, rising.size))
    assert first_from(rising, start, stop, least) == start + np.searchsorted(rising[start:stop], least)
