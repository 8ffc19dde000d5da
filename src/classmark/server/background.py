"""Background loops of a server: each repeats a step, survives its errors, and reports them to `/readyz`."""

import asyncio
from collections.abc import Awaitable, Callable

from classmark.server.logging import LOG
from classmark.server.problems import Problem
from classmark.wording import in_a_line

SECONDS_AFTER_AN_ERROR = 2.0


class BackgroundLoop:
    """A step that is repeated for as long as the server runs.

    Parameters
    ----------
    name : str
        Name of the loop in the log and in `/readyz`.
    step : callable
        Coroutine function of one repetition.
    seconds : float
        Pause between two repetitions, unless `hurry` ends it.

    Attributes
    ----------
    problem : str or None
        Error of the last repetition; None if it succeeded.
    """

    def __init__(self, name: str, step: Callable[[], Awaitable[object]], seconds: float) -> None:
        self.name = name
        self.problem: str | None = None
        self._step = step
        self._seconds = seconds
        self._wake = asyncio.Event()

    def hurry(self) -> None:
        """Repeat the step at once."""
        self._wake.set()

    async def run(self) -> None:
        """Repeat the step until the task is cancelled; log an error, and try again after a delay."""
        while True:
            self._wake.clear()
            try:
                await self._step()
            except Exception as error:  # noqa: BLE001 - logged and reported, and the loop continues
                problem = in_a_line(f"{type(error).__name__}: {error}")
                if problem != self.problem:
                    LOG.exception("background loop %r failed; it is repeated until it succeeds", self.name)
                self.problem = problem
                await asyncio.sleep(SECONDS_AFTER_AN_ERROR)
                continue
            if self.problem is not None:
                LOG.info("background loop %r works again", self.name)
            self.problem = None
            try:
                await asyncio.wait_for(self._wake.wait(), self._seconds)
            except TimeoutError:
                continue


class BackgroundLoops:
    """Owner of all background loops of a server."""

    def __init__(self) -> None:
        self._loops: list[BackgroundLoop] = []
        self._tasks: list[asyncio.Task[None]] = []

    def add(self, name: str, step: Callable[[], Awaitable[object]], seconds: float) -> BackgroundLoop:
        """Add a loop before `start`."""
        loop = BackgroundLoop(name, step, seconds)
        self._loops.append(loop)
        return loop

    def start(self) -> None:
        """Create a task for each loop; needs a running event loop."""
        self._tasks = [asyncio.create_task(loop.run(), name=loop.name) for loop in self._loops]

    def stop(self) -> None:
        """Cancel all loops."""
        for task in self._tasks:
            task.cancel()

    def check(self) -> None:
        """Raise a 503 problem that names the loops whose last repetition failed."""
        failed = [loop.name for loop in self._loops if loop.problem is not None]
        failed += [task.get_name() for task in self._tasks if task.done() and not task.cancelled()]
        if failed:
            raise Problem(
                503, f"background work fails ({', '.join(failed)}); the server repeats it, and logs the error"
            )
