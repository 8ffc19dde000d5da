"""Rows of features: a list of dictionaries to whoever asks, in the least memory below."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark.data.stored import WIDEST, FeatureRows, GrowingMatrix

ROWS = st.lists(st.dictionaries(st.integers(1, 9), st.sampled_from([1.0, 2.0, 0.1, 1e9]), max_size=4), max_size=6)


def matrix_of(rows: list[dict[int, float]]) -> csr_array:
    growing = GrowingMatrix()
    for row in rows:
        columns = sorted(row)
        growing.extend(np.array([row[column] for column in columns]), np.array(columns, int), np.array([len(row)]))
    return growing.finished()


@given(ROWS)
def test_the_dictionaries_come_back(rows):
    found = FeatureRows(matrix_of(rows))
    assert found == [{str(column): row[column] for column in sorted(row)} for row in rows]
    assert found.matrix.shape == (len(rows), WIDEST)
    assert list(found[::-1]) == list(found)[::-1]


@pytest.mark.parametrize(
    ("weights", "kind"),
    [([1.0, 255.0], "uint8"), ([0.5, 256.0], "float32"), ([0.1], "float64"), ([2.0**40], "float32")],
)
def test_weights_take_the_least_memory_that_holds_them(weights, kind):
    rows = FeatureRows(csr_array([weights]))
    assert rows.matrix.dtype == kind
    assert list(rows[0].values()) == weights


def test_a_row_beyond_the_end():
    with pytest.raises(IndexError):
        FeatureRows(csr_array([[1.0]]))[1]
