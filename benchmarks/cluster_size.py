"""How far a cluster goes: a simulation that is calibrated on one worker, checked on 1, 2 and 4, and taken to 100.

In one run: what Dask's messages and the kernels of boosting, EM and neighbours cost (`simulation.costs`); then two
problems of each on 1, 2 and 4 worker processes of this machine (`simulation.runs`) beside what the simulation says of
them: seconds, bytes and memory; then the same for up to 100 workers and 100 million documents, and what of it does not
fit into memory. `--markdown` prints the tables as `docs/cluster-size.md` has them.

Needs the extra `dask`, Linux for the memory, and cores that nobody else uses for the seconds; CPU time minds less.
"""

import argparse
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from simulation import costs, runs
from simulation.events import Machines, Messages, busy, question, start
from simulation.problems import Memory, Neighbours, Problem, boosting_of, em_of
from simulation.runs import Figures

from classmark.arrays import Floats
from classmark.parallel import n_cores

WORKERS = 1, 2, 4
DRAWS = 20
"""How many questions are simulated, each part with a factor drawn from the times that were measured."""
WITHIN = 1.25
"""By what factor a simulation that agrees may be wrong."""
MOST_MEMORY = 64e9
DOCUMENTS = 10**6, 10**7, 10**8
MANY = 1, 10, 30, 64, 100
LINKS = {"1 Gbit/s": 125e6, "10 Gbit/s": 1250e6}
LATENCY = 1e-4
"""Of a network of one place, one way."""
LABELS, LENGTH, ASKED = 100, 100, 20
"""The corpus of the extrapolation: categories, terms of a document, terms of a query."""

SIZES = {
    "boosting": ((40_000, 20_000, 100), (100_000, 40_000, 100)),
    "EM": ((40_000, 10_000, 50), (100_000, 20_000, 50)),
    "neighbours": ((50_000, 40_000, 10), (100_000, 40_000, 10)),
}
"""Documents, terms and categories of the checks."""
RUNS: dict[str, Any] = {"boosting": runs.boosting, "EM": runs.em, "neighbours": runs.neighbours}
CORPORA: dict[str, Any] = {
    "boosting": lambda documents: boosting_of(documents, LENGTH, LABELS, runs.STUMPS),
    "EM": lambda documents: em_of(documents, LENGTH, LABELS),
    "neighbours": lambda documents: Neighbours(documents, documents * LENGTH, runs.QUERIES, ASKED, runs.NEAREST),
}


class Costs(NamedTuple):
    """All that was measured on one worker: messages, what each kind of problem costs, and how far times differ.

    And on two at once: how much longer work takes while another worker is at work.
    """

    messages: Messages
    of: dict[str, Any]
    factors: Floats
    crowded: float


def calibrated(scale: float) -> Costs:
    """Measure, and print what was found."""
    size = [round(scale * each) for each in (60_000, 30_000, 15_000, 40_000)]
    boosting, factors = costs.on_a_worker(costs.boosting_costs, size[0], size[1], 100, runs.STUMPS)
    searches = (size[1], size[0]), size[3], runs.queries_of(size[3]), runs.NEAREST
    found = {
        "boosting": boosting,
        "EM": costs.on_a_worker(costs.em_costs, size[0], size[2], 50),
        "neighbours": costs.on_a_worker(costs.neighbour_costs, *searches),
    }
    messages, crowded = costs.messages(), costs.crowding(size[1], size[2], 50)
    told: dict[str, Any] = {"messages": messages, **found}
    for name, part in told.items():
        print(f"{name}: " + ", ".join(f"{what} {value:.3g}" for what, value in part._asdict().items()))
    low, high = np.percentile(factors, [10, 90])
    print(f"equal searches take {low:.2f} to {high:.2f} of their median, 80 % of them; at most {factors.max():.2f}")
    print(f"while another worker is at work, work takes {crowded:.2f} times as long")
    return Costs(messages, found, factors, crowded)


def simulated(name: str, problem: Problem, machines: Machines, known: Costs) -> Figures:
    """Say what a question takes."""
    random, work = np.random.default_rng(0), problem.work(machines, known.of[name])
    drawn = [random.choice(known.factors, len(work.parts)).tolist() for _ in range(DRAWS)]
    build = problem.build(machines, known.of[name])
    return Figures(
        start=start(len(work.parts), problem.part_bytes(machines), build, machines, known.messages),
        seconds=float(np.median([question(work, machines, known.messages, some) for some in drawn])),
        cpu=busy(work, machines, known.messages),
        sent=work.sent * len(work.parts),
        received=sum(work.received),
        memory=problem.memory(machines).worker,
    )


Compared = tuple[str, int, int, Figures, Figures]


def compared(known: Costs, scale: float) -> Iterator[Compared]:
    """Give what was measured and what is simulated: what, documents and workers, and the figures of both."""
    resting, loading = runs.at_rest()
    print(f"a worker at rest has {resting / 1e6:.0f} MB; it takes {loading:.1f} s until it has loaded kernels\n")
    for name, sizes in SIZES.items():
        for documents, terms, labels in sizes:
            for workers in WORKERS:
                problem, found = RUNS[name](workers, round(scale * documents), round(scale * terms), labels)
                shared = Machines(workers, cores=n_cores(), crowded=known.crowded if workers > 1 else 1.0)
                said = simulated(name, problem, shared, known)
                yield name, documents, workers, found, said._replace(memory=said.memory + resting)


UNITS = {"start": 1e3, "seconds": 1e3, "cpu": 1e3, "sent": 1e-3, "received": 1e-3, "memory": 1e-6}
CHECK_HEAD = (
    "what",
    "documents",
    "workers",
    "start, ms",
    "a question, ms",
    "CPU of all, ms",
    "kB sent",
    "kB received",
    "MB of a worker",
)


def check_row(one: Compared) -> list[str]:
    """Give the cells of a row: measured, simulated, and their ratio."""
    name, documents, workers, found, said = one
    cells = []
    for field, unit in UNITS.items():
        measured, told = unit * getattr(found, field), unit * getattr(said, field)
        cells.append(f"{measured:,.0f} / {told:,.0f} ({told / measured:.2f})")
    return [name, f"{documents:,}", str(workers), *cells]


def verdict(rows: list[Compared]) -> None:
    """Print how far the simulation is from what was measured."""
    for field in UNITS:
        for name in SIZES:
            pairs = [
                (getattr(found, field), getattr(said, field)) for which, _, _, found, said in rows if which == name
            ]
            ratios = np.array([said / found for found, said in pairs])
            good = int(((ratios <= WITHIN) & (ratios >= 1 / WITHIN)).sum())
            print(
                f"  {field} of {name}: simulated / measured {ratios.min():.2f} to {ratios.max():.2f}, "
                f"{good} of {len(ratios)} within a factor of {WITHIN}{'' if good == len(ratios) else ': NO'}"
            )
    print()


def extrapolated(known: Costs, name: str) -> Iterator[list[str]]:
    """Give rows of what is simulated for many workers, each on a machine of its own."""
    for documents in DOCUMENTS:
        problem: Problem = CORPORA[name](documents)
        alone: dict[str, float] = {}
        for workers in MANY:
            cells = []
            for link, bandwidth in LINKS.items():
                machines = Machines(workers, bandwidth=bandwidth, latency=LATENCY)
                said = simulated(name, problem, machines, known)
                fastest = alone.setdefault(link, said.seconds)
                cells.append(f"{duration(said.seconds)} ({fastest / said.seconds:.1f})")
            memory = problem.memory(machines)
            through, needed = amount(said.sent + said.received), (amount(memory.worker), amount(memory.driver))
            yield [amount_of(documents), str(workers), *cells, duration(said.start), through, *needed, breaks(memory)]


def breaks(memory: Memory) -> str:
    """Say who needs more memory than a machine has, and whether shards would help.

    >>> breaks(Memory(80e9, 70e9, 1e9, 20e9))
    'worker; driver, unless in shards'
    """
    told = []
    for who in ("worker", "driver"):
        needed, documents = getattr(memory, who), getattr(memory, f"{who}_documents")
        if needed > MOST_MEMORY:
            told.append(who if needed - documents > MOST_MEMORY else f"{who}, unless in shards")
    return "; ".join(told)


def duration(seconds: float) -> str:
    """Give seconds in words.

    >>> duration(0.0123), duration(12.3), duration(4000)
    ('12 ms', '12.3 s', '67 min')
    """
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 600 else f"{seconds / 60:.0f} min"


def amount(n_bytes: float) -> str:
    """Give bytes in words.

    >>> amount(2_300_000), amount(8e10)
    ('2.3 MB', '80 GB')
    """
    power = min(3, max(1, int(math.log10(max(1.0, n_bytes)) // 3)))
    value = n_bytes / 1000**power
    return f"{value:.1f} {' kMG'[power]}B" if value < 10 else f"{value:,.0f} {' kMG'[power]}B"


def amount_of(documents: int) -> str:
    """Give a number of documents in words.

    >>> amount_of(10**7)
    '10 million'
    """
    return f"{documents // 10**6} million"


def line(cells: Sequence[str], markdown: bool) -> str:
    """Give a row of a table."""
    return "| " + " | ".join(cells) + " |" if markdown else "  ".join(cells)


def header(cells: Sequence[str], markdown: bool) -> None:
    """Print the head of a table."""
    print(line(cells, markdown))
    if markdown:
        print("|" + "---|" * len(cells))


def main(markdown: bool, scale: float) -> None:
    """Measure, check and extrapolate."""
    known = calibrated(scale)
    rows: list[Compared] = []
    for one in compared(known, scale):
        if not rows:
            header(CHECK_HEAD, markdown)
        rows.append(one)
        print(line(check_row(one), markdown), flush=True)
    print()
    verdict(rows)
    head = ("documents", "workers", *LINKS, "start", "through the driver", "a worker", "the driver", "over 64 GB")
    for name in SIZES:
        print(f"{name}, {LABELS} categories, {LENGTH} terms a document\n")
        header(head, markdown)
        for row in extrapolated(known, name):
            print(line(row, markdown))
        print()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", action="store_true", help="print tables for the documentation")
    parser.add_argument("--scale", type=float, default=1.0, help="how large the measured problems are")
    asked = parser.parse_args()
    main(asked.markdown, asked.scale)
