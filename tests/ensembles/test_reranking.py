"""What a reranker learns, that it never learns from a document it scores, and that threads change nothing."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from classmark.ensembles import trees
from classmark.ensembles.trees import crossed_scores, learn_reranker


def problem(n_documents=300, n_candidates=4, seed=0):
    """Pairs whose first feature says, with noise, which candidate is right; the second says nothing."""
    random = np.random.default_rng(seed)
    right = np.arange(n_candidates) == random.integers(n_candidates, size=(n_documents, 1))
    features = np.stack([right + random.normal(scale=0.4, size=right.shape), random.normal(size=right.shape)], axis=2)
    features[random.random(features.shape) < 0.1] = np.nan
    return features.reshape(-1, 2), right.ravel(), np.repeat(np.arange(n_documents), n_candidates)


def first_right(scores, right, n_candidates=4):
    """The share of documents whose best candidate is right."""
    best = scores.reshape(-1, n_candidates).argmax(axis=1)
    return float(right.reshape(-1, n_candidates)[np.arange(len(best)), best].mean())


def test_it_learns_what_there_is_to_learn():
    trees = learn_reranker(*problem())
    features, right, _ = problem(seed=1)
    scores = trees.decision_function(features)
    assert first_right(scores, right) > 0.8
    # A quarter of the pairs is right, and the scores are log-odds.
    assert 0.2 < (1 / (1 + np.exp(-scores))).mean() < 0.3


def test_directions_are_kept():
    trees = learn_reranker(*problem(), directions=[1, 0])
    rising = np.column_stack([np.linspace(-2, 3, 200), np.zeros(200)])
    assert (np.diff(trees.decision_function(rising)) >= 0).all()


def test_a_score_does_not_depend_on_whether_its_document_is_right():
    features, right, documents = problem()
    scores = crossed_scores(features, right, documents)
    assert first_right(scores, right) > 0.8
    for document in (0, 1, 2):
        inside = documents == document
        other = np.where(inside, ~right, right)
        assert np.array_equal(crossed_scores(features, other, documents)[inside], scores[inside])


@pytest.mark.parametrize("count", [1, 2, 5])
def test_threads_change_nothing(count):
    features, right, documents = problem()
    with threadpool_limits(count, user_api="openmp"):
        found = learn_reranker(features, right, documents, directions=[1, 0]).decision_function(features, count)
        crossed = crossed_scores(features, right, documents, n_jobs=count)
    assert np.array_equal(
        found, learn_reranker(features, right, documents, directions=[1, 0]).decision_function(features)
    )
    assert np.array_equal(crossed, crossed_scores(features, right, documents))


def test_too_many_pairs_are_those_of_some_documents(monkeypatch):
    features, right, documents = problem()
    monkeypatch.setattr(trees, "MOST_PAIRS", 402)
    kept = trees._some(documents, seed=3)
    assert kept.sum() == 400
    assert np.unique(documents[kept]).size == 100
    same = learn_reranker(features[kept], right[kept], documents[kept], seed=3)
    found = learn_reranker(features, right, documents, seed=3)
    assert np.array_equal(found.decision_function(features), same.decision_function(features))


@pytest.mark.parametrize(("right", "score"), [([True, True], np.log(2.5 / 0.5)), ([False, False], np.log(0.5 / 2.5))])
def test_where_all_are_right_or_wrong_there_is_nothing_to_tell(right, score):
    features, documents = np.zeros((2, 3)), np.array([0, 1])
    trees = learn_reranker(features, np.array(right), documents)
    assert np.allclose(trees.decision_function(features), score)
    assert crossed_scores(features, np.array(right), documents).shape == (2,)
    assert crossed_scores(features, np.array(right), np.array([0, 0])).shape == (2,)
    assert crossed_scores(features[:0], np.array(right)[:0], documents[:0]).shape == (0,)
