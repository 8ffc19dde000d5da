"""What algorithms see of a cluster: the `Place` whose workers are Dask's."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

from distributed import Client

from classmark.errors import InputError
from classmark.parallel.cluster.hosting import Kind
from classmark.parallel.cluster.residents import ClusterResidents
from classmark.parallel.cluster.tasks import Loop
from classmark.parallel.cluster.watching import Watch
from classmark.parallel.places import Call, Keeper, Tasks, nothing_yet

T = TypeVar("T")


class Cluster:
    """A Dask cluster.

    Attributes
    ----------
    client : Client
        The client that everything goes through.
    loops : int
        How many loops over tasks there were.
    sent, received, questions, lost : int
        The bytes of all questions to parts and of their answers so far, how many questions there were, and how often a
        part was made anew.
    """

    def __init__(self, client: Client, kind: Kind, patience: float) -> None:
        self.client, self.kind = client, kind
        self.watch = Watch(client, patience)
        self._keeper = Keeper()
        self.loops = 0
        self.sent = self.received = self.questions = self.lost = 0

    @property
    def n_workers(self) -> int:
        """How many workers there are, at least one."""
        return len(self.watch.some_worker("a worker"))

    @property
    def n_threads(self) -> int:
        """How many threads the worker with fewest has."""
        return min(int(one["nthreads"]) for one in self.watch.some_worker("a worker").values())

    def in_order(
        self,
        function: Callable[..., T],
        tasks: Tasks,
        shared: tuple[Any, ...] = (),
        *,
        n_jobs: int | None = None,
        threads: bool = False,
        costs: Sequence[float] | None = None,
    ) -> Iterator[T]:
        """Call a function with what all tasks share and with each task, on the workers; answers in order."""
        self.loops += 1
        return Loop(self.client, self.watch, self.kind, function, shared).answers(tasks, costs)

    @contextmanager
    def residents(
        self,
        make: Callable[..., Any],
        parts: Sequence[tuple[Any, ...]],
        shared: tuple[Any, ...] = (),
        since: Callable[[int], Iterable[Call]] = nothing_yet,
        needed: float = 0.0,
    ) -> Iterator[ClusterResidents]:
        """Make parts on the workers, and keep them there inside the block."""
        self.check_memory(needed)
        made = ClusterResidents(self.client, self.watch, self.kind, make, parts, shared, since)
        try:
            yield made
        finally:
            made.close()
            for name in ("sent", "received", "questions", "lost"):
                setattr(self, name, getattr(self, name) + getattr(made, name))

    def kept(self, owner: object, open_parts: Callable[[], AbstractContextManager[T]]) -> T:
        """Give the parts of an owner, opened when first asked for, and kept on the workers until `close`."""
        return self._keeper.of(owner, open_parts)

    def close(self) -> None:
        """Leave nothing behind on the workers."""
        self._keeper.close()

    def check_memory(self, needed: float) -> None:
        """Refuse a part that a worker has no memory for, before any work is done."""
        for address, worker in self.watch.some_worker("a worker").items():
            limit = worker.get("memory_limit") or 0
            free = max(0, limit - worker.get("metrics", {}).get("memory", 0))
            if limit and needed > free:
                raise InputError(
                    f"worker {address} has {free / 1e9:.2f} GB of memory left, and a part needs {needed / 1e9:.2f} GB; "
                    "start more workers, or give each more (dask worker --memory-limit)"
                )
