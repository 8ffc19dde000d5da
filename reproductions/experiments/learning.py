"""`method`: train a method once on some splits of a corpus and evaluate it on others; other experiments build on this.

The parts of `TextClassifier` are used one by one, so that text is counted once for all conditions that read it in the
same way, and the time of learning does not contain it.
"""

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.base import HierarchicalClassifier
from classmark.data import Corpus
from classmark.decision import parse_decision
from classmark.hierarchy import Hierarchy
from classmark.labels import encode
from classmark.metrics import Counts, FlatScores, summarise
from classmark.reader import Reader
from classmark.registry import find_method
from classmark.selection import parse_selection
from classmark.text import TextSettings
from reproductions.experiments.base import Experiment, Parameters
from reproductions.surroundings import Surroundings
from reproductions.verdicts import Measured


class Learning(Parameters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A method, a corpus, and which of its splits are for what.

    `categories` says what terms are selected for and what the measures called `categories` go over: the leaves, or, if
    `closed`, all nodes with a training document at or below them, which is theirs too. With `flat` the method sees
    those as categories that have nothing to do with each other, and nothing is added to its answers.
    """

    corpus: str
    method: str
    settings: dict[str, Any] = msgspec.field(default_factory=dict)
    selection: str | None = None
    decision: str | None = None
    train: tuple[str, ...] = ("train",)
    test: tuple[str, ...] = ("test",)
    categories: Literal["leaves", "closed"] = "leaves"
    flat: bool = False

    def corpora(self) -> tuple[str, ...]:
        """Give the name of its corpus."""
        return (self.corpus,)

    def check(self) -> None:
        """Refuse a method, setting, selection or decision that there is not."""
        find_method(self.method).configure(self.settings)
        if self.selection is not None:
            parse_selection(self.selection)
        if self.decision is not None:
            parse_decision(self.decision)


class Problem(NamedTuple):
    """Counted text and labels, to learn from and to be tested on."""

    hierarchy: Hierarchy
    reader: Reader
    counts: csr_array
    labels: list[list[str] | None]
    test_counts: csr_array
    truth: csr_array


class Learned(NamedTuple):
    """A fitted classifier, the documents to test it on, the truth about them, and the processor's seconds it took.

    `categories` are the positions of those that are measured; the leaves by default.
    """

    classifier: HierarchicalClassifier
    X: csr_array
    truth: csr_array
    seconds: float
    categories: npt.NDArray[np.intp] | None = None


def learn(parameters: Learning, surroundings: Surroundings) -> Learned:
    """Fit a method; the time is that of selecting terms, weighting and learning."""
    _, text = find_method(parameters.method).configure(parameters.settings)
    problem = surroundings.keep(
        "problem",
        (parameters.corpus, parameters.train, parameters.test, text),
        lambda: _problem(surroundings.corpus(parameters.corpus), parameters, text),
    )
    closed = flattened(problem) if parameters.flat or parameters.categories == "closed" else problem
    learned_from = closed if parameters.flat else problem
    classifier = built(parameters, learned_from, surroundings)
    start = time.process_time()
    columns = _selected(parameters, closed)
    reader = problem.reader if parameters.selection is None else problem.reader.selected(columns)
    weighed, weigh = reader.weigh(csr_array(problem.counts[:, columns]))
    with whole():
        classifier.fit(weighed, learned_from.labels)
    seconds = time.process_time() - start
    X = weigh(csr_array(problem.test_counts[:, columns]))
    categories = _with_documents(closed) if parameters.categories == "closed" else None
    return Learned(classifier, X, learned_from.truth, seconds, categories)


def built(parameters: Learning, problem: Problem, surroundings: Surroundings) -> HierarchicalClassifier:
    """Give the classifier of a method, to be fitted."""
    learner, _ = find_method(parameters.method).configure(parameters.settings)
    classifier: HierarchicalClassifier = learner.build(surroundings.seed, surroundings.jobs)
    classifier.set_params(hierarchy=problem.hierarchy)
    if parameters.decision is not None:
        classifier.set_params(decision=parameters.decision)
    return classifier


def _with_documents(problem: Problem) -> npt.NDArray[np.intp]:
    """Give the positions of the categories that a training document has."""
    held = {label for labels in problem.labels for label in labels or ()}
    return np.flatnonzero([name in held for name in problem.hierarchy.names])


def flattened(problem: Problem) -> Problem:
    """Give the problem in which every node is a category by itself, with the documents at and below it."""
    names = problem.hierarchy.names
    above = csr_array(problem.hierarchy.close(encode(problem.labels, problem.hierarchy).indicator))
    rows = zip(problem.labels, above.indptr[:-1], above.indptr[1:], strict=True)
    labels = [None if own is None else [names[node] for node in above.indices[a:b]] for own, a, b in rows]
    truth = csr_array(problem.hierarchy.close(problem.truth))
    return problem._replace(hierarchy=Hierarchy.flat(names), labels=labels, truth=truth)


@contextmanager
def whole() -> Iterator[None]:
    """Be interrupted for good: a booster keeps the rounds it has done, and says so, but half a fit measures nothing."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="interrupted")
        try:
            yield
        except UserWarning as warning:
            if not str(warning).startswith("interrupted"):
                raise
            raise KeyboardInterrupt from None


def evaluate(
    learned: Learned, predicted: csr_array, first: npt.NDArray[np.int32], further: Mapping[str, float]
) -> Measured:
    """Give all measures of a summary under names with points, and what else was measured."""
    summary = summarise(learned.truth, predicted, first, learned.classifier.hierarchy_)
    measured = {name: float(value) for name, value in summary.items() if not isinstance(value, dict)}
    for part, values in summary.items():
        if isinstance(values, dict):
            measured |= {f"{part}.{name}": float(value) for name, value in values.items()}
    return measured | _over_categories(learned, predicted) | dict(further)


def _over_categories(learned: Learned, predicted: csr_array) -> Measured:
    """Give F1 over the categories that count, and what may be meant by macro-F1 beside the mean of F1.

    `means.f1` is F1 of the mean precision and the mean recall, `means.half` half their sum; in both a category to which
    nothing is assigned has a precision of 1.
    """
    tree = learned.classifier.hierarchy_
    counts = Counts.per_node(tree.close(learned.truth), tree.close(predicted))
    counts = counts.at(tree.leaves if learned.categories is None else learned.categories)
    scores = FlatScores.from_counts(counts)
    precision, recall = float(counts.precision(1.0).mean()), float(counts.recall().mean())
    return {
        "categories.micro_f1": scores.micro_f1,
        "categories.macro_f1": scores.macro_f1,
        "means.f1": 2 * precision * recall / (precision + recall) if recall else 0.0,
        "means.half": (precision + recall) / 2,
    }


def flat_over(labels: Sequence[Sequence[str] | None]) -> Hierarchy:
    """Give the hierarchy of a corpus that has none."""
    return Hierarchy.flat(sorted({label for one in labels for label in one or ()}))


def _problem(corpus: Corpus, parameters: Learning, text: TextSettings) -> Problem:
    train, test = corpus.select(parameters.train), corpus.select(parameters.test)
    hierarchy = corpus.hierarchy or flat_over([*train.labels, *test.labels])
    reader, counts = Reader.learn(text, train.documents)
    truth = encode(test.labels, hierarchy)
    rows = np.flatnonzero(truth.labelled)
    test_counts = reader.rows([test.documents[row] for row in rows])
    return Problem(hierarchy, reader, counts, list(train.labels), test_counts, csr_array(truth.indicator[rows]))


def _selected(parameters: Learning, problem: Problem) -> npt.NDArray[np.intp]:
    if parameters.selection is None:
        return np.arange(problem.counts.shape[1])
    selector = parse_selection(parameters.selection).set_params(hierarchy=problem.hierarchy)
    support: npt.NDArray[np.intp] = selector.fit(problem.counts, problem.labels).support_
    return support


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
