"""What a cluster costs and what it brings, in one run: rounds of boosting here, on one worker and on two.

A generated problem whose rounds take at least 100 ms: AdaBoost.MH^KR with committees of 20 stumps. Here, on one worker
of one thread and on two, each a process of its own on this machine: seconds a round, best of five; the bytes that a
round sends and receives beside what the formulas of the documentation say; and whether the pivots and Z have the same
bits. Then the iterations of EM in the same way. Needs the extra `dask`, and two cores that nobody else uses.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from boosting import generated
from scipy.sparse import csr_array, diags_array

import classmark
from classmark.boosting.engine import Engine
from classmark.boosting.spread import SpreadEngine
from classmark.generative.em import learn
from classmark.generative.examples import Examples, Rules

N_RUNS = 5
ROUNDS = 4
LENGTH = 120
"""How many terms a document has, about, before those that it has twice are counted once."""
FASTER, SLOWER, WITHIN = 1.6, 1.25, 0.10
"""What is asked of two workers, of one, and of the formulas."""


class Boosting:
    """Rounds of boosting on an engine, here or spread."""

    def __init__(self, engine: Any, stumps: int) -> None:
        self.engine, self.stumps = engine, stumps
        self.columns: list[npt.NDArray[np.int64]] = []
        self.z: list[float] = []

    def run(self) -> float:
        """Run some rounds; give the seconds of one."""
        start = time.perf_counter()
        for _ in range(ROUNDS):
            self.columns.append(self.engine.best(self.stumps).columns)
            self.z.append(self.engine.apply(self.stumps))
        return (time.perf_counter() - start) / ROUNDS

    def best(self) -> float:
        """Give the seconds of a round, best of five."""
        with self.engine.running():
            self.run()
            return min(self.run() for _ in range(N_RUNS))


def expected_bytes(
    columns: list[npt.NDArray[np.int64]], X: csr_array, labels: int, workers: int
) -> tuple[float, float]:
    """Give the bytes that a round sends and receives by the formulas of the documentation."""
    found = np.bincount(X.indices, minlength=X.shape[1])
    stumps = np.mean([len(some) for some in columns])
    documents = np.mean([found[some].sum() for some in columns])
    return workers * float(4 * documents + stumps * (16 * labels + 8)), workers * float(stumps * (16 * labels + 16))


def boosting(documents: int, terms: int, labels: int, stumps: int) -> None:
    """Compare rounds here with those on one worker and on two."""
    X, Y = generated(documents, terms, labels, length=LENGTH)
    given: dict[str, Any] = {"prediction": 0, "choice": 0, "epsilon": 1.0 / (documents * labels)}
    weight = np.ones(documents)
    print(f"boosting: {documents:,} documents, {terms:,} terms, {labels} categories, {stumps} stumps a round")
    here = Boosting(Engine(X, Y, weight, **given), stumps)
    seconds = {"here": here.best()}
    print(f"  here       {1000 * seconds['here']:7.1f} ms a round")
    for workers in (1, 2):
        with classmark.cluster(f"local:{workers}") as place:
            there = Boosting(SpreadEngine(place, X, Y, weight, **given), stumps)
            seconds[str(workers)] = there.best()
        assert there.z == here.z
        assert all(map(np.array_equal, there.columns, here.columns))
        sent, received = place.sent / place.questions, place.received / place.questions
        formula = expected_bytes(there.columns, X, labels, workers)
        print(
            f"  {workers} worker{'s' if workers > 1 else ' '}  {1000 * seconds[str(workers)]:7.1f} ms a round, "
            f"{sent:,.0f} bytes sent (formula {formula[0]:,.0f}), {received:,.0f} received ({formula[1]:,.0f})"
        )
        told(f"bytes of {workers}", max(abs(sent / formula[0] - 1), abs(received / formula[1] - 1)), WITHIN)
    told("1 worker / here", seconds["1"] / seconds["here"], SLOWER)
    told("2 workers are faster than 1 by", seconds["1"] / seconds["2"], FASTER, least=True)


def told(what: str, value: float, limit: float, *, least: bool = False) -> None:
    """Print a figure beside its limit."""
    good = value >= limit if least else value <= limit
    print(f"    {what}: {value:.2f} ({'at least' if least else 'at most'} {limit}{'' if good else ': NO'})")


def em(documents: int, terms: int, labels: int) -> None:
    """Compare iterations of EM here with those on one worker and on two."""
    X, Y = generated(documents, terms, labels)
    labelled = np.arange(documents) % 5 == 0
    scores = csr_array(diags_array(labelled / np.maximum(Y.sum(axis=1), 1)) @ Y)
    scores.eliminate_zeros()
    examples = Examples(X, scores, scores, np.ones(documents))
    known = np.ones(terms, dtype=bool)
    print(f"EM: {documents:,} documents, {terms:,} terms, {labels} categories")
    expected = learn(examples, known, Rules(max_iter=3, tol=0))[0]

    def seconds(run: Callable[[], Any]) -> float:
        times = []
        for _ in range(N_RUNS):
            start = time.perf_counter()
            assert run().log_terms.tobytes() == expected.log_terms.tobytes()
            times.append((time.perf_counter() - start) / 3)
        return min(times)

    def work() -> Any:
        return learn(examples, known, Rules(max_iter=3, tol=0))[0]

    print(f"  here       {1000 * seconds(work):7.1f} ms an iteration")
    for workers in (1, 2):
        with classmark.cluster(f"local:{workers}") as place:
            took = seconds(work)
        sent, received = place.sent / place.questions, place.received / place.questions
        print(
            f"  {workers} worker{'s' if workers > 1 else ' '}  {1000 * took:7.1f} ms an iteration, sending documents "
            f"included; a question sends {sent:,.0f} bytes and receives {received:,.0f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=180_000)
    parser.add_argument("--terms", type=int, default=60_000)
    parser.add_argument("--labels", type=int, default=300)
    parser.add_argument("--stumps", type=int, default=20)
    asked = parser.parse_args()
    boosting(asked.documents, asked.terms, asked.labels, asked.stumps)
    em(asked.documents, asked.terms // 6, asked.labels // 8)
