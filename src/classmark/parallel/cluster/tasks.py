"""Tasks on the workers of a cluster, their answers in order; Dask gives those of a worker that has gone to another."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any
from uuid import uuid4

from distributed import CancelledError, Client, KilledWorker

from classmark.parallel.cluster.hosting import Kind, Shared, dumps, opened, run_task
from classmark.parallel.cluster.watching import STEP, ClusterLostError, Watch
from classmark.parallel.places import Tasks

AHEAD = 3
"""How many tasks there are for each thread of the cluster, at most: those that are done, and those that wait."""
LARGE = 1 << 20
"""A task of more bytes than this goes to a worker by itself, and not with the graph."""
ATTEMPTS = 3
"""How often a task is sent whose data was lost with all workers that had it."""


class Loop:
    """One loop over tasks."""

    def __init__(
        self, client: Client, watch: Watch, kind: Kind, function: Callable[..., Any], shared: tuple[Any, ...]
    ) -> None:
        self._client, self._watch, self._kind = client, watch, kind
        self._function, self._shared = function, shared
        self._what = f"tasks ({function.__name__})"
        self._scattered: Any = None
        self.sent = self.received = 0

    def answers(self, tasks: Tasks, costs: Sequence[float] | None) -> Iterator[Any]:
        """Give the answers in the order of the tasks, the costly ones begun first."""
        pending: dict[int, tuple[bytes, Any]] = {}
        try:
            begun = self._begun(tasks, costs, pending)
            ahead = AHEAD * sum(one["nthreads"] for one in self._watch.some_worker(self._what).values())
            number = 0
            more = True
            while more or pending:
                while more and (len(pending) < ahead or number not in pending):
                    more = next(begun, None) is not None
                if number in pending:
                    yield self._answer(*pending.pop(number))
                    number += 1
        finally:
            with suppress(OSError, RuntimeError, CancelledError):
                self._client.cancel([future for _, future in pending.values()], force=True)

    def _begun(
        self, tasks: Tasks, costs: Sequence[float] | None, pending: dict[int, tuple[bytes, Any]]
    ) -> Iterator[int]:
        """Send one task after the other, and note it by its number."""
        numbered: Any = enumerate(tasks)
        if costs is not None:
            listed = list(numbered)
            numbered = sorted(listed, key=lambda one: -costs[one[0]])
        for number, task in numbered:
            written = dumps((self._function, task))
            pending[number] = written, self._send(written)
            yield number

    def _send(self, written: bytes) -> Any:
        self.sent += len(written)
        if self._scattered is None:
            self._scattered = self._client.scatter(Shared(self._shared), broadcast=True, hash=False)
        large = len(written) > LARGE
        given = self._client.scatter(written, hash=False) if large else written
        key = f"classmark-task-{uuid4()}"
        return self._client.submit(run_task, self._scattered, given, self._kind, key=key, pure=False)

    def _answer(self, written: bytes, future: Any) -> Any:
        """Wait for an answer; where data was lost with its workers, send everything again."""
        for _ in range(ATTEMPTS):
            found = self._result(future)
            if found is not None:
                self.received += len(found)
                return opened(found)
            self._watch.some_worker(self._what)
            self._scattered = None
            future = self._send(written)
        raise ClusterLostError(f"{self._what}: data was lost with its workers {ATTEMPTS} times; look at their logs")

    def _result(self, future: Any) -> bytes | None:
        while True:
            try:
                return bytes(future.result(timeout=STEP))
            except TimeoutError:
                self._watch.some_worker(self._what)
            except KilledWorker:
                raise ClusterLostError(
                    f"{self._what}: one task has ended several workers; they may have too little memory"
                ) from None
            except CancelledError:
                self._watch.some_worker(self._what)
                return None
