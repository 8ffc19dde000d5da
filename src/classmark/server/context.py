"""What the routes of an application share: projects, the store, metrics, access, and the thread that writes."""

import asyncio
import multiprocessing
import os
import signal
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from fastapi import FastAPI, Request

from classmark.server.access import SOMEBODY, Access
from classmark.server.fairness import FairPool, FairShare
from classmark.server.feedback import Feedback
from classmark.server.logging import LOG, log_texts
from classmark.server.materials import Materials
from classmark.server.metrics import Metrics
from classmark.server.problems import Problem
from classmark.server.projects import Project, Projects
from classmark.server.remembering import Remembered
from classmark.server.retraining import Retrainings
from classmark.server.settings import ServerSettings
from classmark.server.working import Work
from classmark.service.batching.folders import Batches, folder_beside
from classmark.service.likeness import Rows
from classmark.store import Store

T = TypeVar("T")

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
        self.batches = Batches(folder_beside(settings.store) if settings.batches is None else Path(settings.batches))
        self.rows: defaultdict[str, Rows] = defaultdict(Rows)
        self.remembered = Remembered()
        self._threads = FairPool("work", 4)
        self._explainers = FairPool("explain", 1, abandon=True)
        self._explanations = FairShare(MAX_EXPLANATIONS)
        self.work = Work(self.batches, self.projects, settings.limits.length, self.in_thread)

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

    def project(self, name: str) -> Project:
        """Give a project; one that there is not is a 404."""
        return self.projects[name]

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
        """Keep an eye on the models for as long as the application runs."""
        await self.in_thread(self.feedback.catch_up)
        tasks = [asyncio.create_task(self._watch()), asyncio.create_task(self.work.run())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            self.retrainings.close()
            self.projects.close()
            self.feedback.close()
            self._threads.close()
            self._explainers.close()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            end_with_parent()
            try:
                await self.in_thread(self.projects.look)
                await self.in_thread(self.materials.prepare, self.projects)
                if self.feedback.behind:
                    await self.in_thread(self.feedback.catch_up)
            except Exception:  # noqa: BLE001 - logged, and looked at again in a second
                LOG.exception("models cannot be looked at")


def end_with_parent() -> None:
    """End in good order where the process that started this worker is gone: nobody else would end it."""
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


async def writer(request: Request) -> Context:
    """Let a request through that writes."""
    context = context_of(request)
    request.state.who = context.access.check(request.headers, "write")
    return context


def who(request: Request, given: str | None) -> str:
    """Say whose doing it is: the token's owner, or who is named."""
    return request.state.who or given or SOMEBODY
