"""Fair shares of a server: bounds, queues and threads of which no client can take so much that others are kept out.

A client is the owner of a valid token, or else an address. `CALLER` holds the client of the request that is handled;
everything here reads it, so that routes need not pass it on.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from classmark.server.problems import Problem

T = TypeVar("T")
GREED = 8
"""A client may hold this many times what is still free: alone it gets 8/9 of a bound, and the rest stays for others."""


class Caller:
    """Client of a request, and the computations that end with its connection."""

    def __init__(self, client: Hashable) -> None:
        self.client = client
        self.has_left = False
        self._awaited: set[asyncio.Future[Any]] = set()

    async def wait_for(self, future: "asyncio.Future[T]") -> T:
        """Return the result of a future, which is cancelled if the client leaves or the request ends otherwise."""
        self._awaited.add(future)
        try:
            return await future
        finally:
            self._awaited.discard(future)
            future.cancel()

    def leave(self) -> None:
        """Cancel what the client is waiting for, because its connection is closed."""
        self.has_left = True
        for future in list(self._awaited):
            future.cancel()


CALLER: ContextVar[Caller] = ContextVar("caller", default=Caller("the server itself"))  # noqa: B039 - never changed


class FairShare:
    """Bound on what all clients hold together, of which a part stays free for clients that hold nothing yet.

    References
    ----------
    Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998.

    Examples
    --------
    >>> share = FairShare(9)
    >>> sum(share.take("heavy") for _ in range(20)), share.take("other")
    (8, True)
    """

    def __init__(self, bound: int) -> None:
        self.bound = bound
        self._held: Counter[Hashable] = Counter()

    def take(self, client: Hashable, amount: int = 1) -> bool:
        """Take an amount for a client, and return whether that much was free for it."""
        left = self.bound - self._held.total() - amount
        held = self._held[client]
        if left < 0 or (held and held + amount > GREED * left):
            return False
        self._held[client] += amount
        return True

    def give_back(self, client: Hashable, amount: int = 1) -> None:
        """Release an amount that a client has taken."""
        self._held[client] -= amount
        if not self._held[client]:
            del self._held[client]

    @contextmanager
    def hold(self, refusal: str, amount: int = 1) -> Iterator[None]:
        """Hold an amount for the caller inside a `with` block, or raise a 429 with a message."""
        client = CALLER.get().client
        if not self.take(client, amount):
            raise Problem(429, refusal)
        try:
            yield
        finally:
            self.give_back(client, amount)


class TurnQueue(Generic[T]):
    """Queue whose clients take turns: each `pop` serves the client that was served longest ago.

    Examples
    --------
    >>> queue = TurnQueue()
    >>> for client, item in [("heavy", 1), ("heavy", 2), ("other", 3)]:
    ...     queue.add(client, item)
    >>> [queue.pop() for _ in range(4)]
    [('heavy', 1), ('other', 3), ('heavy', 2), None]
    """

    def __init__(self) -> None:
        self._items: dict[Hashable, deque[T]] = {}

    def __bool__(self) -> bool:
        return bool(self._items)

    def add(self, client: Hashable, item: T) -> None:
        """Append an item to those of its client."""
        self._items.setdefault(client, deque()).append(item)

    def pop(self, accepts: Callable[[Hashable, T], bool] = lambda *_: True) -> tuple[Hashable, T] | None:
        """Remove and return the next accepted item with its client; None if there is none."""
        for client, items in self._items.items():
            item = next((item for item in items if accepts(client, item)), None)
            if item is not None:
                self.discard(client, item)
                if client in self._items:
                    self._items[client] = self._items.pop(client)
                return client, item
        return None

    def discard(self, client: Hashable, item: T) -> None:
        """Remove an item if it is still queued."""
        items = self._items.get(client, ())
        if item in items:
            self._items[client].remove(item)
            if not items:
                del self._items[client]


class Turn(NamedTuple):
    """A turn that waits or runs."""

    weight: int
    begun: "asyncio.Future[None]"


class Turns:
    """Bound on what runs at a time, for all and for each client; the others wait, and clients take turns.

    Parameters
    ----------
    total : int
        Number of turns that run at a time.
    per_client : int
        Weight of those of one client; one turn may have more, if it is the only one.
    """

    def __init__(self, total: int, per_client: int) -> None:
        self._free = total
        self._per_client = per_client
        self._running: Counter[Hashable] = Counter()
        self._waiting: TurnQueue[Turn] = TurnQueue()

    async def take(self, weight: int = 1, *, abandon: bool = True) -> Callable[[], None]:
        """Wait for a turn of the caller, or with `abandon` for its end, and return the function that ends the turn."""
        caller = CALLER.get()
        turn = Turn(weight, asyncio.get_running_loop().create_future())
        self._waiting.add(caller.client, turn)
        self._start()
        try:
            await (caller.wait_for(turn.begun) if abandon else turn.begun)
        except BaseException:
            self._waiting.discard(caller.client, turn)
            if turn.begun.done() and not turn.begun.cancelled():
                self._end(caller.client, weight)
            raise
        return partial(self._end, caller.client, weight)

    def _end(self, client: Hashable, weight: int) -> None:
        self._free += 1
        self._running[client] -= weight
        if not self._running[client]:
            del self._running[client]
        self._start()

    def _start(self) -> None:
        while self._free and (popped := self._waiting.pop(self._may_run)):
            client, turn = popped
            if not turn.begun.done():
                self._free -= 1
                self._running[client] += turn.weight
                turn.begun.set_result(None)

    def _may_run(self, client: Hashable, turn: Turn) -> bool:
        running = self._running[client]
        return not running or running + turn.weight <= self._per_client


class FairPool:
    """Threads whose clients take turns, and of which no client can hold all.

    Parameters
    ----------
    name : str
        Prefix of the threads' names.
    n_threads : int
        Number of threads.
    abandon : bool
        Whether a call that has not begun is dropped if its client leaves; not for what is to be written.
    """

    def __init__(self, name: str, n_threads: int, *, abandon: bool = False) -> None:
        self._threads = ThreadPoolExecutor(n_threads, thread_name_prefix=name)
        self._turns = Turns(n_threads, max(1, n_threads - 1))
        self._abandon = abandon

    async def run(self, function: Callable[..., T], *arguments: Any, **named: Any) -> T:
        """Call a function in a thread; a call that has not begun is dropped if the awaiting task is cancelled."""
        end = await self._turns.take(abandon=self._abandon)
        call = partial(function, *arguments, **named)
        running = asyncio.get_running_loop().run_in_executor(self._threads, call)
        # The thread works to the end, whatever becomes of the request: only then its turn is over.
        running.add_done_callback(lambda _: end())
        return await asyncio.shield(running)

    def close(self) -> None:
        """Let the threads end."""
        self._threads.shutdown(wait=False, cancel_futures=True)
