"""A matrix in parts does what one that is here does, whichever part has which rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import parted
from classmark.parted import MatrixParts, added, by_rows, columns_of, here, mapped, sizes_of
from tests.places import Noting, Told, in_parts


@st.composite
def matrices(draw):
    rows, columns = draw(st.integers(0, 12)), draw(st.integers(1, 5))
    cells = draw(st.lists(st.sampled_from([0.0, 0.0, 1.0, 2.5]), min_size=rows * columns, max_size=rows * columns))
    return csr_array(np.array(cells).reshape(rows, columns))


@st.composite
def problems(draw):
    """Draw a matrix, and the same in parts, some of which may have nothing, or are lost time and again."""
    X = draw(matrices())
    cuts = sorted(draw(st.lists(st.integers(0, X.shape[0]), max_size=3)))
    return X, in_parts(X, cuts, Noting(forgets=draw(st.booleans())))


@pytest.fixture(params=[1, 3, 1 << 20], autouse=True)
def in_crumbs(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parted.ranges_of, "__defaults__", (request.param,))
        yield


def assert_same(found, X):
    assert found.shape == X.shape
    np.testing.assert_array_equal(here(found).toarray(), X.toarray())
    np.testing.assert_array_equal(sizes_of(found), np.diff(X.indptr))
    assert found.nnz == X.nnz


def doubled(X):
    return X * 2


def above(X, least):
    X = X * (least < X)
    X.eliminate_zeros()
    return csr_array(X)


def weighed(X, weight):
    return weight @ X.toarray()


def sums(X):
    return X.sum(axis=1)


@given(problem=problems(), data=st.data())
def test_rows_and_steps_in_any_order(problem, data):
    X, found = problem
    assert_same(found, X)
    for _ in range(data.draw(st.integers(1, 4))):
        what = data.draw(st.sampled_from(["rows", "truth", "double", "above", "columns"]))
        if what in ("rows", "truth"):
            truth = np.array(data.draw(st.lists(st.booleans(), min_size=X.shape[0], max_size=X.shape[0])), bool)
            found, X = found[truth if what == "truth" else np.flatnonzero(truth)], csr_array(X[np.flatnonzero(truth)])
        elif what == "double":
            found, X = mapped(found, doubled), doubled(X)
        elif what == "above":
            found, X = mapped(found, above, 2.0), above(X, 2.0)
        else:
            kept = np.arange(X.shape[1])[::2]
            found, X = mapped(found, columns_of, kept, n_columns=len(kept)), columns_of(X, kept)
        assert_same(found, X)
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, X.shape[0])] * 2)))
    pieces = [np.zeros((0, X.shape[1])), *(piece.toarray() for piece in found.pieces(start, stop))]
    np.testing.assert_array_equal(np.concatenate(pieces), X[start:stop].toarray())
    found.close()


@given(problem=problems(), data=st.data())
def test_sums_over_rows(problem, data):
    X, found = problem
    weight = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=X.shape[0], max_size=X.shape[0])))
    np.testing.assert_array_equal(added(found, weighed, aligned=(weight,)), weighed(X, weight))
    np.testing.assert_array_equal(by_rows(found, sums), sums(X))


def test_rows_are_taken_in_their_order():
    found = in_parts(csr_array(np.eye(3)), [2])
    with pytest.raises(ValueError, match="taken in their order; give positions that rise"):
        found[np.array([1, 0])]


def test_nothing_is_left_of_it():
    place = Noting()
    parts = MatrixParts(place, Told, [(1,)], ())
    assert len(place.opened) == 1
    parts.close()
    assert place.opened == []
