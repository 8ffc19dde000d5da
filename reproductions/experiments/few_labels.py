"""`few-labels`: all documents pooled, divided anew by every seed, and most training labels hidden.

The protocol of path_prediction_2019, section 5: by each seed so many documents at random are for training and the
others for the test, and a share of the training documents, at random too, keeps its labels. Methods that can learn
from the others do. Methods are compared in pairs: the same seed gives each the same documents.
"""

import time
from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Meta
from scipy.sparse import csr_array

from classmark.base import HierarchicalClassifier
from classmark.data import Corpus
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.labels import encode
from classmark.metrics import summarise
from classmark.reader import Reader
from classmark.registry import find_method
from classmark.text import TextSettings
from reproductions.experiments.base import Experiment, Parameters, over_repetitions
from reproductions.surroundings import Surroundings
from reproductions.verdicts import Measured

Rows: TypeAlias = npt.NDArray[np.intp]
Teacher: TypeAlias = Callable[[Any, csr_array, Rows, npt.NDArray[np.bool_]], None]


class FewLabels(Parameters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A method, a corpus, how many documents are for training, which share of them is labelled, and the seeds.

    `learner` changes parameters of the classifier that the method has no setting for. A run with the seed s uses the
    seeds from s + `first_seed` on. `nodes` is the number of categories that the hierarchy must have: a corpus may come
    with another tree than the paper's.
    """

    corpus: str
    method: str
    settings: dict[str, Any] = msgspec.field(default_factory=dict)
    learner: dict[str, Any] = msgspec.field(default_factory=dict)
    training: Annotated[int, Meta(ge=1)]
    labelled: Annotated[float, Meta(gt=0, le=1)]
    seeds: Annotated[int, Meta(ge=1)] = 20
    first_seed: Annotated[int, Meta(ge=0)] = 0
    nodes: Annotated[int, Meta(ge=1)] | None = None

    def corpora(self) -> tuple[str, ...]:
        """Give the name of its corpus."""
        return (self.corpus,)

    def check(self) -> None:
        """Refuse a method, a setting or a parameter that there is not."""
        find_method(self.method).configure(self.settings)[0].build(0, None).set_params(**self.learner)


class Pool(NamedTuple):
    """All labelled documents of a corpus, counted; `rows` are their places in the corpus."""

    hierarchy: Hierarchy
    reader: Reader
    rows: Rows
    counts: csr_array
    labels: list[list[str] | None]
    truth: csr_array


class Division(NamedTuple):
    """Which documents of a pool are for training and labelled, for training and not labelled, and for the test."""

    labelled: Rows
    unlabelled: Rows
    test: Rows


def divide(documents: int, training: int, share: float, seed: int) -> Division:
    """Divide so many documents at random.

    >>> [len(part) for part in divide(18_846, 15_077, 0.01, seed=100)]
    [150, 14927, 3769]
    """
    if training >= documents:
        raise InputError(f"{training} of {documents} documents are for training; leave some for the test")
    random = np.random.default_rng(seed)
    order = random.permutation(documents)
    train, test = order[:training], order[training:]
    chosen = random.permutation(training) < max(1, int(share * training))
    return Division(train[chosen], train[~chosen], test)


def run(conditions: Sequence[FewLabels], surroundings: Surroundings) -> list[Measured]:
    """Measure each condition over all its seeds."""
    return [_measure(condition, surroundings) for condition in conditions]


def averaged(condition: FewLabels, surroundings: Surroundings, measure: Callable[[int], Measured]) -> Measured:
    """Measure for every seed, and give means, deviations and the figures of the seeds."""
    first = surroundings.seed + condition.first_seed
    found = {seed: measure(seed) for seed in range(first, first + condition.seeds)}
    measured = over_repetitions(found)
    # The first fit compiles kernels, and the machine has other things to do: neither moves the median.
    measured["train_seconds"] = float(np.median([one["train_seconds"] for one in found.values()]))
    return measured


def pool_of(condition: FewLabels, surroundings: Surroundings) -> Pool:
    """Count the documents of a condition's corpus as its method likes them, or give those counted last."""
    text = find_method(condition.method).configure(condition.settings)[1]
    pool = surroundings.keep(
        "pool", (condition.corpus, text), lambda: _pool(surroundings.corpus(condition.corpus), text)
    )
    if condition.nodes not in (None, len(pool.hierarchy)):
        raise InputError(
            f"{condition.corpus}: {len(pool.hierarchy)} categories, and the paper's tree has {condition.nodes}; "
            "put a dataset folder with that tree into --data"
        )
    return pool


def measure_once(condition: FewLabels, pool: Pool, surroundings: Surroundings, seed: int, teach: Teacher) -> Measured:
    """Teach a classifier by one seed, and evaluate it over all nodes.

    `teach` takes the classifier, the training documents, their places in the pool, and which of them are labelled; the
    others are among them where the classifier can use them.
    """
    learner, _ = find_method(condition.method).configure(condition.settings)
    classifier = learner.build(seed, surroundings.jobs).set_params(hierarchy=pool.hierarchy, **condition.learner)
    labelled, unlabelled, test = divide(len(pool.rows), condition.training, condition.labelled, seed)
    # In order of their numbers, so that a matrix is read from front to back.
    rows = np.sort(np.concatenate([labelled, unlabelled]) if classifier.uses_unlabelled else labelled)
    start = time.process_time()
    learned, weigh = pool.reader.weigh(csr_array(pool.counts[rows]))
    teach(classifier, learned, rows, np.isin(rows, labelled))
    seconds = time.process_time() - start
    X = weigh(csr_array(pool.counts[test]))
    predicted, first = classifier.predict_both(X)
    nodes = summarise(csr_array(pool.truth[test]), predicted, first, pool.hierarchy)["nodes"]
    return {"micro_f1": nodes["micro_f1"], "macro_f1": nodes["macro_f1"], "train_seconds": seconds}


def _measure(condition: FewLabels, surroundings: Surroundings) -> Measured:
    pool = pool_of(condition, surroundings)

    def teach(classifier: HierarchicalClassifier, X: csr_array, rows: Rows, known: npt.NDArray[np.bool_]) -> None:
        classifier.fit(X, [pool.labels[row] if one else None for row, one in zip(rows, known, strict=True)])

    return averaged(condition, surroundings, lambda seed: measure_once(condition, pool, surroundings, seed, teach))


def _pool(corpus: Corpus, text: TextSettings) -> Pool:
    """Count all documents together: the methods here pass over terms that no training document has."""
    if corpus.hierarchy is None:
        raise InputError(f"{corpus.source}: no hierarchy; few-labels evaluates over all nodes of one")
    encoded = encode(corpus.labels, corpus.hierarchy)
    rows = np.flatnonzero(np.diff(encoded.indicator.indptr) > 0)
    reader, counts = Reader.learn(text, [corpus.documents[row] for row in rows])
    labels = [corpus.labels[row] for row in rows.tolist()]
    return Pool(corpus.hierarchy, reader, rows, counts, labels, csr_array(encoded.indicator[rows]))


FEW_LABELS = Experiment(FewLabels, run)
