"""One ranking out of many: by hand, and against dense tables."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.sparse import csc_array

from classmark.selection import GLOBALISATIONS, SCORES, PairScores
from classmark.selection.scores import best_of_category, by_frequency, maximum, round_robin, weighted_mean
from tests.oracles import selection as oracle
from tests.selection.problems import problems, scored

every_score = pytest.mark.parametrize("name", SCORES)
# A category that everything meets, one that nothing meets, a term in all documents and one in none.
EXTREMES = (
    np.array([[1, 0, 1, 0], [1, 0, 0, 0], [1, 0, 1, 1]], bool),
    np.array([[1, 0, 1], [1, 0, 0], [1, 0, 0]], bool),
)


def given_scores(table, sizes=None):
    """Pairs that all occur together, with scores of our choice."""
    values = np.array(table, dtype=float)
    assert values.all()
    category = np.array(sizes or [1] * values.shape[1], dtype=float)
    return PairScores(csc_array(values), np.full(len(values), 5.0), category, 10, SCORES["chi-square"])


def test_round_robin_by_hand():
    # In turn: a takes 0, b takes 1; a's second is 1 again, b's second is 2; a's third is 2 again, b's third is 3.
    pairs = given_scores([[9, 1], [8, 7], [2, 6], [1, 5]])
    assert round_robin(pairs, 1).tolist() == [0, 1]
    assert round_robin(pairs, 2).tolist() == [0, 1, 2]
    assert round_robin(pairs, 3).tolist() == [0, 1, 2, 3]
    assert GLOBALISATIONS["round-robin"](pairs, 3).tolist() == [0, 1, 2]
    assert GLOBALISATIONS["round-robin"](pairs, 1).tolist() == [0]


def test_an_easy_category_does_not_crowd_out_a_hard_one():
    """Forman's pitfall: ranked by the maximum, the first category takes all places."""
    pairs = given_scores([[9, 0.1], [8, 0.1], [7, 0.1], [0.2, 0.5], [0.2, 0.4]])
    assert GLOBALISATIONS["max"](pairs, 3).tolist() == [0, 1, 2]
    assert GLOBALISATIONS["round-robin"](pairs, 3).tolist() == [0, 3, 1]


def test_maximum_and_weighted_mean_by_hand():
    pairs = given_scores([[4, 1], [2, 3], [1, 1]], sizes=[1, 3])
    assert maximum(pairs).tolist() == [4, 3, 1]
    assert weighted_mean(pairs) == pytest.approx([(4 * 1 + 1 * 3) / 4, (2 * 1 + 3 * 3) / 4, (1 * 1 + 1 * 3) / 4])
    assert GLOBALISATIONS["max"](pairs, 2).tolist() == [0, 1]
    assert GLOBALISATIONS["weighted-mean"](pairs, 2).tolist() == [1, 0]


@pytest.mark.parametrize("name", GLOBALISATIONS)
def test_equal_terms_stand_in_column_order(name):
    # Terms 1, 2 and 4 are the same, 0 and 3 are in no document; the pairs apart tie as those together do.
    presence = np.array([[0, 1, 1, 0, 1], [0, 1, 1, 0, 1], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]])
    labels = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    for score in ("information-gain", "chi-square", "document-frequency"):
        pairs = scored(presence, labels, score)
        assert GLOBALISATIONS[name](pairs, 5).tolist() == [1, 2, 4, 0, 3]
        assert GLOBALISATIONS[name](pairs, 2).tolist() == [1, 2]


@every_score
@given(problem=problems())
@example(problem=EXTREMES)
def test_maximum_equals_the_dense_table(name, problem):
    pairs = scored(*problem, name)
    dense = pairs.toarray().tolist()
    before = pairs.together.copy()
    assert maximum(pairs).tolist() == oracle.maximum(dense)
    assert GLOBALISATIONS["max"](pairs, 3).tolist() == oracle.ranking(oracle.maximum(dense))[:3]
    assert np.array_equal(pairs.together.indices, before.indices)
    assert np.array_equal(pairs.together.data, before.data)


@every_score
@given(problem=problems())
@example(problem=EXTREMES)
def test_weighted_mean_equals_the_dense_table(name, problem):
    pairs = scored(*problem, name)
    found = weighted_mean(pairs)
    expected = oracle.weighted_mean(pairs.toarray().tolist(), pairs.category.tolist())
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert GLOBALISATIONS["weighted-mean"](pairs, 3).tolist() == oracle.ranking(found.tolist())[:3]


@every_score
@given(problem=problems(), count=st.integers(1, 7))
@example(problem=EXTREMES, count=2)
def test_the_best_of_each_category_equal_the_dense_table(name, problem, count):
    pairs = scored(*problem, name)
    dense, order = pairs.toarray().tolist(), by_frequency(pairs)
    for category in range(pairs.category.size):
        found = best_of_category(pairs, category, count, order).tolist()
        assert found == oracle.best_of_category(dense, category, count)


@every_score
@given(problem=problems(), count=st.integers(1, 7))
@example(problem=EXTREMES, count=2)
def test_round_robin_equals_the_dense_table(name, problem, count):
    pairs = scored(*problem, name)
    dense = pairs.toarray().tolist()
    assert round_robin(pairs, count).tolist() == oracle.round_robin(dense, count)
    everything = oracle.round_robin(dense, len(dense))
    assert GLOBALISATIONS["round-robin"](pairs, count).tolist() == everything[:count]


@pytest.mark.parametrize("name", GLOBALISATIONS)
@given(problem=problems(), score=st.sampled_from(list(SCORES)), count=st.integers(1, 6))
def test_as_many_different_terms_as_asked_for(name, problem, score, count):
    pairs = scored(*problem, score)
    found = GLOBALISATIONS[name](pairs, count).tolist()
    assert len(found) == len(set(found)) == min(count, pairs.term.size)
    # A longer ranking begins with the shorter one.
    assert GLOBALISATIONS[name](pairs, count + 1)[:count].tolist() == found
