"""`cluster`: the block inside which work is done on a Dask cluster."""

import logging
import os
import signal
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from multiprocessing import resource_tracker
from typing import Any, TypeVar

from classmark.errors import InputError, needing
from classmark.parallel.places import Call, Keeper, Tasks, at, nothing_yet

with needing("clusters need Dask", "dask"):
    from distributed import Client, LocalCluster, default_client

from classmark.parallel.cluster.hosting import Kind, kind, refuse_others
from classmark.parallel.cluster.residents import ClusterResidents
from classmark.parallel.cluster.tasks import Loop
from classmark.parallel.cluster.watching import Watch

T = TypeVar("T")

LOCAL = "local:"
SECONDS_TO_CONNECT = 10.0
SECONDS_TO_COME = 60.0
"""How long the first worker of a cluster is waited for."""
PATIENCE = 60.0


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


@contextmanager
def cluster(where: Any = None, *, patience: float = PATIENCE) -> Iterator[Cluster]:
    """Do what is fitted, predicted or searched inside the block on a Dask cluster: the same answers, bit for bit.

    Parameters
    ----------
    where : Client or str, optional
        A client of Dask's; the address of a scheduler, such as `"tcp://10.0.0.5:8786"`; or `"local:4"` for so many
        worker processes on this machine, which end with the block. By default Dask's own default client.
    patience : float
        For how many seconds the scheduler or a worker may say nothing before it is given up.

    Yields
    ------
    Cluster
        What the work is done on, with the bytes that were sent and received.

    Examples
    --------
    >>> import classmark
    >>> with classmark.cluster("tcp://127.0.0.1:1"):  # doctest: +SKIP
    ...     model = classmark.AdaBoostMH().fit(X, y)
    """
    with ExitStack() as opened:
        client = _client(where, opened)
        place = Cluster(client, _same_kind(client), patience)
        opened.callback(place.close)
        opened.enter_context(at(place))
        yield place


def _client(where: Any, opened: ExitStack) -> Client:
    """Give a client, closed with the block where it was opened for it."""
    if where is None:
        try:
            return default_client()
        except ValueError:
            raise InputError("there is no default client; give a client of Dask's, an address or 'local:4'") from None
    if isinstance(where, Client):
        return where
    if not isinstance(where, str):
        raise InputError(f"a cluster is a client of Dask's, an address or 'local:4', not {type(where).__name__}")
    opened.enter_context(_quiet())
    if where.startswith(LOCAL):
        where = opened.enter_context(_local(where))
    return opened.enter_context(_connected(where))


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's client from writing pages about a lost scheduler: what is raised says it in a line."""
    logger = logging.getLogger("distributed.client")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)


def _local(where: str) -> Any:
    """Start workers on this machine."""
    count = where.removeprefix(LOCAL)
    most = 4 * (os.cpu_count() or 1)
    if not count.isdecimal() or not 0 < int(count) <= most:
        raise InputError(f"cluster {where!r}: give the number of workers, from 1 to {most}, as in local:2")
    # The dashboard is left out; the scheduler's own pages take any port, and do not warn of one that is taken.
    pages = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
    try:
        with _uninterrupted():
            return LocalCluster(
                n_workers=int(count),
                threads_per_worker=1,
                dashboard_address=None,
                scheduler_kwargs=pages,
                silence_logs=50,
            )
    except RuntimeError:
        # Python starts a process by running the script of this one again, up to its main part.
        raise InputError(
            f"cluster {where}: the workers did not start; in a script, put what begins work below "
            'if __name__ == "__main__":'
        ) from None


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Keep Ctrl-C, which a terminal sends to all processes, from those that start inside: who began them ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Where it is started later, it lets the signal through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _connected(where: Any) -> Client:
    try:
        return Client(where, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, TimeoutError):
        raise InputError(
            f"cluster {where}: nobody answered within {SECONDS_TO_CONNECT:.0f} s; start one: dask scheduler"
        ) from None
    except (ValueError, TypeError) as error:
        raise InputError(f"cluster {where}: {error}; give an address such as tcp://10.0.0.5:8786, or local:4") from None


def _same_kind(client: Client) -> Kind:
    """Compare what the workers are with what this process is."""
    try:
        client.wait_for_workers(1, timeout=SECONDS_TO_COME)
    except TimeoutError:
        address = client.scheduler.address
        raise InputError(
            f"cluster {address}: no worker has come within {SECONDS_TO_COME:.0f} s; start one: dask worker {address}"
        ) from None

    async def ask() -> Any:
        return await client.run(kind, on_error="return")

    ours = kind()
    check_kinds(client.sync(ask, callback_timeout=SECONDS_TO_COME), ours)
    return ours


def check_kinds(found: dict[str, Any], ours: Kind) -> None:
    """Refuse workers whose answers would be others, and warn of those whose last digits may be.

    >>> ours = kind()
    >>> check_kinds({"tcp://10.0.0.7:4000": ours}, ours)
    >>> check_kinds({"tcp://10.0.0.7:4000": ModuleNotFoundError("No module named 'classmark'")}, ours)
    Traceback (most recent call last):
    classmark.errors.InputError: worker tcp://10.0.0.7:4000 cannot import classmark (No module named 'classmark'); ...
    """
    # One that cannot be reached any more has gone meanwhile, and is nobody's concern.
    found = {address: theirs for address, theirs in found.items() if not isinstance(theirs, OSError)}
    for address, theirs in found.items():
        if isinstance(theirs, BaseException):
            raise InputError(f"worker {address} cannot import classmark ({theirs}); install it there")
    refuse_others(found, ours)
    for address, theirs in found.items():
        others = [name for name in Kind._fields if getattr(theirs, name) != getattr(ours, name)]
        if others:
            told = ", ".join(f"{name} {getattr(theirs, name)} (here {getattr(ours, name)})" for name in others)
            warnings.warn(f"worker {address} has {told}: the last digits of results may differ", stacklevel=6)
            return
