"""What the routes of an application share: projects, the store, metrics, access, and the thread that writes."""

import asyncio
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from fastapi import FastAPI, Request

from classmark.server.access import SOMEBODY, Access
from classmark.server.background import BackgroundLoops
from classmark.server.fairness import FairPool, FairShare
from classmark.server.feedback import Feedback, is_there
from classmark.server.logging import log_texts
from classmark.server.materials import Materials
from classmark.server.metrics import Metrics
from classmark.server.problems import Problem
from classmark.server.projects import Project, Projects
from classmark.server.retraining import Retrainings
from classmark.server.settings import ServerSettings
from classmark.server.working import Work
from classmark.service.batching.folders import Batches
from classmark.store import Store

T = TypeVar("T")
QUICK = 0.05
"""What takes fewer seconds is found out each time."""
TIMES = 20
"""A value is good for so many times the time that it took."""


class Remembered:
    """Values that took long, each for a while.

    >>> remembered = Remembered()
    >>> remembered.get("birds", lambda: 7)
    7
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._values: dict[Hashable, tuple[float, Any]] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, find: Callable[[], T]) -> T:
        """Give a value that is remembered, or find it out; whoever asks meanwhile waits for the same."""
        until, value = self._values.get(key, (0.0, None))
        if self._clock() < until:
            return value  # type: ignore[no-any-return]
        with self._lock:
            until, value = self._values.get(key, (0.0, None))
            start = self._clock()
            if start < until:
                return value  # type: ignore[no-any-return]
            found = find()
            took = self._clock() - start
            self._values[key] = (0.0 if took < QUICK else start + took * (1 + TIMES), found)
            return found


SECONDS_BETWEEN_LOOKS = 1.0
MAX_EXPLANATIONS = 16
"""Number of explanations that run or wait; each takes up to some seconds."""


class Context:
    """What all routes share."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.access = Access(settings)
        self.materials = Materials(settings)
        self.retrainings = Retrainings(settings)
        self.projects = Projects(settings.models, self.metrics.of_batches)
        self.versions = {project.name: project.served.version for project in self.projects}
        self.feedback = Feedback(settings.store, self.projects)
        self.batches = Batches(settings.batch_folder)
        self.remembered = Remembered()
        self._threads = FairPool("work", 4)
        self._explainers = FairPool("explain", 1, abandon=True)
        self._explanations = FairShare(MAX_EXPLANATIONS)
        # Apart from other work, because rewriting a large database takes minutes.
        self._cleaning = ThreadPoolExecutor(1, thread_name_prefix="cleaning")
        self.loops = BackgroundLoops()
        work = Work(self.batches, self.projects, settings.limits.length, self.in_thread)
        self.batch_loop = self.loops.add("batches", work.step, SECONDS_BETWEEN_LOOKS)
        self.loops.add("models", self._look_at_models, SECONDS_BETWEEN_LOOKS)
        self.loops.add("store", self._look_at_store, SECONDS_BETWEEN_LOOKS)
        self.loops.add("parent process", end_with_parent, SECONDS_BETWEEN_LOOKS)

    async def in_thread(self, function: Callable[..., T], *arguments: Any, **named: Any) -> T:
        """Call a function that computes, reads or writes, beside the event loop."""
        return await self._threads.run(function, *arguments, **named)

    async def explain(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function that explains, in a thread that nothing else waits for; a 429 where many wait for it."""
        with self._explanations.hold(f"too many explanations: {MAX_EXPLANATIONS} are queued at a time; retry later"):
            return await self._explainers.run(function, *arguments)

    async def store(self) -> Store:
        """Give the store, which may have to be made or brought up to date first."""
        return await self.in_thread(lambda: self.feedback.store)

    async def clean_store(self) -> None:
        """Return when the store's files have nothing of what was deleted before; concurrent calls share the work."""
        if is_there(self.settings.store):
            await asyncio.get_running_loop().run_in_executor(self._cleaning, lambda: self.feedback.store.clean())

    def check_texts(self, project: Project, texts: Sequence[str]) -> None:
        """Refuse too many texts, or texts that are too long."""
        limits = self.settings.limits
        if len(texts) > limits.texts:
            raise Problem(413, f"{len(texts):,} texts are more than {limits.texts:,}; send fewer at a time")
        for place, text in enumerate(texts):
            if len(text) > limits.length:
                told = f"text {place} has {len(text):,} characters, more than {limits.length:,}; shorten it"
                raise Problem(413, told)
        if self.settings.log_texts:
            log_texts(project.name, list(texts))

    @asynccontextmanager
    async def running(self, _: FastAPI) -> AsyncIterator[None]:
        """Run the background loops for as long as the application runs."""
        await self.in_thread(self.feedback.catch_up)
        self.loops.start()
        try:
            yield
        finally:
            self.loops.stop()
            self.retrainings.close()
            self.projects.close()
            self.feedback.close()
            self._threads.close()
            self._explainers.close()
            self._cleaning.shutdown(wait=False, cancel_futures=True)

    async def _look_at_models(self) -> None:
        """Load models whose files have changed."""
        await self.in_thread(self.projects.look)
        await self.in_thread(self.materials.prepare, self.projects)

    async def _look_at_store(self) -> None:
        """Reopen a store that was replaced, and bring live indexes up to date."""
        await self.in_thread(self.feedback.look)


async def end_with_parent() -> None:
    """End this worker in good order if the process that started it is gone, because no other process would."""
    parent = multiprocessing.parent_process()
    if parent is not None and not parent.is_alive():
        os.kill(os.getpid(), signal.SIGTERM)


def context_of(request: Request) -> Context:
    """Give what the application of a request has."""
    context: Context = request.app.state.context
    return context


async def reader(request: Request) -> Context:
    """Let a request through that reads."""
    context = context_of(request)
    request.state.who = context.access.check(request.headers, "read")
    return context


async def review_reader(request: Request) -> Context:
    """Let a request through that may read who reviewed how much: `--open-reading` does not suffice."""
    context = context_of(request)
    request.state.who = context.access.check(request.headers, "read", allow_open=False)
    return context


async def writer(request: Request) -> Context:
    """Let a request through that writes."""
    context = context_of(request)
    request.state.who = context.access.check(request.headers, "write")
    return context


def who(request: Request, given: str | None) -> str:
    """Say whose doing it is: the token's owner, or who is named."""
    return request.state.who or given or SOMEBODY
