"""Learning curves: how good a model would be with fewer documents, and so whether more would help.

The training documents are put into one random order, and each part begins as the next smaller one does. Everything is
judged on the same documents.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from classmark.data import Corpus
from classmark.hierarchy import Hierarchy
from classmark.metrics import hf_score
from classmark.pipeline import TextClassifier
from classmark.progress import notice, track
from classmark.reader import numbers_by
from classmark.report.contents import Curve, Series
from classmark.service.judging import judge
from classmark.service.reporting.curves import of_each
from classmark.service.reporting.looking import Looked

QUICK, QUICK_WITH_MANY = "nb-plus", "knn-bm25"
"""What learns in the place of a method that would take long; with many categories, weights would take much memory."""
MANY = 2000
PARTS = (1 / 8, 1 / 4, 1 / 2)
SHORT = 120.0
"""Seconds that all parts may take together, about."""
FEWEST = 16
"""With fewer documents there is nothing to divide."""
MOST = 0.9
"""A model that has seen so many of the training documents was trained on them."""
HELPS = 0.01
"""From this gain in hF on the last doubling was worth it."""


@dataclass(frozen=True, kw_only=True)
class Learned:
    """How good a method is with more and more documents."""

    name: str
    """What the line is called."""
    documents: Sequence[int]
    """How many documents were learned from."""
    hf: Sequence[float]
    """The hF each time."""
    instead: str | None = None
    """The quicker method that has learned in the place of the model's, where that would take long."""

    @property
    def gain(self) -> float:
        """What the last doubling has brought."""
        return self.hf[-1] - self.hf[-2] if len(self.hf) > 1 else 0.0

    @property
    def helps(self) -> bool:
        """Whether more documents should help."""
        return self.gain >= HELPS

    def says(self) -> str:
        """Say what is to be seen."""
        by = "" if self.instead is None else f"The model's own method would take long; {self.instead} learns here. "
        then = "more documents should still help" if self.helps else "more of the same kind will help little"
        return (
            f"{by}From {self.documents[-2]:,} to {self.documents[-1]:,} training documents hF goes "
            f"from {self.hf[-2]:.3f} to {self.hf[-1]:.3f}: {then}."
        )


def learned(looked: Sequence[Looked], names: Sequence[str], training: Corpus) -> list[Learned]:
    """Let the methods of some models learn from parts of the documents; one quick method where they would take long."""
    labelled = [row for row, labels in enumerate(training.labels) if labels is not None]
    order = [labelled[place] for place in np.random.default_rng(0).permutation(len(labelled))]
    if len(order) < FEWEST:
        return []
    sizes = [max(2, round(part * len(order))) for part in PARTS]
    parts = [training.take(sorted(order[:size])) for size in sizes]
    everything = training.take(sorted(order))
    if all(_is_short(one, everything) for one in looked):
        return [_curve(one, name, parts, everything) for one, name in zip(looked, names, strict=True)]
    return [_quick_curve(looked[0], [*parts, everything])]


def _is_short(looked: Looked, training: Corpus) -> bool:
    """Say whether a method learns the parts in a time that people wait, and answers as often."""
    seconds = looked.seconds * len(PARTS)
    model = looked.model
    if seconds > SHORT or not model.text_.told_by_terms:
        return False
    try:
        estimate = _again(model).estimate(training.documents, list(training.labels))
    except ValueError:
        return False
    return seconds + estimate.seconds * sum(PARTS) <= SHORT


def _again(model: TextClassifier) -> TextClassifier:
    """Give a classifier of the same recipe that has learned nothing."""
    again: TextClassifier = clone(model)
    again.set_params(hierarchy=model.hierarchy_)
    return again


def _curve(looked: Looked, name: str, parts: Sequence[Corpus], everything: Corpus) -> Learned:
    """Learn from the parts; all documents are the model itself, if these are the ones it was trained on."""
    found = _scores(_again(looked.model), parts, looked)
    documents = [len(part) for part in parts]
    if _has_seen(looked.model, everything):
        documents.append(len(everything))
        found.append(float(hf_score(looked.true, looked.predicted, looked.hierarchy)))
    return Learned(name=name, documents=documents, hf=found)


def _quick_curve(looked: Looked, parts: Sequence[Corpus]) -> Learned:
    model = quick_model(looked.hierarchy)
    method, found = str(model.method), _scores(model, parts, looked)
    return Learned(name=method, documents=[len(part) for part in parts], hf=found, instead=method)


def quick_model(hierarchy: Hierarchy) -> TextClassifier:
    """Give what learns quickly, with many categories too."""
    return TextClassifier(QUICK if len(hierarchy) < MANY else QUICK_WITH_MANY, hierarchy=hierarchy, random_state=0)


def _scores(model: TextClassifier, parts: Sequence[Corpus], looked: Looked) -> list[float]:
    """Learn from each part; give the hF on the documents that were looked at."""
    notice(f"learning curve: {len(parts)} parts of the training documents are learned")
    found = []
    for part in track(parts, "parts", len(parts)):
        # What is odd about a part is nothing that the whole has.
        with warnings.catch_warnings(action="ignore"):
            taught: Any = clone(model).fit(part.documents, list(part.labels), ids=part.ids)
        judged = judge(taught, looked.corpus)
        found.append(float(hf_score(judged.true, judged.predicted, taught.hierarchy_)))
    return found


def _has_seen(model: TextClassifier, training: Corpus) -> bool:
    """Say whether a model was trained on most of some documents; old model files do not know, and are believed."""
    if not model.trained_on_.size:
        return True
    numbers = numbers_by(model.vectoriser_)(model.transform(training.documents))
    return float(np.isin(numbers, model.trained_on_).mean()) > MOST


def learning_curve(found: Sequence[Learned]) -> Curve | None:
    """Draw how good methods are with more and more documents."""
    if not found:
        return None
    names = [one.name for one in found]
    return Curve(
        name="learning",
        title="More documents",
        says=of_each(names, [one.says() for one in found]),
        x_axis="documents learned from",
        y_axis="hF on the documents evaluated",
        series=[Series(name=one.name, x=list(one.documents), y=[round(y, 5) for y in one.hf]) for one in found],
        log_x=True,
    )
