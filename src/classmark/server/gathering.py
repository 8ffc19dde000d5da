"""Texts of many requests are computed together, and clients take turns at what is computed next.

While one turn is computed in a thread, the requests that arrive wait for the next one; the event loop never computes.
A turn takes some texts of every client, for as many milliseconds as another client may well wait. So a long request is
computed over many turns, between those of others, and ends with its client: nothing is computed for who has left.
"""

import asyncio
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from classmark.server.fairness import CALLER, FairShare, TurnQueue

MAX_WAITING = 20_000
"""Number of texts of all clients that are computed or wait."""
MAX_TEXTS = 512
"""Number of texts that are computed at a time."""
SLICE_TEXTS, SLICE_CHARACTERS = 16, 16_000
"""What a turn takes of a request before it takes something of the next client's."""
TURN_SECONDS = 0.025
"""How long a turn takes at most, if a single slice does not take longer (benchmarks/fairness.py)."""
TEXT_CHARACTERS = 200
"""A text takes as long as this many characters, besides its own."""


class QueuedRequest:
    """Texts of one request, of which some have been computed."""

    def __init__(self, kind: Hashable, texts: Sequence[Any]) -> None:
        self.kind = kind
        self.texts = texts
        self.answers: list[Any] = [None] * len(texts)
        self.n_missing = len(texts)
        self.next = 0
        self.done: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()

    def set_answers(self, start: int, answers: Sequence[Any]) -> None:
        """Set the answers to some texts, and end the request if they are the last."""
        self.answers[start : start + len(answers)] = answers
        self.n_missing -= len(answers)
        if not self.n_missing and not self.done.done():
            self.done.set_result(self.answers)

    def fail(self, error: Exception) -> None:
        """End the request with an error."""
        if not self.done.done():
            self.done.set_exception(error)


class Slice:
    """Texts of a request that are computed in one turn."""

    def __init__(self, request: QueuedRequest) -> None:
        self.request = request
        self.start = self.stop = request.next
        self.cost = 0
        while self.stop < len(request.texts) and self.stop - self.start < SLICE_TEXTS and self.cost < SLICE_CHARACTERS:
            self.cost += cost_of(request.texts[self.stop])
            self.stop += 1
        request.next = self.stop

    @property
    def texts(self) -> Sequence[Any]:
        """Part of the request between `start` and `stop`."""
        return self.request.texts[self.start : self.stop]


def cost_of(text: Any) -> int:
    """Return what computing a text takes, in characters; a text may come as a pair, with what is asked of it."""
    return len(text if isinstance(text, str) else text[0]) + TEXT_CHARACTERS


class Gatherer:
    """Computes the texts of requests, which wait in a queue of clients that take turns.

    Parameters
    ----------
    answer : callable
        Takes what is asked and texts, and returns an answer for each; called in a thread.
    observe : callable
        Is called with the number of texts of each turn.
    """

    def __init__(
        self, answer: Callable[[Any, Sequence[Any]], Sequence[Any]], observe: Callable[[int], None] | None = None
    ) -> None:
        self._answer = answer
        self._observe = observe or (lambda _: None)
        self._queue: TurnQueue[QueuedRequest] = TurnQueue()
        self._texts = FairShare(MAX_WAITING)
        self._budget = TurnBudget()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="answers")
        self._work: asyncio.Task[None] | None = None

    async def ask(self, kind: Hashable, texts: Sequence[Any]) -> list[Any]:
        """Return the answers to some texts; those that are not computed yet are dropped if the caller ends before."""
        if not texts:
            return []
        caller = CALLER.get()
        with self._texts.hold(f"too many texts: {MAX_WAITING:,} are queued at a time; retry later", len(texts)):
            request = QueuedRequest(kind, texts)
            self._queue.add(caller.client, request)
            if self._work is None or self._work.done():
                self._work = asyncio.create_task(self._answer_all())
            try:
                return await caller.wait_for(request.done)
            finally:
                self._queue.discard(caller.client, request)

    async def _answer_all(self) -> None:
        while slices := self._next_slices():
            start = time.perf_counter()
            try:
                await self._compute(slices)
            except Exception as error:  # noqa: BLE001 - its client receives it, and the others still wait
                await self._compute_apart(slices, error)
            else:
                self._budget.add(sum(one.cost for one in slices), time.perf_counter() - start)

    def _next_slices(self) -> list[Slice]:
        """Take slices of requests that are asked the same, of every client in turn, for one turn."""
        slices: list[Slice] = []
        n_texts, cost = 0, 0
        while n_texts < MAX_TEXTS and (not slices or cost < self._budget.cost):
            popped = self._queue.pop(lambda _, request: not slices or request.kind == slices[0].request.kind)
            if popped is None:
                break
            client, request = popped
            if request.done.done():
                continue
            slices.append(Slice(request))
            n_texts += len(slices[-1].texts)
            cost += slices[-1].cost
            if request.next < len(request.texts):
                self._queue.add(client, request)
        return slices

    async def _compute(self, slices: Sequence[Slice]) -> None:
        texts = [text for one in slices for text in one.texts]
        loop = asyncio.get_running_loop()
        answers = await loop.run_in_executor(self._thread, self._answer, slices[0].request.kind, texts)
        self._observe(len(texts))
        start = 0
        for one in slices:
            stop = start + len(one.texts)
            one.request.set_answers(one.start, answers[start:stop])
            start = stop

    async def _compute_apart(self, slices: Sequence[Slice], error: Exception) -> None:
        """Compute each slice by itself, so that an error is that of one request alone."""
        if len(slices) == 1:
            slices[0].request.fail(error)
            return
        for one in slices:
            if one.request.done.done():
                continue
            try:
                await self._compute([one])
            except Exception as its_own:  # noqa: BLE001 - as above
                one.request.fail(its_own)

    def close(self) -> None:
        """Let the thread end."""
        self._thread.shutdown(wait=False, cancel_futures=True)


class TurnBudget:
    """Estimate of how much can be computed in the time of a turn, from the turns before.

    A turn takes some time whatever its size. If that is long, turns are twice as long, or most of them would be lost.

    Examples
    --------
    >>> budget = TurnBudget()
    >>> budget.add(100, 0.001), budget.add(10_000, 0.011), round(budget.cost)
    (None, None, 24000)
    """

    def __init__(self) -> None:
        self._overhead = float("inf")
        self._seconds: float | None = None
        self.cost: float = SLICE_CHARACTERS
        """Cost of the next turn."""

    def add(self, cost: int, seconds: float) -> None:
        """Count a turn."""
        self._overhead = min(self._overhead, seconds)
        if seconds > self._overhead:
            each = (seconds - self._overhead) / cost
            self._seconds = each if self._seconds is None else 0.8 * self._seconds + 0.2 * each
            self.cost = (max(TURN_SECONDS, 2 * self._overhead) - self._overhead) / self._seconds
