"""Thresholds: the paper's rule by hand and by brute force, and what a threshold accepts."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.decision import LearnedDecision, PCut, SCut, Threshold, TunedThreshold, f1_threshold
from tests.decision.cases import HALVES, ROUNDED
from tests.oracles import decision as oracle

INF = np.inf
TREE = Hierarchy.from_paths(["a/x", "b"])  # node order: a, b, a/x
ENDS = np.array([1, 2], dtype=np.int32)

scores_with_ties = HALVES | ROUNDED
examples = st.lists(st.tuples(scores_with_ties, st.booleans()), min_size=1, max_size=12).filter(
    lambda pairs: any(truth and score > -INF for score, truth in pairs)
)


def tuned(scores, truth):
    return f1_threshold(np.array(scores, dtype=float), np.array(truth, dtype=bool))


@pytest.mark.parametrize(
    ("scores", "truth", "expected"),
    [
        # F1 after 1, 2, 3 and 4: 2/3, 4/4, 4/5, 4/6.
        ([4, 3, 1, 0], [1, 1, 0, 0], (3 + 1) / 2),
        # 2/3, 2/4, 4/5, 4/6: one mistake on the way is worth it.
        ([4, 3, 1, 0], [1, 0, 1, 0], (1 + 0) / 2),
        # Everything is right: below the last one stands last - 1.
        ([4, 3], [1, 1], (3 + 2) / 2),
        ([7], [1], (7 + 6) / 2),
        # 2/2 and then less.
        ([4, 3, 1], [1, 0, 0], (4 + 3) / 2),
        # 0/2, 2/3: the first is wrong, both must be accepted.
        ([4, 3], [0, 1], (3 + 2) / 2),
        # Equal scores are accepted together: 2/4 after both 3s, 4/5 after the 2.
        ([3, 3, 2, 0], [1, 0, 1, 0], (2 + 0) / 2),
        # 2/4, 2/5, 4/6, 6/7.
        ([4, 3, 2, 1], [1, 0, 1, 1], (1 + 0) / 2),
        # Equally good, 2/3 after 4 and 4/6 after 1: the higher wins.
        ([4, 3, 2, 1], [1, 0, 0, 1], (4 + 3) / 2),
    ],
)
def test_by_hand(scores, truth, expected):
    assert tuned(scores, truth) == expected
    order = np.random.default_rng(0).permutation(len(scores))
    assert tuned(np.array(scores)[order], np.array(truth)[order]) == expected


@given(examples)
def test_equal_to_brute_force(pairs):
    scores, truth = map(list, zip(*pairs, strict=True))
    assert tuned(scores, truth) == oracle.f1_threshold(scores, truth)


@given(examples)
def test_accepts_what_gives_the_best_f1(pairs):
    scores, truth = map(list, zip(*pairs, strict=True))
    value = tuned(scores, truth)
    least = min(score for score in scores if score > value)
    best = max(oracle.f1_at(scores, truth, run[-1]) for run in oracle.runs(scores))
    assert oracle.f1_at(scores, truth, least) == best


@given(arrays(float, 4, elements=st.floats(-1e15, 1e15)), arrays(bool, 4).filter(np.any))
def test_equal_to_brute_force_on_any_number(scores, truth):
    """Also where a number less 1 is itself, the best t_k is above the threshold."""
    value = f1_threshold(scores, truth)
    least = min(score for score in scores if score > value)
    expected = max(oracle.runs(scores), key=lambda run: oracle.f1_at(list(scores), list(truth), run[-1]))
    assert least == expected[-1]


@pytest.mark.parametrize("low", [1.0, np.nextafter(1.0, 2.0), -1.0, 2.0**60])
def test_what_differs_by_rounding_is_accepted_together(low):
    high = np.nextafter(low, np.inf)
    assert tuned([high, low], [1, 0]) < low
    assert tuned([high], [1]) < high
    # 2/3 after both, and 2/4 after all; alone the upper one would have 2/2.
    assert tuned([high, low, low - abs(low)], [1, 0, 0]) == (low + low - abs(low)) / 2


def test_summing_in_another_order_changes_no_answer():
    """0.1 + 0.2 is a last digit more than 0.3: alone it would be right, and its equal of another document not."""
    scores = np.array([[0.1 + 0.2], [0.3], [-1.0]])
    labels = csr_array(np.array([[1], [0], [0]], dtype=bool))
    flat = Hierarchy.flat("a")
    for decision in (TunedThreshold(), SCut(steady=False), SCut(), PCut()):
        found = decision.fit(scores, labels, flat).decide(scores, flat, flat.leaves).toarray()
        assert found[0] == found[1]


def test_minus_infinity_is_never_accepted_and_a_label_there_is_a_miss():
    assert tuned([4, 3, 1, -INF, -INF], [1, 1, 0, 0, 0]) == tuned([4, 3, 1], [1, 1, 0])
    # 2/3 after 4 is as good as 4/6 after 1; with one miss it is 2/4 against 4/7.
    assert tuned([4, 3, 2, 1], [1, 0, 0, 1]) == (4 + 3) / 2
    assert tuned([4, 3, 2, 1, -INF], [1, 0, 0, 1, 1]) == (1 + 0) / 2


@pytest.mark.parametrize(("scores", "truth"), [([1, 2], [0, 0]), ([], []), ([-INF, 1], [1, 0]), ([-INF], [1])])
def test_without_a_positive_example_there_is_nothing_to_tune(scores, truth):
    with pytest.raises(ValueError, match="no positive example with a score: a threshold cannot be tuned; give one"):
        tuned(scores, truth)


def test_threshold_accepts_what_is_above_it():
    scores = np.array([[0.5, 0.6, 0.4], [-1.0, 0.5, 0.7], [-INF, -INF, -INF]])
    assert Threshold(0.5).decide(scores, TREE, ENDS).toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 0, 0]]
    filtered = Threshold(0.5, consistency="filter").decide(scores, TREE, ENDS)
    assert filtered.toarray().tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert filtered.dtype == bool


def test_threshold_learns_nothing_and_does_not_change():
    decision = Threshold(0.5)
    assert not isinstance(decision, LearnedDecision)
    assert not decision.one_label
    with pytest.raises(FrozenInstanceError):
        decision.value = 1.0


def test_tuned_threshold_closes_the_truth_and_learns_over_all_nodes():
    # Document 0 has a/x, and so a; document 1 has b. From the top: 5 (a/x, right), 4 (a, right), 3 (a, wrong), 2 (b,
    # right) with F1 2/4, 4/5, 4/6, 6/7.
    scores = np.array([[4.0, -3.0, 5.0], [3.0, 2.0, -3.0]])
    labels = csr_array(np.array([[0, 0, 1], [0, 1, 0]], dtype=bool))
    before = TunedThreshold(consistency="filter")
    after = before.fit(scores, labels, TREE)
    assert after == TunedThreshold(value=(2 - 3) / 2, consistency="filter")
    assert before.value == 0
    assert isinstance(after, LearnedDecision)
    assert after.decide(scores, TREE, ENDS).toarray().tolist() == [[1, 0, 1], [1, 1, 0]]


def test_refusals():
    with pytest.raises(ValueError, match=r"consistency='up': .*close, filter, average"):
        Threshold(consistency="up")
    with pytest.raises(ValueError, match="value=nan"):
        Threshold(value=float("nan"))
