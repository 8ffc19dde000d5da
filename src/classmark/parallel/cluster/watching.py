"""Waiting for a cluster with a limit: who is there, who has gone silent, and whether the scheduler answers."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from typing import Any, TypeVar

from distributed import Client

T = TypeVar("T")

STEP = 0.5
"""For so many seconds an answer is waited for before somebody asks whether it can still come."""


class ClusterLostError(ConnectionError):
    """The cluster cannot go on; what was learned until then is in the checkpoint, if there is one."""


class PartLostError(Exception):
    """The worker of a part has gone, and can be replaced."""


class Watch:
    """What is known of the workers of a client.

    Parameters
    ----------
    client : Client
        The client.
    patience : float
        For how many seconds the scheduler, or a worker, may say nothing before it is given up.

    Attributes
    ----------
    there, silent : set of str
        The addresses of workers when they were last looked at: those that had given a sign of life, and the others.
    """

    def __init__(self, client: Client, patience: float) -> None:
        self.client, self.patience = client, patience
        self._address = client.scheduler.address
        self._seen: dict[str, tuple[float, float]] = {}
        self.there: set[str] = set()
        self.silent: set[str] = set()

    def workers(self, what: str) -> dict[str, dict[str, Any]]:
        """Give the workers by their addresses, those left out that have been silent for too long."""
        found = self._told(self._identity, what)["workers"]
        self.silent = {address for address, one in found.items() if self._is_silent(address, one)}
        self.there = set(found) - self.silent
        return {address: found[address] for address in found if address in self.there}

    def _told(self, question: Callable[[], Awaitable[dict[str, T]]], what: str) -> dict[str, T]:
        """Give what the scheduler says."""
        start = time.monotonic()
        while True:
            try:
                return dict(self.client.sync(question, callback_timeout=max(STEP, self.patience / 4)))
            except (OSError, RuntimeError) as error:
                self._alive(start, f"{what} ({type(error).__name__})")
                time.sleep(STEP)

    @property
    def _scheduler(self) -> Any:
        """What questions to the scheduler go by; a client that has closed has none."""
        if self.client.scheduler is None:
            raise ConnectionError("the client is closed")
        return self.client.scheduler

    async def _identity(self) -> dict[str, Any]:
        return dict(await self._scheduler.identity(n_workers=-1))

    def is_stuck(self, keys: Collection[str], what: str) -> bool:
        """Say whether one of these tasks or data is with silent workers alone."""
        if not self.silent:
            return False

        async def where() -> dict[str, Collection[str]]:
            return dict(await self._scheduler.who_has(keys=list(keys)))

        async def working() -> dict[str, Collection[str]]:
            return dict(await self._scheduler.processing())

        having, doing = self._told(where, what), self._told(working, what)
        for key in keys:
            places = {*having[key], *(address for address, own in doing.items() if key in own)}
            if places and places <= self.silent:
                return True
        return False

    def _is_silent(self, address: str, worker: dict[str, Any]) -> bool:
        """Say whether a worker's sign of life has not changed for too long, by our own clock."""
        now = time.monotonic()
        last, since = self._seen.get(address, (None, now))
        if last != worker["last_seen"]:
            self._seen[address] = worker["last_seen"], now
            return False
        return now - since > self.patience

    def _alive(self, start: float, what: str) -> None:
        """End where the scheduler has said nothing for too long."""
        if self.client.status in ("closed", "closing") or time.monotonic() - start > self.patience:
            raise ClusterLostError(
                f"the scheduler at {self._address} has gone while waiting for {what}; start a cluster and resume"
            )

    def some_worker(self, what: str) -> dict[str, dict[str, Any]]:
        """Give the workers, once there is one."""
        start = time.monotonic()
        while not (found := self.workers(what)):
            if time.monotonic() - start > self.patience:
                raise ClusterLostError(
                    f"{self._address} has had no worker for {self.patience:.0f} s while waiting for {what}; "
                    f"start one: dask worker {self._address}"
                )
            time.sleep(STEP)
        return found

    def give(self, value: Any, addresses: Collection[str], what: str) -> Any:
        """Send a value to one of some workers, or say that it is lost; however long it takes, if all of them live."""

        async def send() -> Any:
            return await self.client.scatter(value, workers=list(addresses), hash=False, asynchronous=True)

        # Given up, it is not cancelled: only what has arrived and is forgotten here is let go there, too.
        sending = asyncio.run_coroutine_threadsafe(send(), self.client.loop.asyncio_loop)
        return self.await_from(addresses, what, sending.result, sending.done)

    def let_go(self, futures: Collection[Any]) -> None:
        """Take data and tasks off the workers, whoever else holds the futures, a traceback perhaps.

        Where Dask cannot do it any more, nobody is there who has them.
        """
        if futures and self.client.status == "running":
            with suppress(Exception):
                self.client.cancel(list(futures), force=True)

    def await_from(
        self, addresses: Collection[str], what: str, result: Callable[[float], T], done: Callable[[], bool]
    ) -> T:
        """Give a result that some workers owe, or say that it is lost."""
        while True:
            try:
                return result(STEP)
            except TimeoutError:
                if done():
                    raise PartLostError from None
            except Exception as error:  # noqa: BLE001 - what a part raises is an answer; this is Dask, in many words
                if self.client.status != "running":
                    self.workers(what)
                raise PartLostError(str(error)) from None
            if not set(addresses) <= set(self.workers(what)):
                raise PartLostError("a worker has gone, or is silent")
