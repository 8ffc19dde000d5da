"""A real server in a process of its own, for tests that ask it over the network as anybody would."""

import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import IO, Any

import httpx

from tests import forking

SECONDS_TO_START = 120
ADDRESS = re.compile(r"at (http://\S+?)/? ")


@dataclass
class Server:
    """A server that runs."""

    process: "subprocess.Popen[str]"
    url: str
    lines: list[str] = field(default_factory=list)
    """What it has said until now."""

    def ask(self, method: str, path: str, **given: Any) -> httpx.Response:
        """Ask it something."""
        return httpx.request(method, self.url + path, timeout=60, **given)

    def kill(self) -> None:
        """End it at once, as a failure of the machine would."""
        self.process.kill()
        self.process.wait()


@contextmanager
def running(
    models: Mapping[str, Path | str] | Sequence[Path | str],
    *options: str,
    store: Path | str | None = None,
    folder: Path | str | None = None,
) -> Iterator[Server]:
    """Start `classmark serve` at a free port, and stop it at the end.

    `models` are paths, by their names or alone; the store is `store`, or else `classmark.sqlite` in `folder`, which
    the server is started in.
    """
    named = [f"{name}={path}" for name, path in models.items()] if isinstance(models, Mapping) else map(str, models)
    kept = [] if store is None else ["--store", str(store)]
    command = ["serve", *named, "--port", "0", *kept, *options]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = forking.start(command, stderr=subprocess.PIPE, cwd=folder, env=environment, text=True, bufsize=1)
    assert process.stderr is not None
    server = Server(process, "")
    Thread(target=_listen, args=(process.stderr, server.lines), daemon=True).start()
    try:
        _wait(server)
        yield server
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _listen(stream: IO[str], lines: list[str]) -> None:
    with stream:
        lines.extend(iter(stream.readline, ""))


def _wait(server: Server) -> None:
    """Wait until it answers; what it said instead is in the error."""
    end = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < end and server.process.poll() is None:
        found = next(filter(None, map(ADDRESS.search, list(server.lines))), None)
        if found is not None:
            server.url = found[1]
            try:
                if server.ask("GET", "/readyz").is_success:
                    return
            except httpx.TransportError:
                pass
        time.sleep(0.05)
    raise AssertionError(f"the server has not started: {''.join(server.lines)}")
