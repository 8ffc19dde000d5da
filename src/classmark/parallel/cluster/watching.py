"""Waiting for a cluster with a limit: who is there, who has gone silent, and whether the scheduler answers."""

import time
from collections.abc import Callable
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
    """

    def __init__(self, client: Client, patience: float) -> None:
        self.client, self.patience = client, patience
        self._address = client.scheduler.address
        self._seen: dict[str, tuple[float, float]] = {}

    def workers(self, what: str) -> dict[str, dict[str, Any]]:
        """Give the workers by their addresses, those left out that have been silent for too long."""
        start = time.monotonic()
        while True:
            try:
                found = self.client.sync(self._identity, callback_timeout=max(STEP, self.patience / 4))["workers"]
            except (OSError, RuntimeError) as error:
                self._alive(start, f"{what} ({type(error).__name__})")
                time.sleep(STEP)
            else:
                return {address: one for address, one in found.items() if not self._is_silent(address, one)}

    async def _identity(self) -> dict[str, Any]:
        return dict(await self.client.scheduler.identity(n_workers=-1))

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

    def await_from(self, address: str, what: str, result: Callable[[float], T], done: Callable[[], bool]) -> T:
        """Give a result that one worker owes, or say that it is lost."""
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
            if address not in self.workers(what):
                raise PartLostError
