"""A farm: a Dask scheduler and workers, each a process of its own, that come, go and are killed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from classmark.parallel.cluster.connecting import Cluster, cluster
from tests import forking, looping

SECONDS = 60


DASK = """
import dask
from dask.__main__ import main
dask.config.refresh()
main()
"""
ENTER = """
import ctypes
with open("/var/run/netns/{namespace}") as file:
    assert ctypes.CDLL(None, use_errno=True).setns(file.fileno(), 0) == 0, ctypes.get_errno()
"""


class Machine(NamedTuple):
    """The address at which a process listens, and the network namespace in which it runs."""

    host: str = "127.0.0.1"
    namespace: str = ""


class Farm:
    """A scheduler and some workers of one thread, each on a machine, at ports that were free."""

    def __init__(self, folder: Path, machine: Callable[[], Machine] = Machine) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.workers: list[subprocess.Popen[bytes]] = []
        self._machine = machine
        command = ["scheduler", "--port", "0", "--no-dashboard", "--no-show"]
        self.scheduler = self._start([*command, "--scheduler-file", str(self.file)])
        until(lambda: self.file.is_file() and self.file.read_text().strip(), "the scheduler")
        self.address: str = json.loads(self.file.read_text())["address"]

    def _start(self, arguments: list[str], new: bool = False, **environment: str) -> subprocess.Popen[bytes]:
        host, namespace = self._machine()
        program = (ENTER.format(namespace=namespace) if namespace else "") + DASK
        arguments += ["--host", host]
        with (self.folder / "log").open("ab") as log:
            options: dict[str, Any] = {"stdout": log, "stderr": log, "env": os.environ | environment}
            if new:
                return subprocess.Popen([sys.executable, "-c", program, *arguments], **options)
            return forking.start(arguments, program, **options)

    def start_worker(self, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start one more worker without waiting for it.

        A worker with options or variables of its own (a limit of memory, another version) is not forked.
        """
        fixed = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "30"]
        new = bool(options or environment)
        worker = self._start(["worker", self.address, *fixed, *options], new, **environment)
        self.workers.append(worker)
        return worker

    def exactly(self, count: int) -> "Farm":
        """Start or stop workers until there are so many."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        for worker in self.workers[count:]:
            stop(worker, signal.SIGTERM)
        self.workers = self.workers[:count]
        while len(self.workers) < count:
            self.start_worker()
        until(lambda: len(self.known()) == count, f"{count} workers")
        return self

    def known(self) -> dict[str, Any]:
        """Give the workers that the scheduler knows, by their addresses."""
        from distributed import rpc

        # A client starts a thread in which the garbage collector may close an older client, which waits for this one.
        async def identity() -> dict[str, Any]:
            async with rpc(self.address) as scheduler:
                return dict(await scheduler.identity(n_workers=-1))

        return dict(looping.run(identity())["workers"])

    @contextmanager
    def cluster(self, count: int, patience: float = 20.0) -> Iterator[Cluster]:
        """Work on so many workers inside the block."""
        with cluster(self.exactly(count).address, patience=patience) as place:
            yield place

    def close(self) -> None:
        """End all processes."""
        for process in (*self.workers, self.scheduler):
            stop(process, signal.SIGKILL)


def stop(process: subprocess.Popen[bytes], how: signal.Signals) -> None:
    """End a process and wait for its end."""
    if process.poll() is None:
        process.send_signal(how)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)


def until(holds: Any, what: str) -> None:
    """Wait until something holds."""
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end, f"{what} did not come"
        time.sleep(0.05)
