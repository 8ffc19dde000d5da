"""A question to the parts of a problem on a cluster, as events: who does what, after what, and who has to wait.

A question is a graph of steps. A step is done by one process or on one link, which does one at a time, those first that
were first ready. Processes of one machine share its cores evenly; links and waits need none. All messages leave and
come in by one link, that of the driver and the scheduler: so a broadcast of B bytes to W workers takes W B / bandwidth.
Nothing here is measured: what things cost is given (`costs`).
"""

import math
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Step(NamedTuple):
    """What one process or link does without a break, once the steps before it are done."""

    who: str
    seconds: float
    after: tuple[int, ...] = ()
    needs_core: bool = True


def finish(steps: Sequence[Step], cores: float = math.inf) -> float:
    """Give when the last step is done, on a machine of so many cores.

    >>> finish([Step("a", 2.0), Step("b", 1.0), Step("b", 4.0, (0,))])
    6.0
    >>> finish([Step("a", 2.0), Step("b", 1.0)], cores=1)
    3.0
    """
    open_before, followers = [len(step.after) for step in steps], defaultdict(list)
    for number, step in enumerate(steps):
        for before in step.after:
            followers[before].append(number)
    queues: dict[str, deque[int]] = defaultdict(deque)
    left: dict[int, float] = {}  # of the steps under way, in seconds of a whole core

    def ready(numbers: Iterable[int]) -> None:
        for number in numbers:
            queue = queues[steps[number].who]
            queue.append(number)
            if len(queue) == 1:
                left[number] = steps[number].seconds

    ready(number for number, count in enumerate(open_before) if not count)
    now = 0.0
    while left:
        at_work = sum(steps[number].needs_core for number in left)
        shared = min(1.0, cores / max(1, at_work))
        pace = {number: shared if steps[number].needs_core else 1.0 for number in left}
        took = min(left[number] / pace[number] for number in left)
        done = [number for number in left if left[number] / pace[number] <= took]
        now += took
        left = {number: seconds - took * pace[number] for number, seconds in left.items() if number not in done}
        for number in done:
            queue = queues[steps[number].who]
            queue.popleft()
            if queue:
                left[queue[0]] = steps[queue[0]].seconds
            for follower in followers[number]:
                open_before[follower] -= 1
            ready(follower for follower in followers[number] if not open_before[follower])
    return now


class Messages(NamedTuple):
    """What Dask takes, in seconds of a core.

    Attributes
    ----------
    driver, worker : float
        For a message there and its answer: of the driver with its scheduler, and of the worker.
    driver_sent, worker_sent, driver_received, worker_received : float
        For a byte of a question, and of an answer.
    written : float
        For a byte of a question, which is written once whoever it goes to.
    pause : float
        What else passes until an answer is there; no core is at work then.
    begun, begun_byte : float
        For a part that is made on a worker, and for a byte of it.
    """

    driver: float = 0.0
    worker: float = 0.0
    driver_sent: float = 0.0
    worker_sent: float = 0.0
    driver_received: float = 0.0
    worker_received: float = 0.0
    written: float = 0.0
    pause: float = 0.0
    begun: float = 0.0
    begun_byte: float = 0.0


class Machines(NamedTuple):
    """Where the processes are.

    Attributes
    ----------
    workers, threads : int
        How many worker processes there are, and the threads of each.
    cores : float
        The cores of the machine that all processes share; infinite where each has a machine of its own.
    crowded : float
        How much longer work takes on such a machine while other workers are at work on it.
    bandwidth, latency : float
        Bytes a second of the driver's link, each way, and seconds until something has arrived.
    """

    workers: int
    threads: int = 1
    cores: float = math.inf
    crowded: float = 1.0
    bandwidth: float = math.inf
    latency: float = 0.0


class Work(NamedTuple):
    """One question and what it is for, in seconds of a core and in bytes.

    Attributes
    ----------
    before, after : float
        What the driver does before it asks, and when it has all answers.
    parts : list of float
        What each part does.
    sent : float
        The bytes of the question, which goes to every part.
    received : list of float
        The bytes of each answer.
    """

    before: float
    after: float
    parts: list[float]
    sent: float
    received: list[float]


def steps_of(work: Work, machines: Machines, messages: Messages, factors: Sequence[float] | None = None) -> list[Step]:
    """Give the steps of a question; a part takes `factors` times as long as it should."""
    steps = [Step("driver", work.before + messages.written * work.sent)]

    def then(who: str, seconds: float, *after: int, needs_core: bool = True) -> int:
        steps.append(Step(who, seconds, after, needs_core))
        return len(steps) - 1

    answers, wait = [], messages.pause / 2 + machines.latency
    for part, (seconds, received) in enumerate(zip(work.parts, work.received, strict=True)):
        late = machines.crowded * (1.0 if factors is None else factors[part])
        carried = messages.worker + messages.worker_sent * work.sent + messages.worker_received * received
        asked = then("driver", messages.driver / 2 + messages.driver_sent * work.sent, 0)
        left = then("link out", work.sent / machines.bandwidth, asked, needs_core=False)
        there = then(f"way {part}", wait, left, needs_core=False)
        answered = then(f"worker {part}", late * seconds + carried, there)
        back = then("link in", received / machines.bandwidth, answered, needs_core=False)
        here = then(f"way {part}", wait, back, needs_core=False)
        answers.append(then("driver", messages.driver / 2 + messages.driver_received * received, here))
    then("driver", work.after, *answers)
    return steps


def question(work: Work, machines: Machines, messages: Messages, factors: Sequence[float] | None = None) -> float:
    """Give the seconds from one question to the next.

    >>> question(Work(0.0, 0.0, [2.0, 2.0], 0.0, [0.0, 0.0]), Machines(2), Messages())
    2.0
    """
    return finish(steps_of(work, machines, messages, factors), machines.cores)


def busy(work: Work, machines: Machines, messages: Messages) -> float:
    """Give the seconds of all cores together, whoever else is at work."""
    return sum(step.seconds for step in steps_of(work, machines, messages) if step.needs_core)


def start(n_parts: int, n_bytes: float, build: float, machines: Machines, messages: Messages) -> float:
    """Give the seconds until every worker has its part: they are sent one after the other, and made side by side."""
    sending = messages.begun + n_bytes * max(messages.begun_byte, 1.0 / machines.bandwidth)
    return n_parts * sending + machines.latency + build * max(1.0, n_parts / machines.cores)
