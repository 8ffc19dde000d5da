"""Rounds, iterations and searches on worker processes of this machine: what they take, to compare a simulation with."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

import classmark
from classmark.boosting.spread import SpreadEngine
from classmark.generative.em import counting, learn
from classmark.generative.examples import Rules, Stage, Stages
from classmark.index import InvertedIndex
from simulation.costs import boosting_shape, em_examples, em_shape, made, worker_seconds
from simulation.problems import Boosting, Em, Neighbours

ROUNDS, WARM = 12, 3
STUMPS, QUERIES, NEAREST = 20, 200, 50


class Figures(NamedTuple):
    """What a round or an iteration takes.

    Attributes
    ----------
    start : float
        Seconds until every worker has its part.
    seconds, cpu : float
        Of one question on the clock, and of all processes together in CPU time.
    sent, received : float
        Bytes to all workers together, and back.
    memory : float
        The peak of a worker in bytes.
    """

    start: float
    seconds: float
    cpu: float
    sent: float
    received: float
    memory: float


def peak(place: Any) -> float:
    """Give the most memory that a worker has had, in bytes."""
    found = place.client.run(os.getpid).values()
    lines = [line for one in found for line in Path(f"/proc/{one}/status").read_text().splitlines()]
    return 1024.0 * max(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def engine_on(place: Any, X: csr_array, Y: csr_array) -> SpreadEngine:
    """Spread a problem of boosting."""
    epsilon = 1.0 / (Y.shape[0] * Y.shape[1])
    return SpreadEngine(place, X, Y, np.ones(X.shape[0]), prediction=0, choice=0, epsilon=epsilon)


def load_kernels(place: Any) -> None:
    """Let every worker load what rounds and searches need, by small problems."""
    index = InvertedIndex(n_jobs=1)
    index.add(made(200, 100, 4)[0])
    index.top(made(2, 100, 4)[0], 1)
    engine = engine_on(place, *made(200, 100, 4))
    with engine.running():
        engine.best(1)
        engine.apply(1)
    # What the index has there is not part of what is measured next.
    place.close()


def at_rest() -> tuple[float, float]:
    """Give the memory of a worker that has done next to nothing, and the seconds in which it has loaded kernels."""
    with classmark.cluster("local:1") as place:
        begun = time.perf_counter()
        load_kernels(place)
        return peak(place), time.perf_counter() - begun


def timed(place: Any, work: Callable[[], object]) -> tuple[float, float]:
    """Do the same several times; give the median of the clock and the mean of the CPU time of all processes."""
    for _ in range(WARM):
        work()
    walls, cpu = [], time.process_time() + worker_seconds(place)
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        work()
        walls.append(time.perf_counter() - begun)
    return float(np.median(walls)), (time.process_time() + worker_seconds(place) - cpu) / ROUNDS


def boosting(workers: int, documents: int, terms: int, labels: int) -> tuple[Boosting, Figures]:
    """Run rounds; give the problem, with the documents that the pivots were in, and what it took."""
    X, Y = made(documents, terms, labels)
    columns: list[Any] = []
    with classmark.cluster(f"local:{workers}") as place:
        load_kernels(place)
        before = place.sent, place.received, place.questions
        engine = engine_on(place, X, Y)

        def one_round() -> None:
            columns.append(engine.best(STUMPS).columns)
            engine.apply(STUMPS)

        begun = time.perf_counter()
        with engine.running():
            began = time.perf_counter() - begun
            seconds, cpu = timed(place, one_round)
            memory = peak(place)
    found = np.bincount(X.indices, minlength=terms)
    shape = boosting_shape(X, labels, STUMPS, float(np.mean([found[some].sum() for some in columns[WARM:]])))
    # The first question asks for the first proposals alone.
    questions = place.questions - before[2]
    sent, received = (place.sent - before[0]) / (questions - 1), (place.received - before[1]) / questions
    return shape, Figures(began, seconds, cpu, sent, received, memory)


class Clock(Stages):
    """When each iteration has ended, on the clock and in the CPU time of all processes."""

    def __init__(self, place: Any) -> None:
        super().__init__()
        self.place = place
        self.seconds: list[float] = []
        self.cpu: list[float] = []
        self.since = time.perf_counter()

    def keep(self, stage: Stage) -> None:
        """Note the time."""
        self.seconds.append(time.perf_counter() - self.since)
        self.cpu.append(time.process_time() + worker_seconds(self.place))
        self.since = time.perf_counter()


def em(workers: int, documents: int, terms: int, labels: int) -> tuple[Em, Figures]:
    """Run iterations; give the problem and what it took."""
    examples, known = em_examples(documents, terms, labels), np.ones(terms, dtype=bool)

    def rules(max_iter: int, stages: Stages) -> Rules:
        return Rules(max_iter=max_iter, tol=0, n_jobs=1, stages=stages)

    with classmark.cluster(f"local:{workers}") as place:
        learn(examples, known, rules(1, Stages()))
        begun = time.perf_counter()
        with counting(examples, rules(1, Stages()), iterates=True):
            began = time.perf_counter() - begun
        before, clock = (place.sent, place.received, place.questions), Clock(place)
        learn(examples, known, rules(WARM + ROUNDS, clock))
        memory = peak(place)
    # The first question counts the labelled documents, and sends nothing; the last stage is kept twice.
    questions = place.questions - before[2]
    sent, received = (place.sent - before[0]) / (questions - 1), (place.received - before[1]) / questions
    seconds, cpu = np.median(clock.seconds[WARM:-1]), np.diff(clock.cpu[WARM - 1 : -1]).mean()
    return em_shape(examples), Figures(began, float(seconds), float(cpu), sent, received, memory)


def queries_of(terms: int) -> csr_array:
    """Give queries, which are documents of the same kind as the others."""
    return made(QUERIES, terms, 10, seed=1, length=40)[0]


def neighbours(workers: int, documents: int, terms: int, labels: int) -> tuple[Neighbours, Figures]:
    """Search an index; give the problem and what it took."""
    X, queries = made(documents, terms, labels)[0], queries_of(terms)
    index = InvertedIndex(n_jobs=1)
    index.add(X)
    with classmark.cluster(f"local:{workers}") as place:
        load_kernels(place)
        begun = time.perf_counter()
        index.top(queries, NEAREST)
        began = time.perf_counter() - begun
        parts: Any = index._parts(place)._residents
        before = parts.sent, parts.received, parts.questions
        seconds, cpu = timed(place, lambda: index.top(queries, NEAREST))
        questions = parts.questions - before[2]
        sent, received = (parts.sent - before[0]) / questions, (parts.received - before[1]) / questions
        memory = peak(place)
    shape = Neighbours(documents, X.nnz, QUERIES, round(queries.nnz / QUERIES), NEAREST)
    return shape, Figures(began, seconds, cpu, sent, received, memory)
