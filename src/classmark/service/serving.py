"""A fitted model that answers what a server is asked, on plain data: many texts at a time, categories by address.

The chance of a category is its probability where the model gives some. Other models give scores without bounds; these
are squashed into 0 to 1, which keeps their order and promises nothing else.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit

from classmark.answers import Answers, Positions
from classmark.arrays import Floats
from classmark.pipeline import TextClassifier
from classmark.service.answering import Question, classify
from classmark.service.browsing import Taxonomy
from classmark.service.languages import iso_code
from classmark.service.naming import Called, Naming, name_of


class Suggestion(NamedTuple):
    """A category that may be right, and how probable that is."""

    category: Called
    score: float


class Suggestions(NamedTuple):
    """The categories that a text may belong to, best first."""

    ranked: list[Suggestion]
    no_known_terms: bool
    """Whether the model reads terms and knows none of the text's, so that it suggests nothing."""


@dataclass(frozen=True, kw_only=True)
class Classified:
    """What a model decides about a text."""

    labels: Sequence[str]
    """The names of all its categories, ancestors included, as `predict` gives them."""
    own: Sequence["Placed"]
    """The most specific of them."""
    doubt: float
    """How unsure the answer is, from 0 to 1."""
    no_known_terms: bool = False
    """Whether the model reads terms and knows none of the text's, which therefore has no category."""


@dataclass(frozen=True, kw_only=True)
class Placed:
    """One category of a text."""

    category: Called
    """What it is called."""
    name: str
    """Its name in the hierarchy."""
    path: Sequence[str]
    """The labels from the top down to it, by its first parents."""
    chance: float
    """How probable it is."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a model says about a text of which somebody will judge, and how much it doubts."""

    labels: Sequence[str]
    """The names of the most specific categories."""
    chances: Sequence[float]
    """How probable each is."""
    doubt: float
    """How unsure the answer is, from 0 to 1."""
    suspicion: float | None
    """How improbable the labels are that the text came with, from 0 to 1, where it came with any."""


class Responder:
    """A fitted model, and what it takes to answer."""

    def __init__(self, model: TextClassifier) -> None:
        self.model = model
        self.hierarchy = model.hierarchy_
        self.naming = Naming(model)
        self.calibrated = hasattr(model, "predict_proba")
        self._paths: dict[int, list[str]] = {}

    @property
    def language(self) -> str:
        """The code of the language that texts are read in."""
        return iso_code(self.model.text_.language)

    @property
    def chances(self) -> str:
        """Whether chances are `calibrated`, the model's `own` probabilities, or `squashed` scores."""
        if not self.calibrated:
            return "squashed"
        return "own" if self.model.classifier_.calibrator_ is None else "calibrated"

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """The categories, to go through and to search."""
        return Taxonomy(self.hierarchy, self.naming)

    def suggest(self, texts: Sequence[str], limit: int) -> list[Suggestions]:
        """Return the best categories of each text, as `predict --top` ranks them."""
        X = self.model.transform(texts)
        lacking = self.model.lacks_known_terms(X).tolist()
        return [
            Suggestions([Suggestion(self.naming.called[node], chance) for node, chance in ranked], lacks)
            for ranked, lacks in zip(self._ranked(X, limit), lacking, strict=True)
        ]

    def nearly(self, text: str, limit: int) -> list["Placed"]:
        """Give the best categories that a text does not get, as `suggest` ranks them."""
        if limit <= 0:
            return []
        X = self.model.transform([text])
        answered = set(self.model.classifier_.predict_indicator(X).indices.tolist())
        (ranked,) = self._ranked(X, limit + len(answered))
        return [self._placed(node, chance) for node, chance in ranked if node not in answered][:limit]

    def _ranked(self, X: csr_array, limit: int) -> list[list[tuple[int, float]]]:
        """Return the best nodes of each row with their chances; none for a text without a known term."""
        if limit <= 0:
            return [[] for _ in range(X.shape[0])]
        found: list[list[tuple[int, float]]] = []
        for batch in self.model.classifier_.answers(X):
            ranked = batch.top(limit)
            documents = np.repeat(np.arange(len(batch)), ranked.shape[1])
            scores: Any = self._chances(batch, documents, ranked.ravel()).reshape(ranked.shape).tolist()
            for nodes, row in zip(ranked.tolist(), scores, strict=True):
                pairs = zip(nodes, row, strict=True)
                found.append([(node, score) for node, score in pairs if score > 0])
        return [[] if lacks else ranked for ranked, lacks in zip(found, self.model.lacks_known_terms(X), strict=True)]

    def classify(self, texts: Sequence[str], question: Question) -> list[Classified]:
        """Give the label sets of texts, which are those of `predict`, with their chances."""
        numbers = {"probabilities" if self.calibrated else "scores": True}
        asked = Question(min_precision=question.min_precision, **numbers)
        return [
            self._classified(answer.labels, answer.probabilities or answer.scores or {}, bool(answer.no_known_terms))
            for answer in classify(self.model, zip(map(str, range(len(texts))), texts, strict=True), asked)
        ]

    def judge(self, texts: Sequence[str], given: Sequence[Sequence[str] | None]) -> list[Said]:
        """Say what the model says of texts, how unsure it is of that, and of the labels that they came with."""
        answers = self.classify(texts, Question())
        suspicions = self._suspicions(texts, given)
        return [
            Said(
                labels=[placed.name for placed in answer.own],
                chances=[placed.chance for placed in answer.own],
                doubt=answer.doubt,
                suspicion=suspicion,
            )
            for answer, suspicion in zip(answers, suspicions, strict=True)
        ]

    def _suspicions(self, texts: Sequence[str], given: Sequence[Sequence[str] | None]) -> list[float | None]:
        """Give how improbable the least probable label is that each text came with."""
        found: list[float | None] = []
        for batch in self.model.classifier_.answers(self.model.transform(texts)):
            for row in range(len(batch)):
                names = given[len(found)]
                if not names:
                    found.append(None)
                    continue
                nodes = self.hierarchy.positions(names)
                found.append(float(1 - self._chances(batch, np.full(len(nodes), row), nodes).min()))
        return found

    def _classified(self, labels: Sequence[Any], numbers: Mapping[str, float], no_known_terms: bool) -> Classified:
        nodes = list(map(self.hierarchy.position, labels))
        above = {parent for node in nodes for parent in self.hierarchy.parent_positions(node).tolist()}
        own = [self._placed(node, self._chance(node, numbers)) for node in nodes if node not in above]
        least = min((placed.chance for placed in own), default=0.0)
        names = [name_of(name) for name in labels]
        return Classified(labels=names, own=own, doubt=1.0 - least, no_known_terms=no_known_terms)

    def _chance(self, node: int, numbers: Mapping[str, float]) -> float:
        found = numbers[str(self.hierarchy.names[node])]
        return found if self.calibrated else float(self._squash(found))

    def _placed(self, node: int, chance: float) -> Placed:
        name = name_of(self.hierarchy.names[node])
        return Placed(category=self.naming.called[node], name=name, path=self.path(node), chance=chance)

    def path(self, node: int) -> list[str]:
        """Give the labels from the top down to a category, by its first parents."""
        if node not in self._paths:
            steps = map(self.hierarchy.position, self.hierarchy.path(self.hierarchy.names[node]))
            self._paths[node] = [self.naming.called[step].label for step in steps]
        return self._paths[node]

    def _chances(self, batch: Answers, documents: Positions, nodes: Positions) -> Floats:
        if self.calibrated:
            return batch.chances(documents, nodes)
        return np.asarray(self._squash(batch.scores(documents, nodes)))

    @cached_property
    def _squash(self) -> Callable[[Any], Any]:
        """What takes scores into 0 to 1: votes are never negative, other scores are margins or log-odds."""
        return _of_votes if hasattr(self.model.classifier_, "index_") else _of_margins


def _of_votes(votes: Any) -> Any:
    """Squash numbers from 0 on.

    >>> _of_votes(np.array([0.0, 1.0])).tolist()
    [0.0, 0.5]
    """
    return 1 - 1 / (1 + votes)


def _of_margins(margins: Any) -> Any:
    """Squash any numbers, those without bounds too.

    >>> _of_margins(np.array([-np.inf, 0.0, 800.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    return expit(margins)
