"""`validation`: documents cut from the training set at random, a method trained on the others, label sets compared.

As in lshtc_knn_2014, sections "Validation" and "Results": the measure is the cosine of label sets.
"""

import time
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from classmark.data import Corpus
from classmark.errors import InputError
from classmark.labels import encode
from classmark.metrics import cosine_accuracy
from classmark.reader import Reader
from classmark.registry import find_method
from classmark.text import TextSettings
from reproductions.experiments.base import Experiment
from reproductions.experiments.learning import Learned, Learning, Problem, built, evaluate, flat_over
from reproductions.surroundings import Surroundings
from reproductions.verdicts import Measured


class Validation(Learning, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A method, a corpus, and how many of its training documents to measure on."""

    documents: int = 3000

    def check(self) -> None:
        """Refuse what there is not, and an empty cut."""
        super().check()
        if self.documents < 1:
            raise InputError(f"documents={self.documents}: must be an integer >= 1")


def run(conditions: Sequence[Validation], surroundings: Surroundings) -> list[Measured]:
    """Measure each condition by a fit of its own."""
    return [_measure(condition, surroundings) for condition in conditions]


def _measure(condition: Validation, surroundings: Surroundings) -> Measured:
    _, text = find_method(condition.method).configure(condition.settings)
    problem = surroundings.keep(
        "problem",
        (condition.corpus, condition.train, condition.documents, text),
        lambda: _problem(surroundings.corpus(condition.corpus), condition, text, surroundings.seed),
    )
    classifier = built(condition, problem, surroundings)
    start = time.process_time()
    weighed, weigh = problem.reader.weigh(problem.counts)
    classifier.fit(weighed, problem.labels)
    seconds = time.process_time() - start
    X = weigh(problem.test_counts)
    start = time.process_time()
    predicted = classifier.predict_indicator(X)
    each = (time.process_time() - start) / X.shape[0]
    learned = Learned(classifier, X, problem.truth, seconds)
    tree = problem.hierarchy
    cosine = cosine_accuracy(tree.own(tree.close(problem.truth)), tree.own(predicted))
    further = {"cosine": cosine, "train_seconds": seconds, "seconds_a_document": each}
    return evaluate(learned, predicted, classifier.predict_first(X), further)


def _problem(corpus: Corpus, condition: Validation, text: TextSettings, seed: int) -> Problem:
    documents = corpus.select(condition.train)
    labels = documents.labels
    hierarchy = corpus.hierarchy or flat_over(labels)
    truth = encode(labels, hierarchy)
    labelled = np.random.default_rng(seed).permutation(np.flatnonzero(truth.labelled))
    if labelled.size <= condition.documents:
        raise InputError(
            f"{corpus.source}: {labelled.size} labelled documents, and {condition.documents} to measure on"
        )
    held_out, learned = np.sort(labelled[: condition.documents]), np.sort(labelled[condition.documents :])
    reader, counts = Reader.learn(text, documents.documents)
    return Problem(
        hierarchy,
        reader,
        csr_array(counts[learned]),
        [labels[row] for row in learned],
        csr_array(counts[held_out]),
        csr_array(truth.indicator[held_out]),
    )


VALIDATION = Experiment(Validation, run)
