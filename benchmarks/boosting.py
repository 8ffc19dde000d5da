"""Boosting against the textbook, and what it costs.

In one run: rounds a second of CPU time of AdaBoost.MH on `reuters90` beside the textbook formulation, which is here:
two sparse products a round. The pivots must be the same. Then threads on a generated problem, TreeBoost.MH beside
AdaBoost.MH in training and prediction, scoring with a model of many rounds, and memory. `--plot FILE` draws the cost of
a round against documents, terms and labels on generated problems.

Needs the environment variable CLASSMARK_DATA, a folder with `reuters90`, for all but the generated problems.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits
from timing import in_turns

from classmark.boosting import AdaBoostMH, TreeBoostMH
from classmark.boosting.engine import TIED, Engine
from classmark.data import read_corpus
from classmark.hierarchy import Hierarchy
from classmark.labels import encode
from classmark.registry import METHODS
from classmark.text import TextVectoriser

N_ROUNDS = 40


class Textbook:
    """AdaBoost.MH as the formulas say, by two sparse products a round."""

    def __init__(self, X: csr_array, labels: csr_array) -> None:
        self.by_term = csr_array(X.T)
        self.positive = labels.toarray() != 0
        self.weights = np.full(labels.shape, 1.0 / (labels.shape[0] * labels.shape[1]))
        self.epsilon = 1.0 / self.weights.size
        self.pivots: list[int] = []

    def run(self) -> None:
        """Run one round."""
        positive = self.by_term @ (self.weights * self.positive)
        negative = self.by_term @ (self.weights * ~self.positive)
        all_positive, all_negative = (self.weights * sign for sign in (self.positive, ~self.positive))
        without_positive = np.maximum(all_positive.sum(axis=0) - positive, 0.0)
        without_negative = np.maximum(all_negative.sum(axis=0) - negative, 0.0)
        z = 2.0 * (np.sqrt(positive * negative) + np.sqrt(without_positive * without_negative)).sum(axis=1)
        pivot = int(np.argmax(z <= z.min() + TIED))
        present = self.by_term[[pivot]].toarray()[0] != 0
        answers = np.empty(self.weights.shape)
        for side in (present, ~present):
            sums = all_positive[side].sum(axis=0) + self.epsilon, all_negative[side].sum(axis=0) + self.epsilon
            answers[side] = 0.5 * np.log(sums[0] / sums[1])
        self.weights *= np.exp(np.where(self.positive, -answers, answers))
        self.weights /= self.weights.sum()
        self.pivots.append(pivot)


class Ours:
    """The engine, run as the textbook is."""

    def __init__(self, X: csr_array, labels: csr_array, n_threads: int = 1) -> None:
        n_documents, n_labels = labels.shape
        epsilon = 1.0 / (n_documents * n_labels)
        self.engine = Engine(X, labels, np.ones(n_documents), epsilon=epsilon, n_threads=n_threads)
        self.pivots: list[int] = []

    def run(self) -> None:
        """Run one round."""
        self.run_many(1)

    def run_many(self, n_estimators: int) -> None:
        """Run several rounds."""
        self.pivots += [int(stumps.columns[0]) for stumps, _ in self.engine.rounds(n_estimators)]


def generated(
    n_documents: int, n_terms: int, n_labels: int, seed: int = 0, length: int = 50
) -> tuple[csr_array, csr_array]:
    """Make documents of about so many Zipfian terms, with a label or two that some terms go with."""
    random = np.random.default_rng(seed)
    chances = 1.0 / np.arange(1, n_terms + 1)
    lengths = random.poisson(length, n_documents) + 1
    terms = random.choice(n_terms, lengths.sum(), p=chances / chances.sum())
    rows = np.repeat(np.arange(n_documents), lengths)
    labels = random.integers(n_labels, size=(n_documents, 2))
    telling = random.random(terms.size) < 0.2
    terms[telling] = (labels[rows[telling], 0] * 37 + random.integers(5, size=telling.sum())) % n_terms
    X = csr_array((np.ones(terms.size), (rows, terms)), shape=(n_documents, n_terms))
    X.data[:] = 1.0
    several = random.random(n_documents) < 0.2
    documents = np.concatenate([np.arange(n_documents), np.flatnonzero(several)])
    columns = np.concatenate([labels[:, 0], labels[several, 1]])
    Y = csr_array((np.ones(documents.size), (documents, columns)), shape=(n_documents, n_labels))
    Y.data[:] = 1.0
    return X, Y


def reuters(
    split: str, vectoriser: TextVectoriser | None = None
) -> tuple[csr_array, csr_array, Hierarchy, TextVectoriser]:
    """Read a split of `reuters90` as the method `adaboost-mh` reads it: X, own labels, hierarchy, vectoriser."""
    corpus = read_corpus(Path(os.environ["CLASSMARK_DATA"], "reuters90"))
    documents = corpus.select([split])
    text = METHODS["adaboost-mh"].text
    fitted = text.vectoriser().fit(documents.documents) if vectoriser is None else vectoriser
    X = csr_array(fitted.transform(documents.documents)).astype(np.float64)
    X.data[:] = 1.0
    assert corpus.hierarchy is not None
    return X, encode(documents.labels, corpus.hierarchy).indicator, corpus.hierarchy, fitted


def rounds_a_second(runners: list[Callable[[], object]]) -> list[float]:
    """Give each runner's best rounds a second of CPU time; they take turns, a few rounds at a time."""
    return [1.0 / seconds for seconds in in_turns(*runners)]


def many(run: Callable[[], None], times: int) -> Callable[[], None]:
    """Give a work of several rounds."""

    def work() -> None:
        for _ in range(times):
            run()

    return work


def against_the_textbook(X: csr_array, labels: csr_array) -> None:
    """Print the ratio of rounds a second, having checked that the pivots are the same."""
    ours, textbook = Ours(X, labels), Textbook(X, labels)
    for _ in range(N_ROUNDS // 4):  # compiles, and leaves the first rounds behind
        ours.run()
        textbook.run()
    fast, slow = in_turns(partial(ours.run_many, N_ROUNDS), many(textbook.run, N_ROUNDS // 8))
    fast, slow = fast / N_ROUNDS, slow / (N_ROUNDS // 8)
    common = min(len(ours.pivots), len(textbook.pivots))
    same = ours.pivots[:common] == textbook.pivots[:common]
    print(f"reuters90, one thread: {1e3 * fast:.2f} ms a round, textbook {1e3 * slow:.1f} ms: {slow / fast:.1f} times")
    print(f"the pivots of {common} rounds are {'the same' if same else 'NOT the same'}")
    engine = ours.engine
    x_bytes = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    table_bytes = engine.state.tables.nbytes + engine.pairs.negative.nbytes
    held = sum(array.nbytes for part in (engine.terms, engine.pairs, engine.state) for array in part)
    print(
        f"memory: X {x_bytes / 1e6:.1f} MB, tables and distribution {table_bytes / 1e6:.1f} MB, "
        f"all of the engine {held / 1e6:.1f} MB, that is the tables and {(held - table_bytes) / x_bytes:.1f} times X"
    )


def with_threads() -> None:
    """Print the gain of a second thread, by the clock, on a generated problem."""
    X, labels = generated(100_000, 50_000, 200)
    seconds, pivots = [], []
    for n_threads in (1, 2):
        ours = Ours(X, labels, n_threads)
        with ours.engine.running():
            many(ours.run, 3)()
            best = float("inf")
            for _ in range(5):
                start = time.perf_counter()
                many(ours.run, 5)()
                best = min(best, time.perf_counter() - start)
        seconds.append(best / 5)
        pivots.append(ours.pivots)
    print(
        f"100,000 documents, 50,000 terms, 200 labels: {1e3 * seconds[0]:.1f} ms a round on one thread, "
        f"{1e3 * seconds[1]:.1f} on two: {seconds[0] / seconds[1]:.2f} times; "
        f"the pivots are {'the same' if pivots[0] == pivots[1] else 'NOT the same'}"
    )


def trees(X: csr_array, labels: csr_array, hierarchy: Hierarchy, X_test: csr_array) -> None:
    """Print TreeBoost.MH's training and prediction times as shares of AdaBoost.MH's, and the time of scoring."""
    models = [kind(hierarchy=hierarchy) for kind in (AdaBoostMH, TreeBoostMH)]
    for n_estimators in (10, 100, 1000):
        for model in models:
            model.set_params(n_estimators=n_estimators)
        flat, tree = (min(_seconds(partial(model.fit, X, labels)) for _ in range(3)) for model in models)
        flat_answer, tree_answer = in_turns(*(partial(model.predict_indicator, X_test) for model in models))
        print(
            f"{n_estimators} rounds: AdaBoost.MH {flat:.2f} s, TreeBoost.MH {tree:.2f} s, {tree / flat:.2f} of it; "
            f"prediction {1e3 * flat_answer:.0f} and {1e3 * tree_answer:.0f} ms, {tree_answer / flat_answer:.2f} of it"
        )
    (scoring,) = in_turns(lambda: models[0].node_scores(X_test))
    print(f"scoring {X_test.shape[0]:,} documents with 1,000 rounds: {1e3 * scoring:.1f} ms")


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def cost_of_a_round(n_documents: int, n_terms: int, n_labels: int) -> float:
    """Give the milliseconds of a round on a generated problem."""
    ours = Ours(*generated(n_documents, n_terms, n_labels))
    many(ours.run, 3)()
    return 1e3 * in_turns(many(ours.run, 5))[0] / 5


def plot(file: str) -> None:
    """Draw the cost of a round against documents, terms and labels."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    base = {"n_documents": 20_000, "n_terms": 20_000, "n_labels": 100}
    figure, axes = pyplot.subplots(1, 3, figsize=(11, 3.2), sharey=True)
    for axis, (name, middle) in zip(axes, base.items(), strict=True):
        sizes = [middle // 8, middle // 4, middle // 2, middle, middle * 2, middle * 4]
        costs: npt.NDArray[np.float64] = np.array([cost_of_a_round(**(base | {name: size})) for size in sizes])
        axis.loglog(sizes, costs, "o-", color="#205080")
        axis.set_xlabel(name.removeprefix("n_"))
        axis.grid(True, which="both", alpha=0.3)
        print(name, *(f"{size}: {cost:.2f} ms" for size, cost in zip(sizes, costs, strict=True)))
    axes[0].set_ylabel("ms a round, one thread")
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})


def plot_ranks(file: str) -> None:
    """Draw Figure 2 of adaboost_mh_kr_2000: Z by the rank of the term, in rounds 3, 10, 50 and 90."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    X, labels, hierarchy, _ = reuters("train")
    own = hierarchy.own(hierarchy.close(labels))
    ours = Ours(X, csr_array(own[:, np.unique(own.indices)]))
    figure, axis = pyplot.subplots(figsize=(7, 3.6))
    for number in range(1, 91):
        if number in (3, 10, 50, 90):
            costs = ours.engine.best(ours.engine.terms.columns.size).costs
            axis.semilogx(np.arange(1, costs.size + 1), costs, label=f"round {number}")
        ours.run()
    axis.set_xlabel("rank of the term")
    axis.set_ylabel("Z")
    axis.legend()
    axis.grid(True, alpha=0.3)
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})


def main() -> None:
    """Print everything, or draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="FILE", help="draw the cost of a round instead, as SVG")
    parser.add_argument("--ranks", metavar="FILE", help="draw Z by rank instead, as SVG")
    given = parser.parse_args()
    with threadpool_limits(1):
        if given.plot or given.ranks:
            plot(given.plot) if given.plot else plot_ranks(given.ranks)
            return
        if "CLASSMARK_DATA" not in os.environ:
            print("CLASSMARK_DATA is not set: the part on reuters90 is left out", file=sys.stderr)
        else:
            X, labels, hierarchy, vectoriser = reuters("train")
            own = hierarchy.own(hierarchy.close(labels))
            against_the_textbook(X, csr_array(own[:, np.unique(own.indices)]))
            trees(X, labels, hierarchy, reuters("test", vectoriser)[0])
        with_threads()


if __name__ == "__main__":
    main()
