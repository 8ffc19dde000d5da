"""Tasks on the workers of a cluster, their answers in order.

Those of a worker that has gone Dask gives to another. Of one that the scheduler still knows but that says nothing any
more, as behind a cable that was pulled, Dask finds out after half a minute, or after five: its tasks are sent to others
as soon as patience has ended, and the first answer counts.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any
from uuid import uuid4

from distributed import CancelledError, Client, KilledWorker

from classmark.parallel.cluster.hosting import Kind, Shared, dumps, opened, run_task
from classmark.parallel.cluster.watching import STEP, ClusterLostError, PartLostError, Watch
from classmark.parallel.places import Tasks

AHEAD = 3
"""How many tasks there are for each thread of the cluster, at most: those that are done, and those that wait."""
LARGE = 1 << 20
"""A task of more bytes than this goes to a worker by itself, and not with the graph."""
ATTEMPTS = 3
"""How often a task is sent, or what is given to workers, that was lost with them."""


class Sent:
    """A task that was sent, perhaps more than once: what it is, its futures, and the keys that the last one needs."""

    def __init__(self, written: bytes) -> None:
        self.written = written
        self.futures: list[Any] = []
        self.keys: list[str] = []


class Loop:
    """One loop over tasks."""

    def __init__(
        self, client: Client, watch: Watch, kind: Kind, function: Callable[..., Any], shared: tuple[Any, ...]
    ) -> None:
        self._client, self._watch, self._kind = client, watch, kind
        self._function, self._shared = function, shared
        self._what = f"tasks ({function.__name__})"
        self._scattered: Any = None
        self._holders: set[str] = set()
        self._given_up: list[Any] = []
        self.sent = self.received = 0

    def answers(self, tasks: Tasks, costs: Sequence[float] | None) -> Iterator[Any]:
        """Give the answers in the order of the tasks, the costly ones begun first."""
        pending: dict[int, Sent] = {}
        try:
            begun = self._begun(tasks, costs, pending)
            ahead = AHEAD * sum(one["nthreads"] for one in self._watch.some_worker(self._what).values())
            number = 0
            more = True
            while more or pending:
                while more and (len(pending) < ahead or number not in pending):
                    more = next(begun, None) is not None
                if number in pending:
                    answer = self._answer(pending[number])
                    del pending[number]
                    yield answer
                    number += 1
        finally:
            left = [future for task in pending.values() for future in task.futures]
            self._watch.let_go([*left, *self._given_up, *([] if self._scattered is None else [self._scattered])])

    def _begun(self, tasks: Tasks, costs: Sequence[float] | None, pending: dict[int, Sent]) -> Iterator[int]:
        """Send one task after the other, and note it by its number."""
        numbered: Any = enumerate(tasks)
        if costs is not None:
            listed = list(numbered)
            numbered = sorted(listed, key=lambda one: -costs[one[0]])
        for number, task in numbered:
            pending[number] = Sent(dumps((self._function, task)))
            self._send(pending[number])
            yield number

    def _send(self, task: Sent) -> None:
        """Send a task, and first what all share, where nobody has it or one who has it is silent."""
        self.sent += len(task.written)
        if self._scattered is None or self._holders & self._watch.silent:
            self._scattered = self._give(Shared(self._shared), to_all=True)
        large = len(task.written) > LARGE
        given: Any = self._give(task.written) if large else task.written
        # Silent workers get nothing; should all others go, Dask may choose as it likes.
        where = {"workers": sorted(self._watch.there), "allow_other_workers": True} if self._watch.silent else {}
        key = f"classmark-task-{uuid4()}"
        future = self._client.submit(run_task, self._scattered, given, self._kind, key=key, pure=False, **where)
        task.futures.append(future)
        task.keys = [key, self._scattered.key, *([given.key] if large else [])]

    def _give(self, value: Any, *, to_all: bool = False) -> Any:
        """Give a value to one worker, or to all, whoever falls silent or goes meanwhile."""
        for _ in range(ATTEMPTS):
            there = set(self._watch.some_worker(self._what))
            try:
                given = self._watch.give(value, there, self._what)
                if to_all:
                    self._copy(given, there)
                    self._holders = there
            except PartLostError as error:
                said = str(error)
                time.sleep(STEP)
            else:
                return given
        raise ClusterLostError(f"{self._what}: data could not be sent to the workers ({said}); look at their logs")

    def _copy(self, given: Any, there: set[str]) -> None:
        """Let all workers fetch what was given to one of them.

        Dask's own broadcast tries for ever to reach a worker that has gone, and lets all later ones wait for it.
        """
        submit = partial(self._client.submit, nothing, given, allow_other_workers=False, pure=False)
        copies = [submit(workers=[address], key=f"classmark-copy-{uuid4()}") for address in there]
        for copy in copies:
            self._watch.await_from(there, self._what, copy.result, copy.done)

    def _answer(self, task: Sent) -> Any:
        """Wait for an answer; where it was lost with its workers, or they are silent, send everything again."""
        for _ in range(ATTEMPTS):
            found = self._result(task)
            if found is not None:
                self.received += len(found)
                return opened(found)
            # What a silent worker is to do stays there: it shall have no room for more.
            self._given_up += task.futures
            self._send(task)
        raise ClusterLostError(f"{self._what}: data was lost with its workers {ATTEMPTS} times; look at their logs")

    def _result(self, task: Sent) -> bytes | None:
        """Give the first answer, None where there will be none."""
        while True:
            for future in tuple(task.futures):
                try:
                    return bytes(future.result(timeout=STEP / len(task.futures)))
                except TimeoutError:
                    continue
                except OSError as error:
                    # What a task raises is an answer: this is the connection, or the worker's disk.
                    if future.status == "error":
                        raise ClusterLostError(f"{self._what}: {error}; look at the logs of the workers") from None
                except KilledWorker:
                    raise ClusterLostError(
                        f"{self._what}: one task has ended several workers; they may have too little memory"
                    ) from None
                except CancelledError:
                    task.futures.remove(future)
                    self._scattered = None
            self._watch.some_worker(self._what)
            if not task.futures:
                return None
            if len(task.futures) < ATTEMPTS and self._watch.is_stuck(task.keys, self._what):
                return None


def nothing(given: Any) -> None:
    """Do nothing with what a worker has fetched."""
