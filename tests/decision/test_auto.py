"""The decision that held-out scores ask for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.decision import Auto, PCut, SCut, Threshold, TunedThreshold, choose
from classmark.decision.auto import CANDIDATES

FLAT = Hierarchy.flat("abcd")
ENDS = np.arange(4, dtype=np.int32)


def problem(seed, documents=60, noise=0.3, shift=0.0):
    """Scores that say what is true, as loudly as noise allows, each node around a level of its own."""
    random = np.random.default_rng(seed)
    truth = random.random((documents, 4)) < 0.35
    levels = shift * np.arange(4)
    return truth * 1.0 - 0.5 + levels + noise * random.standard_normal(truth.shape), csr_array(truth)


def hf(decision, scores, truth):
    answers = decision.decide(scores, FLAT, ENDS)
    return 2 * (answers.toarray() & truth.toarray()).sum() / (answers.nnz + truth.nnz)


@pytest.mark.parametrize("seed", range(5))
def test_nodes_at_levels_of_their_own_ask_for_thresholds_of_their_own(seed):
    scores, truth = problem(seed, shift=5.0)
    chosen = choose(scores, truth, FLAT, ENDS)
    assert isinstance(chosen.decision, SCut | PCut)
    fresh, true = problem(seed + 100, shift=5.0)
    assert hf(chosen.decision, fresh, true) > hf(TunedThreshold().fit(scores, truth, FLAT), fresh, true) + 0.1


def test_where_one_threshold_does_it_it_is_taken():
    scores, truth = problem(0, noise=0.01)
    assert isinstance(choose(scores, truth, FLAT, ENDS).decision, TunedThreshold)


def test_all_of_low_scores_are_no_reason_to_say_nothing():
    """As with few documents a category: everything scores below 0, and the order is right."""
    scores, truth = problem(0)
    decision = choose(scores - 3.0, truth, FLAT, ENDS).decision
    assert hf(decision, scores - 3.0, truth) > 0.8
    assert Threshold().decide(scores - 3.0, FLAT, ENDS).nnz == 0


@given(st.integers(0, 10**6), st.floats(0, 3), st.sampled_from([0.0, 4.0]))
def test_most_documents_get_an_answer(seed, noise, shift):
    scores, truth = problem(seed, documents=30, noise=noise, shift=shift)
    chosen = choose(scores, truth, FLAT, ENDS)
    assert set(CANDIDATES) <= set(chosen.reason.replace(":", "").replace(", ", " ").split())
    # Measured on documents it has not learned from; these it has, and it may only know them better.
    assert (np.diff(chosen.decision.decide(scores, FLAT, ENDS).indptr) == 0).mean() <= 0.6


def test_nothing_known_of_any_label_leaves_the_nearest():
    scores = np.full((8, 4), -np.inf)
    chosen = choose(scores, csr_array(np.eye(4, dtype=bool)[[0, 1, 2, 3] * 2]), FLAT, ENDS)
    assert chosen.decision == Threshold(otherwise="nearest")
    assert "leaves most documents without an answer" in chosen.reason


def test_the_same_scores_choose_the_same():
    scores, truth = problem(3)
    assert choose(scores, truth, FLAT, ENDS) == choose(scores, truth, FLAT, ENDS)


def test_before_it_is_learned_it_decides_nothing():
    with pytest.raises(ValueError, match="auto has not been learned"):
        Auto().decide(np.zeros((1, 4)), FLAT, ENDS)


@pytest.mark.parametrize("wrong", [{"folds": 1}, {"seconds": -1.0}, {"seconds": float("nan")}])
def test_refusals(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))}="):
        Auto(**wrong)
