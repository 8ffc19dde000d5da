"""The way down a node at a time scores as the sparse matrix of all nodes does."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from classmark.boosting.booster import presence
from classmark.boosting.treeboost_mh import Answers
from classmark.strategies.topdown.descent import CERTAIN, DESCENTS
from classmark.strategies.topdown.linear_bank import LinearModel
from tests.strategies.topdown.test_descent import banks


@given(banks(), st.sampled_from(list(DESCENTS)), st.integers(-6, 6) | st.just(-np.inf))
def test_scores_are_those_of_the_sparse_matrix(case, descent, quarters):
    _, structure, bank, X, _ = case
    answers, X, floor = Answers.gather(models_of(bank, structure)), presence(X), quarters / 4
    scores = answers.scores(X, structure, descent, floor, CERTAIN, 1)
    # Weights are quarters, whose sums are exact in any order.
    assert np.array_equal(scores, bank.scores(X, structure, descent, floor=floor))
    assert scores.tobytes() == answers.scores(X, structure, descent, floor, CERTAIN, 3).tobytes()


def models_of(bank, structure):
    """What was learned at each node: the terms that have a weight there, in some order."""
    models = []
    for problem in range(structure.parents.size):
        slots = structure.of(problem)
        weights = bank.weights[:, slots].toarray().astype(np.float64)
        columns = np.flatnonzero((weights != 0).any(axis=1))[::-1]
        models.append(LinearModel(columns, weights[columns], bank.intercepts[slots]))
    return models
