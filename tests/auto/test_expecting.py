"""What is expected of new documents is what they give, about nine times in ten."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from classmark.auto.expecting import expect
from classmark.auto.workshop import Truth, Verdict
from classmark.metrics import hierarchical_scores
from tests.auto.problems import TREE

LEAVES = np.asarray(TREE.leaves)
CHANCE = 0.8


def answers(random, own, chance):
    """Answer some documents rightly and the others by a leaf at random."""
    right = random.random(own.size) < chance
    given = np.where(right, own, random.choice(LEAVES, size=own.size))
    return TREE.close(csr_array((np.ones(own.size, dtype=bool), (np.arange(own.size), given)), (own.size, len(TREE))))


def judged(random, documents, candidates):
    own = random.choice(LEAVES, size=documents)
    indicator = csr_array((np.ones(documents, dtype=bool), (np.arange(documents), own)), (documents, len(TREE)))
    truth = Truth(indicator, TREE.close(indicator), TREE, LEAVES.astype(np.int32))
    found = [answers(random, own, CHANCE) for _ in range(candidates)]
    verdicts = [Verdict("", hierarchical_scores(indicator, one, TREE).hf, one, own.astype(np.int32)) for one in found]
    return truth, verdicts


@pytest.mark.parametrize("candidates", [1, 15])
def test_new_documents_are_in_the_interval_nine_times_in_ten(candidates):
    random = np.random.default_rng(0)
    inside = values = 0.0
    for _ in range(120):
        truth, verdicts = judged(random, 400, candidates)
        chosen = int(np.argmax([one.score for one in verdicts]))
        expected = expect("hf", truth, verdicts, chosen, seed=0)
        _, [new] = judged(random, expected.documents, 1)
        inside += expected.low <= new.score <= expected.high
        values += expected.value - new.score
    assert 0.83 <= inside / 120 <= 0.97
    # The best of 15 that are all alike is better by luck, which is known.
    assert values / 120 == pytest.approx(0, abs=0.008)


def test_luck_is_taken_off():
    truth, verdicts = judged(np.random.default_rng(1), 300, 15)
    chosen = int(np.argmax([one.score for one in verdicts]))
    assert expect("hf", truth, verdicts, chosen, seed=0).luck > 0
    assert expect("hf", truth, verdicts[chosen : chosen + 1], 0, seed=0).luck == 0


@pytest.mark.parametrize("measure", ["micro-f1", "macro-f1", "first", "hf"])
def test_any_measure(measure):
    truth, verdicts = judged(np.random.default_rng(2), 100, 2)
    found = expect(measure, truth, verdicts, 0, seed=0)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.documents == 25
    assert f"{measure} {found.value:.3f}; nine times in ten" in found.in_words()


def test_the_upper_end_allows_for_what_more_documents_teach():
    truth, verdicts = judged(np.random.default_rng(3), 2000, 1)
    all_of_them, some = (expect("hf", truth, verdicts, 0, seed=0, learned=part) for part in (1.0, 0.8))
    assert (some.value, some.low) == (all_of_them.value, all_of_them.low)
    assert some.high - all_of_them.high == pytest.approx((1 - some.value) * (1 - 0.8**0.3))
