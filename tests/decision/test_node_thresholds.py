"""What S-cut and P-cut have in common: the score at a rank, by hand, over sets and between neighbouring numbers."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from classmark.decision.thresholds import score_at_rank
from tests.decision.cases import HALVES, ROUNDED
from tests.oracles import decision as oracle

INF = np.inf


@pytest.mark.parametrize(
    ("scores", "count", "expected"),
    [
        ([4, 1, 3], 1, (4 + 3) / 2),
        ([4, 1, 3], 2, (3 + 1) / 2),
        # All of them: just below the last. None of them, or fewer: the first itself, which is not above itself.
        ([4, 1, 3], 3, np.nextafter(1.0, -INF)),
        ([4, 1, 3], 9, np.nextafter(1.0, -INF)),
        ([4, 1, 3], 0, 4),
        ([4, 1, 3], -1, 4),
        # Equal at the rank: letting one in lets both in, and so neither comes.
        ([4, 3, 3, 1], 2, 3),
        ([4, 3, 3, 1], 3, (3 + 1) / 2),
        # What nothing is known of has no rank.
        ([4, -INF, 3, -INF], 1, (4 + 3) / 2),
        ([-INF, -INF], 1, 0),
        ([], 1, 0),
    ],
)
def test_score_at_rank_by_hand(scores, count, expected):
    assert score_at_rank(np.array(scores, dtype=float), count) == expected


@pytest.mark.parametrize("low", [1.0, np.nextafter(1.0, 2.0), -1.0, 2.0**60])
def test_neighbouring_numbers_are_equal(low):
    high = np.nextafter(low, INF)
    assert score_at_rank(np.array([low, high]), 1) == high
    # Above 0 they are the second and the third of three, and none of them comes; below 0 the first two, and both do.
    assert score_at_rank(np.array([low, high, 2 * low]), 2) == (high if low > 0 else (low + 2 * low) / 2)


@given(arrays(float, st.integers(1, 6), elements=HALVES | ROUNDED), st.integers(-1, 7))
def test_score_at_rank_equals_the_oracle(scores, count):
    assert score_at_rank(scores, count) == oracle.score_at_rank(scores.tolist(), count)


@given(arrays(float, 5, elements=st.floats(-1e15, 1e15)), st.integers(0, 5))
def test_so_many_scores_lie_above(scores, count):
    assume(len(oracle.runs(scores)) == 5)
    assert (scores > score_at_rank(scores, count)).sum() == count
