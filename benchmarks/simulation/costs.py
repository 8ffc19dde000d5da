"""What things cost on one worker of this machine: Dask's messages, and the kernels of methods.

Costs are seconds of CPU time, so that others at work on the machine matter little. Kernels run in the process of a
worker, whose memory behaves otherwise than that of others. What a round shares goes through the `_run` of an engine,
and is timed there; the rest of a round is what every worker does alike.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from boosting import generated
from scipy.optimize import nnls
from scipy.sparse import csr_array, diags_array
from timing import N_RUNS, best_of_five

import classmark
from classmark.arrays import Floats
from classmark.boosting.engine import rare
from classmark.boosting.spread import EnginePart, ranked
from classmark.generative.em import Tally, counting, maximise
from classmark.generative.examples import Examples, Rules
from classmark.index import InvertedIndex
from classmark.parallel.cluster.hosting import dumps
from simulation.events import Messages
from simulation.problems import Boosting, BoostingCosts, Em, EmCosts, NeighbourCosts

LENGTH = 120
"""How many terms a document has, about, before those that it has twice are counted once."""
ROUNDS, WARM = 30, 2
BIG = 8_000_000
"""The bytes of a large message."""
ASKED = ((1, 0, 0), (8, 0, 0), (1, BIG, 0), (1, 0, BIG), (4, BIG // 4, 0), (4, 0, BIG // 4))
"""Questions by which messages are measured: parts on the one worker, bytes to each and back."""


def made(documents: int, terms: int, labels: int, seed: int = 0, length: int = LENGTH) -> tuple[csr_array, csr_array]:
    """Make documents and labels, with indices of four bytes as texts that are counted have them."""
    X, Y = (
        csr_array((one.data, one.indices.astype(np.int32), one.indptr.astype(np.int32)), shape=one.shape)
        for one in generated(documents, terms, labels, seed, length)
    )
    return X, Y


class Echo:
    """A part that does nothing: so many bytes come, and so many go back."""

    def __init__(self, given: Any) -> None:
        self.given = given

    def answer(self, given: Any, count: int) -> Any:
        """Give so many bytes."""
        return np.zeros(count, dtype=np.uint8)


class Asked(NamedTuple):
    """What a question took: on the clock, and of the driver and the worker in CPU time."""

    wall: float
    driver: float
    worker: float


def ask(place: Any, parts: int, sent: int, received: int, times: int = 12) -> Asked:
    """Measure a question to some parts on one worker."""
    given, walls = np.zeros(sent, dtype=np.uint8), []
    with place.residents(Echo, [(None,)] * parts) as echoes:
        for _ in range(WARM):
            echoes.ask("answer", given, received)
        worker, driver = worker_seconds(place), time.process_time()
        for _ in range(times):
            begun = time.perf_counter()
            echoes.ask("answer", given, received)
            walls.append(time.perf_counter() - begun)
        driver, worker = time.process_time() - driver, worker_seconds(place) - worker
    return Asked(float(np.median(walls)), driver / times, worker / times)


def worker_seconds(place: Any) -> float:
    """Give the CPU seconds of all workers so far."""
    return float(sum(place.client.run(time.process_time).values()))


def messages() -> Messages:
    """Measure messages on one worker."""
    with classmark.cluster("local:1") as place:
        found = [ask(place, *each) for each in ASKED]
        small, large = (begin(place, size) for size in (0, BIG))
    factors = np.array([(parts, parts * sent, parts * received) for parts, sent, received in ASKED], dtype=np.float64)
    once = best_of_five(lambda: dumps(("answer", (np.zeros(BIG, dtype=np.uint8), 0)))) / BIG
    written = np.array([once * sent for _, sent, _ in ASKED])
    # Each question counts alike, the small ones too.
    driver = fitted(factors, np.maximum(0.0, [one.driver for one in found] - written))
    worker = fitted(factors, np.array([one.worker for one in found]))
    pause = max(0.0, found[0].wall - found[0].driver - found[0].worker)
    return Messages(
        driver=driver[0],
        worker=worker[0],
        driver_sent=driver[1],
        worker_sent=worker[1],
        driver_received=driver[2],
        worker_received=worker[2],
        written=once,
        pause=pause,
        begun=small,
        begun_byte=max(0.0, large - small) / BIG,
    )


def fitted(factors: Floats, seconds: Floats) -> list[float]:
    """Give what the factors cost, by least squares of the relative errors."""
    weights = 1.0 / np.maximum(seconds, 1e-6)
    return [float(cost) for cost in nnls(factors * weights[:, None], seconds * weights)[0]]


def begin(place: Any, size: int, times: int = 5) -> float:
    """Measure on the clock how long it takes to make a part of so many bytes."""
    walls, given = [], np.zeros(size, dtype=np.uint8)
    for _ in range(times):
        begun = time.perf_counter()
        with place.residents(Echo, [(given,)]):
            walls.append(time.perf_counter() - begun)
    return float(np.median(walls))


class Meter:
    """CPU seconds by the name of what is called, and how often."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.calls: Counter[str] = Counter()

    def run(self, function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a function with each tuple of arguments, as `in_turn` does."""
        return [self.timed(function.__name__, function, *each) for each in arguments]

    def timed(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function, and note under a name what it took."""
        begun = time.process_time()
        answer = function(*arguments)
        self.seconds[name] += time.process_time() - begun
        self.calls[name] += 1
        return answer


def boosting_shape(X: csr_array, labels: int, stumps: int, touched: float) -> Boosting:
    """Give the size of a problem."""
    frequent = int((np.bincount(X.indices, minlength=X.shape[1]) > rare(labels)).sum())
    return Boosting(X.shape[0], X.shape[1], frequent, X.nnz, labels, stumps, touched)


def boosting_costs(documents: int, terms: int, labels: int, stumps: int) -> tuple[BoostingCosts, Floats]:
    """Measure rounds with all terms in one part; give what things cost, and how far equal searches differ in time."""
    X, Y = made(documents, terms, labels)
    settings = {"prediction": 0, "choice": 0, "epsilon": 1.0 / (documents * labels)}
    EnginePart(Y, np.ones(documents), settings, X, np.arange(terms)).propose(stumps)  # compiles
    meter, making = Meter(), Meter()
    part = making.timed("part", EnginePart, Y, np.ones(documents), settings, X, np.arange(terms))
    part._run = making.run
    part._fill_tables()
    part._bound()
    part._run = meter.run
    touched = sum(one_round(part, meter, stumps) for _ in range(ROUNDS)) / ROUNDS
    shape = boosting_shape(X, labels, stumps, touched)
    shared = {name: meter.seconds[name] / ROUNDS for name in ("add_changes", "search", "sweep", "fill_tables")}
    step = (meter.seconds["absorb"] + meter.seconds["propose"]) / ROUNDS
    candidates = np.arange(50 * stumps)
    rest = making.seconds["part"] - making.seconds["fill_tables"] - making.seconds["sweep"]
    costs = BoostingCosts(
        change=shared["add_changes"] / (touched * X.nnz / documents * labels),
        search=shared["search"] / (shape.frequent * labels),
        alike=(step - sum(shared.values())) / (touched * labels),
        sweep=making.seconds["sweep"] / (documents * labels),
        sweeps=meter.calls["sweep"] / ROUNDS,
        choose=best_of_five(lambda: ranked(candidates, np.ones(len(candidates)), stumps)) / len(candidates),
        entry=max(0.0, rest) / X.nnz,
        fill=making.seconds["fill_tables"] / (X.nnz * labels),
    )
    return costs, spread_of(lambda: part.propose(stumps))


def one_round(part: EnginePart, meter: Meter, stumps: int) -> int:
    """Run a round; give how many documents have a pivot, those with two of them counted twice."""
    proposal = meter.timed("propose", part.propose, stumps)
    columns = proposal.columns[:stumps]
    documents = [part._documents_of(part._place_of[column]) for column in columns.tolist()]
    meter.timed("absorb", part.absorb, columns, documents, proposal.answers)
    return sum(map(len, documents))


def spread_of(work: Callable[[], object], times: int = 50) -> Floats:
    """Give the seconds of the same work, again and again, as shares of their median."""
    walls = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        walls.append(time.perf_counter() - begun)
    return np.array(walls) / np.median(walls)


def em_examples(documents: int, terms: int, labels: int, length: int = LENGTH) -> Examples:
    """Make documents of which one in five is labelled."""
    X, Y = made(documents, terms, labels, length=length)
    labelled = np.arange(documents) % 5 == 0
    scores = csr_array(diags_array(labelled / np.maximum(Y.sum(axis=1), 1)) @ Y)
    scores.eliminate_zeros()
    return Examples(X, scores, scores, np.ones(documents))


def em_shape(examples: Examples) -> Em:
    """Give the size of a problem."""
    documents, terms = examples.X.shape
    return Em(documents, terms, examples.X.nnz, examples.scores.shape[1])


def em_costs(documents: int, terms: int, labels: int) -> EmCosts:
    """Measure iterations without a cluster on documents of two lengths, to tell entries from documents."""
    rules, known, table = Rules(n_jobs=1), np.ones(terms, dtype=bool), terms * labels
    first, second = (Tally(np.ones((terms, labels)), np.ones(labels)) for _ in range(2))
    leaf = best_of_five(lambda: first.add(Tally(np.zeros((terms, labels)), second.totals))) / table
    factors, seconds = [], []
    for length in (LENGTH, LENGTH // 6):
        examples = em_examples(documents, terms, labels, length)
        shape = em_shape(examples)
        with counting(examples, rules, iterates=True) as count:
            mixture = maximise(count.first(), known, rules)
            took = best_of_five(partial(count.expect, mixture))
        factors.append((shape.entries * labels, documents * labels))
        seconds.append(max(1e-9, took - leaf * table * shape.leaves))
    # The mixture is made in the memory of the counts, so that each run needs its own.
    copies = iter([Tally(first.counts.copy(), first.totals.copy()) for _ in range(N_RUNS)])
    product, posterior = fitted(np.array(factors, dtype=np.float64), np.array(seconds))
    return EmCosts(
        product=product,
        posterior=posterior,
        leaf=leaf,
        add=best_of_five(lambda: first.add(second)) / table,
        maximise=best_of_five(lambda: maximise(next(copies), known, rules)) / table,
    )


def neighbour_costs(sizes: Sequence[int], terms: int, queries: csr_array, nearest: int) -> NeighbourCosts:
    """Measure searches in indexes of some sizes, a line through what they take; and what it takes to make the lists."""
    seconds, making, entries = [], 0.0, 0
    for documents in sizes:
        index, rows, meter = InvertedIndex(n_jobs=1), made(documents, terms, 10)[0], Meter()
        search = partial(index.top, queries, nearest, n_jobs=1)
        meter.timed("add", index.add, rows)
        meter.timed("weigh", search)
        again = best_of_five(search)
        seconds.append(again / queries.shape[0])
        making, entries = making + sum(meter.seconds.values()) - again, entries + rows.nnz
    factors = np.array([(1.0, documents) for documents in sizes])
    query, document = fitted(factors, np.array(seconds))
    return NeighbourCosts(query, document, making / entries)


def on_a_worker(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in the process of a worker."""
    with classmark.cluster("local:1") as place:
        return place.client.submit(function, *arguments, pure=False).result()


def crowding(documents: int, terms: int, labels: int) -> float:
    """Say how much longer an iteration of EM takes in CPU time while another worker does the same."""
    with classmark.cluster("local:2") as place:
        addresses = sorted(place.watch.some_worker("a worker"))

        def measured(on: list[str]) -> float:
            asked = [
                place.client.submit(an_iteration, documents, terms, labels, workers=[one], pure=False) for one in on
            ]
            return float(np.mean([one.result() for one in asked]))

        measured(addresses)  # compiles, or loads what is compiled
        alone = measured(addresses[:1])
        return max(1.0, measured(addresses) / alone)


def an_iteration(documents: int, terms: int, labels: int) -> float:
    """Give the CPU seconds of an iteration of EM, the mean of some."""
    rules, known = Rules(n_jobs=1), np.ones(terms, dtype=bool)
    with counting(em_examples(documents, terms, labels), rules, iterates=True) as count:
        mixture = maximise(count.first(), known, rules)
        count.expect(mixture)
        begun = time.process_time()
        for _ in range(ROUNDS):
            count.expect(mixture)
        return (time.process_time() - begun) / ROUNDS
