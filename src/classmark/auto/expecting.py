"""What to expect of new documents, from what was answered about documents held out.

The best of many candidates is the best by luck too. Each resample of the documents has a best candidate of its own; on
the documents that are not in it, the chosen one, which was chosen by these too, is better than that one by the luck of
being chosen, in the mean (Tsamardinos, Greasidou and Borboudakis, "Bootstrapping the out-of-sample predictions for
efficient and accurate cross-validation", 2018, who take the second figure itself). It is taken off. The interval is for
a set of new documents of the same kind: it varies as much as the resamples say of the estimate, and besides as a set of
so few documents does. What was judged are copies that learned from a part of the documents; the model, which learns
from all of them, may be better, and the upper end allows for that: errors fall as a power of the number of documents.
"""

from collections.abc import Sequence
from functools import partial

import msgspec
import numpy as np
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.auto.judging import Truth, Verdict
from classmark.metrics.evaluation import Evaluation
from classmark.metrics.table import chosen_figure

RESAMPLES = 200
"""How often documents are drawn, where that is cheap."""
CALLED = 40
"""How often where a measure must be taken of every draw."""
CONFIDENCE_90 = 1.645
"""A normal variable is so many standard deviations from its mean at most, nine times in ten."""
A_FIFTH = 0.25
"""New documents for each of those judged on: one in five of all is what people hold out."""


CURVE = 0.3
"""By which power: what learning curves of texts have, about."""


class Expected(msgspec.Struct, frozen=True):
    """What to expect of a measure on new documents of the same kind."""

    measure: str
    value: float
    low: float
    high: float
    """Nine sets of new documents in ten are in between."""
    documents: int
    """How many documents such a set has."""
    luck: float
    """How much was taken off, for being the best of many."""

    def in_words(self) -> str:
        """Say it in a line."""
        return (
            f"{self.measure} {self.value:.3f}; nine times in ten from {self.low:.3f} to {self.high:.3f} "
            f"on {self.documents:,} new documents of the same kind"
        )


def expect(
    measure: str, truth: Truth, verdicts: Sequence[Verdict], chosen: int, seed: int, learned: float = 1.0
) -> Expected:
    """Say what to expect of the chosen one of some candidates, all judged on the same documents.

    Their copies have `learned` from this part of what the model learns from.
    """
    judged = truth.own.shape[0]
    draw = _hf_of_draws if measure == "hf" else partial(_of_draws, measure)
    weights = _weights(judged, RESAMPLES if measure == "hf" else CALLED, seed)
    drawn, others = draw(truth, verdicts, weights), draw(truth, verdicts, (weights == 0).astype(float))
    best_of_each = others[np.arange(len(others)), drawn.argmax(axis=1)]
    luck = max(0.0, float((others[:, chosen] - best_of_each).mean()))
    new = max(1, round(A_FIFTH * judged))
    spread = CONFIDENCE_90 * float(drawn[:, chosen].std()) * float(np.sqrt(1 + judged / new))
    value = verdicts[chosen].score - luck
    better = (1 - value) * (1 - learned**CURVE)
    return Expected(measure, value, max(0.0, value - spread), min(1.0, value + spread + better), new, luck)


def _hf_of_draws(truth: Truth, verdicts: Sequence[Verdict], weights: Floats) -> Floats:
    """Give hF of every candidate on every draw: the counts of documents are added up as often as they are drawn."""
    closed = truth.closed.astype(np.int64)
    true = np.diff(truth.closed.indptr).astype(float)
    right = [np.asarray(one.answers.astype(np.int64).multiply(closed).sum(axis=1)).ravel() for one in verdicts]
    given = [np.diff(csr_array(one.answers).indptr).astype(float) for one in verdicts]
    both = weights @ np.array(given).T + (weights @ true)[:, None]
    return np.asarray(2 * (weights @ np.array(right, dtype=float).T) / np.maximum(both, 1))


def _of_draws(measure: str, truth: Truth, verdicts: Sequence[Verdict], weights: Floats) -> Floats:
    """Give a measure of every candidate on every draw."""
    found = np.empty((len(weights), len(verdicts)))
    for number, row in enumerate(weights):
        drawn = np.repeat(np.arange(row.size), row.astype(np.int64))
        true = csr_array(truth.own[drawn])
        for place, one in enumerate(verdicts):
            answers = Evaluation(true, csr_array(one.answers[drawn]), truth.hierarchy, first=one.first[drawn])
            found[number, place] = chosen_figure(measure, answers)
    return found


def _weights(documents: int, draws: int, seed: int) -> Floats:
    """Draw as many documents as there are, with replacement; a row says how often each is in a draw."""
    rng = np.random.default_rng(seed)
    drawn = [np.bincount(rng.integers(documents, size=documents), minlength=documents) for _ in range(draws)]
    return np.stack(drawn).astype(float)
