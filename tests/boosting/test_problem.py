"""Problems as plain arrays: both ways of reading them say the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark.boosting.problem import make_pairs, make_terms
from tests.boosting.problems import problems
from tests.oracles.boosting import first_distribution


def distinct(X):
    """The columns that equal no earlier one."""
    return [k for k in range(X.shape[1]) if not any((X[:, k] == X[:, earlier]).all() for earlier in range(k))]


@given(problems(), st.booleans(), st.sampled_from([0, 1, 3, 1000]))
def test_terms_hold_every_column_once_both_ways(problem, merge, rare):
    X = problem.X
    terms, n_frequent = make_terms(csr_array(X.astype(float)), rare, merge=merge)
    assert sorted(terms.columns.tolist()) == (distinct(X) if merge else list(range(X.shape[1])))
    for k, column in enumerate(terms.columns):
        documents = terms.documents[terms.starts[k] : terms.starts[k + 1]]
        assert documents.tolist() == np.flatnonzero(X[:, column]).tolist()
        assert (len(documents) > rare) == (k < n_frequent)
    for i, row in enumerate(X):
        start, frequent, stop = terms.document_starts[i], terms.frequent_stops[i], terms.document_starts[i + 1]
        assert terms.of_documents[start:stop].tolist() == np.flatnonzero(row[terms.columns]).tolist()
        assert (terms.of_documents[start:frequent] < n_frequent).all()
        assert (terms.of_documents[frequent:stop] >= n_frequent).all()


def test_columns_of_the_same_documents_by_hand():
    # Columns 1 and 3 are empty; 0 and 4 are equal; 2 has as many documents as 0, but others.
    X = csr_array([[1, 0, 0, 0, 5, 1.0], [0, 0, 1, 0, 0, 1], [2, 0, 1, 0, 1, 1]])
    terms, _ = make_terms(X, merge=True)
    assert sorted(terms.columns.tolist()) == [0, 1, 2, 5]


@given(problems())
def test_the_first_distribution_is_the_formula(problem):
    Y = problem.Y
    weight = np.ones(len(Y)) if problem.weight is None else np.array(problem.weight)
    pairs = make_pairs(csr_array(Y), weight)
    D, _ = first_distribution(Y, problem.weight)
    assert pairs.negative == pytest.approx(D * ~Y)
    assert pairs.positive == pytest.approx(D[Y])
    assert pairs.negative.sum() + pairs.positive.sum() == pytest.approx(1)


def test_margins_of_earlier_rounds_by_hand():
    pairs = make_pairs(csr_array([[True, False]]), np.array([3.0]), np.array([[2.0, 1.0]]))
    # Both were said to be positive: the first is, so it weighs less, the second is not.
    assert pairs.positive == pytest.approx([0.5 * np.exp(-2)])
    assert pairs.negative == pytest.approx(np.array([[0, 0.5 * np.exp(1)]]))
