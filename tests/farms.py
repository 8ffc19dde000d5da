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

from classmark.parallel.cluster.connecting import cluster
from classmark.parallel.cluster.place import Cluster

SECONDS = 60


class Machine(NamedTuple):
    """Where a process runs: the address it listens at, and what its command begins with."""

    host: str = "127.0.0.1"
    enter: tuple[str, ...] = ()


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

    def _start(self, arguments: list[str], **environment: str) -> subprocess.Popen[bytes]:
        host, enter = self._machine()
        command = [*enter, sys.executable, "-m", "dask", *arguments, "--host", host]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | environment)

    def start_worker(self, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start one worker more; it comes when it comes."""
        fixed = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "30"]
        worker = self._start(["worker", self.address, *fixed, *options], **environment)
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
        from distributed import Client

        with Client(self.address, set_as_default=False, timeout=10) as client:
            return dict(client.scheduler_info(n_workers=-1)["workers"])

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
