"""`method`: train a method once, evaluate its answers."""

import time
from collections.abc import Sequence

from reproductions.experiments.base import Experiment
from reproductions.experiments.learning import Learning, evaluate, learn
from reproductions.surroundings import Surroundings
from reproductions.verdicts import Measured


def run(conditions: Sequence[Learning], surroundings: Surroundings) -> list[Measured]:
    """Measure each condition by a fit of its own."""
    return [_measure(condition, surroundings) for condition in conditions]


def _measure(condition: Learning, surroundings: Surroundings) -> Measured:
    learned = learn(condition, surroundings)
    start = time.process_time()
    predicted = learned.classifier.predict_indicator(learned.X)
    times = {"train_seconds": learned.seconds, "test_seconds": time.process_time() - start}
    first = learned.classifier.predict_first(learned.X)
    return evaluate(learned, predicted, first, times)


METHOD = Experiment(Learning, run)
