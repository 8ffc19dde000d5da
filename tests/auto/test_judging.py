"""Decisions are judged on the half of the documents that they have not learned from."""

import numpy as np
from scipy.sparse import csr_array

from classmark.auto.workshop import Said, Truth, judge, sensible_decisions
from classmark.decision.auto import CANDIDATES
from tests.auto.problems import TREE


def example(documents: int = 60, seed: int = 0) -> tuple[Said, Truth]:
    random = np.random.default_rng(seed)
    own = np.zeros((documents, len(TREE)), dtype=bool)
    leaves = np.asarray(TREE.leaves)
    for row in range(documents):
        own[row, random.choice(leaves, size=random.integers(1, 3), replace=False)] = True
    truth = TREE.close(csr_array(own))
    scores = truth.toarray() + random.normal(scale=0.7, size=truth.shape)
    return Said(scores, scores), Truth(csr_array(own), truth, TREE, leaves.astype(np.int32))


def test_the_best_decision_wins():
    said, truth = example()
    verdicts = {name: judge(said, truth, [name], "hf").score for name in CANDIDATES}
    best = judge(said, truth, list(CANDIDATES), "hf")
    assert best.score == max(verdicts.values())
    assert verdicts[best.decision] == best.score


def test_scores_that_say_everything_are_worth_one():
    _, truth = example()
    scores = np.where(truth.closed.toarray(), 1.0, -1.0)
    verdict = judge(Said(scores, scores), truth, ["threshold"], "hf")
    assert verdict.score == 1.0
    assert truth.own.toarray()[np.arange(60), verdict.first].all()


def test_one_that_answers_nothing_is_not_taken():
    said, truth = example()
    assert judge(said, truth, ["threshold,value=1e9", "threshold"], "hf").decision == "threshold"


def test_which_are_sensible():
    assert sensible_decisions(1.0, True, 10) == ["best-path"]
    assert sensible_decisions(3.0, False, 10) == list(CANDIDATES)
    assert sensible_decisions(1.1, False, 10) == [*CANDIDATES, "best-path"]
    assert len(sensible_decisions(3.0, False, 1 << 30)) < len(CANDIDATES)
