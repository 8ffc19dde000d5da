"""Passes over documents, against the dense products they stand for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array

from classmark.generative.counts import dense_rows, passes, restricted


@st.composite
def problems(draw):
    documents, terms, components = draw(st.integers(1, 12)), draw(st.integers(1, 9)), draw(st.integers(1, 11))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = csr_array(random_array((documents, terms), density=draw(st.floats(0, 1)), rng=random, format="csr"))
    # Components that a document has no share in are passed over, so every number of them must come up.
    shares = random.random((documents, components)) * (random.random((documents, components)) < draw(st.floats(0, 1)))
    return X, shares, random.random(documents) * (random.random(documents) < 0.8)


def counted(X, shares, weight, n_jobs):
    counts, totals = np.zeros((X.shape[1], shares.shape[1])), np.zeros(shares.shape[1])
    with passes(n_jobs) as over:
        over.accumulate(X, (0, X.shape[0]), weight, shares, counts, totals)
    return counts, totals


@given(problems())
def test_accumulate_is_a_product(problem):
    X, shares, weight = problem
    counts, totals = counted(X, shares, weight, 1)
    assert counts == pytest.approx(X.toarray().T @ (weight[:, None] * shares))
    assert totals == pytest.approx(weight @ shares)


@given(problems(), st.integers(2, 4))
def test_threads_change_no_bit(problem, n_jobs):
    for one, several in zip(counted(*problem, 1), counted(*problem, n_jobs), strict=True):
        assert np.array_equal(one, several)


@given(problems(), st.data())
def test_restricted_keeps_the_known_columns(problem, data):
    X = problem[0]
    known = np.array(data.draw(st.lists(st.booleans(), min_size=X.shape[1], max_size=X.shape[1])))
    found = restricted(X, known)
    assert found.shape == (X.shape[0], known.sum())
    assert np.array_equal(found.toarray(), X.toarray()[:, known])
    assert found.indices.size == found.data.size == found.indptr[-1]


@given(problems(), st.data())
def test_dense_rows_are_the_rows(problem, data):
    X = problem[0]
    start = data.draw(st.integers(0, X.shape[0]))
    stop = data.draw(st.integers(start, X.shape[0]))
    assert np.array_equal(dense_rows(X, (start, stop)), X.toarray()[start:stop])
