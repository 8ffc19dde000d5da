"""The three approaches that consistent_global_2006 compares, each over AdaBoost.MH, and how they are repeated.

- flat: AdaBoost.MH on the labels as given; what it predicts is closed upward (section 7.2);
- local: AdaBoost.MH at each inner node, on the documents of the node's subtree, from the top down (section 7.3);
- global: AdaBoost.MH on the labels closed upward; what is not consistent is re-labelled by the average confidence of a
  category and its ancestors (section 5).

All run for the same number of rounds, and all tune their threshold on the training scores (section 5.1).
"""

from collections.abc import Callable
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta
from scipy.sparse import csr_array

from classmark.decision import TunedThreshold
from classmark.hierarchy import Hierarchy
from classmark.metrics import hierarchical_scores
from classmark.parallel import n_threads, threads
from classmark.registry import find_method
from reproductions.experiments.base import Parameters, over_repetitions
from reproductions.experiments.learning import whole
from reproductions.surroundings import Surroundings
from reproductions.verdicts import Measured

METHODS = {"flat": "adaboost-mh", "local": "local-adaboost", "global": "global-adaboost"}
RULES = {"flat": "close", "local": "filter", "global": "average"}
"""How an approach makes its answers consistent; the scores of the local one always are."""
SEEDS_APART = 1000
"""Runs with other seeds share no repetition."""


class Approach(Parameters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An approach, the rounds of its boosters, and how often it is tried, on other documents every time."""

    approach: Literal["flat", "local", "global"]
    rounds: Annotated[int, Meta(ge=1)]
    repetitions: Annotated[int, Meta(ge=1, le=SEEDS_APART)]


class Trial(NamedTuple):
    """Documents to learn from and to be tested on, and their labels as given."""

    hierarchy: Hierarchy
    X: csr_array
    labels: csr_array
    X_test: csr_array
    truth: csr_array


def answer(approach: str, rounds: int, trial: Trial) -> csr_array:
    """Learn by an approach, and give the label sets of the test documents, ancestors included."""
    hierarchy = trial.hierarchy
    # To the flat approach inner categories are as any other, and no document has one because of another.
    seen = Hierarchy.flat(hierarchy.names) if approach == "flat" else hierarchy
    learner, _ = find_method(METHODS[approach]).configure({"n_estimators": rounds})
    decision = TunedThreshold(on="training", consistency=RULES[approach])
    classifier = learner.build(0, None).set_params(hierarchy=seen, decision=decision)
    return hierarchy.close(classifier.fit(trial.X, trial.labels).predict_indicator(trial.X_test))


def repeat(condition: Approach, make: Callable[[int], Trial], surroundings: Surroundings) -> Measured:
    """Try an approach on the documents that `make` gives for each repetition's seed: `hf`, `hp` and `hr`."""

    def once(seed: int) -> Measured:
        trial = make(seed)
        predicted = answer(condition.approach, condition.rounds, trial)
        scores = hierarchical_scores(trial.truth, predicted, trial.hierarchy)
        return {"hf": scores.hf, "hp": scores.hp, "hr": scores.hr}

    first = SEEDS_APART * surroundings.seed
    seeds = range(first, first + condition.repetitions)
    with whole(), threads(n_threads(surroundings.jobs)) as run:
        found = run(once, [(seed,) for seed in seeds])
    return over_repetitions(dict(zip(seeds, found, strict=True)))
