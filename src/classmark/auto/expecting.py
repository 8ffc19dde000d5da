"""What to expect of new documents, from what was answered about documents held out.

The best of many candidates is the best by luck too. Each resample of the documents has a best candidate of its own; on
the documents that are not in it, the chosen one, which was chosen by these too, is better than that one by the luck of
being chosen, in the mean (Tsamardinos, Greasidou and Borboudakis, "Bootstrapping the out-of-sample predictions for
efficient and accurate cross-validation", 2018, who take the second figure itself). It is taken off. The interval is for
a set of new documents of the same kind: it varies as much as the resamples say of the estimate, and besides as a set of
so few documents does. What was judged are copies that learned from a part of the documents; the model, which learns
from all of them, may be better, and the upper end allows for that: errors fall as a power of the number of documents.

`rows_of_trials` and `in_words` format the search that a model file keeps.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.auto.candidates import Candidate
from classmark.auto.workshop import Truth, Verdict
from classmark.metrics.evaluation import Evaluation
from classmark.metrics.flat import Counts
from classmark.metrics.significance import draw_weights
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
    weights = np.concatenate(list(draw_weights(judged, RESAMPLES if measure == "hf" else CALLED, seed)))
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
    counts = [Counts.per_document(truth.closed, one.answers) for one in verdicts]
    tables = ([getattr(one, name) for one in counts] for name in ("tp", "predicted", "true"))
    return Counts(*(weights @ np.array(table, dtype=float).T for table in tables)).f()


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


SHOWN = 10
"""How many of the trials are shown."""


def rows_of_trials(trials: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Give the best trials as the cells of a table, those on more documents first.

    >>> rows_of_trials([{"method": "nb", "settings": {}, "documents": 90, "score": 0.5, "decision": "scut",
    ...                  "seconds": 0.1, "why": None}])
    [['.500', '90', '0.1', 'nb, scut']]
    """
    ordered = sorted(trials, key=lambda one: (-one["documents"], one["score"] is None, -(one["score"] or 0.0)))
    return [
        [
            "–" if one["score"] is None else f"{one['score']:.3f}".removeprefix("0"),
            f"{one['documents']:,}",
            f"{one['seconds']:.1f}",
            f"{in_words(one)}: {one['why']}" if one["why"] else in_words(one),
        ]
        for one in ordered[:SHOWN]
    ]


def in_words(chosen: Mapping[str, Any]) -> str:
    """Write a method, what is set of it, and its decision; parts by their own settings, in brackets."""
    settings, decision = chosen["settings"], chosen.get("decision")
    if "parts" in settings:
        written = f"{chosen['method']} of {_parts_in_words(settings)}"
    else:
        written = Candidate(chosen["method"], _worth_saying(settings)).in_words()
    return written if decision is None else f"{written}, {decision}"


def _parts_in_words(settings: Mapping[str, Any]) -> str:
    """Write parts, each with its own settings.

    >>> _parts_in_words({"parts": "nb+linear-svm", "linear-svm.C": 3.0})
    'nb + linear-svm (C=3.0)'
    """
    written = []
    for part in settings["parts"].split("+"):
        own = {name.removeprefix(f"{part}."): value for name, value in settings.items() if name.startswith(f"{part}.")}
        changes = Candidate("", _worth_saying(own)).in_words().strip()
        written.append(f"{part} ({changes})" if changes else part)
    return " + ".join(written)


def _worth_saying(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out that the language is found: it is in all of them."""
    return {name: value for name, value in settings.items() if (name, value) != ("language", "auto")}


def expected_in_words(expected: Mapping[str, Any]) -> str:
    """Say what to expect of new documents."""
    return Expected(**expected).in_words()
