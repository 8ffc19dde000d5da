"""The merged hypothesis says what its rounds say together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark.boosting.hypothesis import Hypothesis, Rounds


@st.composite
def cases(draw):
    """Documents, and rounds of stumps with small whole answers, zeros among them, shared pivots or each label's own."""
    n_terms, n_labels = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    rounds = Rounds()
    for size in draw(st.lists(st.integers(1, 3), min_size=1, max_size=6)):
        shape = (size, n_labels) if draw(st.booleans()) else (size,)
        rounds.columns.append(random.integers(0, n_terms, shape))
        rounds.answers.append(random.integers(-2, 3, (size, 2, n_labels)).astype(float))
    return (random.random((5, n_terms)) < 0.5), rounds, n_labels


def by_loops(X, rounds, n_labels):
    """What every stump says of every document, added up."""
    scores = np.zeros((len(X), n_labels))
    for columns, answers in zip(rounds.columns, rounds.answers, strict=True):
        for column, each in zip(columns, answers, strict=True):
            for j, k in enumerate(np.broadcast_to(column, n_labels)):
                scores[:, j] += [each[int(row[k]), j] for row in X]
    return scores


@given(cases())
def test_the_merged_scores_are_the_sum_of_the_stumps(case):
    X, rounds, n_labels = case
    merged = rounds.merged(n_labels)
    matrix = csr_array(X.astype(float))
    assert merged.scores(matrix).tolist() == by_loops(X, rounds, n_labels).tolist()
    assert merged.columns.tolist() == sorted({k for columns in rounds.columns for k in columns.ravel().tolist()})
    assert list(rounds.margins(matrix))[-1].tolist() == merged.scores(matrix).tolist()


@given(cases())
def test_the_margins_of_the_last_rounds_are_what_they_add(case):
    X, rounds, _ = case
    matrix = csr_array(X.astype(float))
    stages = [margins.copy() for margins in rounds.margins(matrix)]
    last = next(rounds.margins(matrix, start=len(rounds) - 1)).copy()
    before = stages[-2] if len(stages) > 1 else 0
    assert (before + last).tolist() == stages[-1].tolist()
    kept = len(rounds) - 1
    rounds.cut(kept)
    assert len(rounds) == kept
    assert [margins.tolist() for margins in rounds.margins(matrix)] == [stage.tolist() for stage in stages[:kept]]


@given(cases())
def test_shares_sum_to_the_scores_and_absence_counts(case):
    X, rounds, n_labels = case
    merged = rounds.merged(n_labels)
    matrix = csr_array(X.astype(float))
    for j in range(n_labels):
        shares = merged.contributions(matrix, np.full(len(X), j, dtype=np.int32)).toarray()
        assert shares.sum(axis=1).tolist() == merged.scores(matrix)[:, j].tolist()
        absent = merged.absent.toarray()[:, j]
        for row, said in zip(X, shares, strict=True):
            assert said[merged.columns][~row[merged.columns]].tolist() == absent[~row[merged.columns]].tolist()


@given(cases())
def test_the_state_gives_the_same_hypothesis(case):
    X, rounds, n_labels = case
    merged = rounds.merged(n_labels)
    again = Hypothesis.from_state(merged.to_state(), X.shape[1], n_labels)
    matrix = csr_array(X.astype(float))
    assert again.scores(matrix).tobytes() == merged.scores(matrix).tobytes()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("columns", np.array([0, 9], dtype=np.int32), "pivots do not fit its terms"),
        ("columns", np.array([-1, 0], dtype=np.int32), r"not fit.*terms"),
        ("columns", np.array([1, 0], dtype=np.int32), r"not fit.*terms"),
        ("indices", np.array([0, 1, 0, 2], dtype=np.int32), "answers do not fit its categories"),
        ("indptr", np.array([0, 3, 2], dtype=np.int64), "answers do not fit its categories"),
        ("indptr", np.array([1, 2, 4], dtype=np.int64), "answers do not fit its categories"),
        ("answers", np.zeros((2, 3)), "answers"),
    ],
)
def test_damaged_states_are_refused(name, value, message):
    rounds = Rounds([np.array([0]), np.array([2])], [np.ones((1, 2, 2)), np.ones((1, 2, 2))])
    state = rounds.merged(2).to_state()
    Hypothesis.from_state(state, 3, 2)
    with pytest.raises(ValueError, match=message):
        Hypothesis.from_state(state | {name: value}, 3, 2)
