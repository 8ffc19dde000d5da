"""Running a server: the address, the processes, and what becomes of them."""

import asyncio
import inspect
import logging
import resource
import shutil
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.supervisors import Multiprocess

from classmark.errors import InputError
from classmark.server.access import Access
from classmark.server.application import create_app
from classmark.server.feedback import is_there
from classmark.server.materials import Materials
from classmark.server.metrics import share_between_processes
from classmark.server.settings import ServerSettings
from classmark.server.versions import take_up
from classmark.store import Store

SECONDS_TO_ASK = 20
"""How long a connection may stay open before it has sent a whole head of a request."""
SECONDS_TO_READ = 60
"""How long a client may leave a response unread that does not fit into the buffers, before its connection ends."""
SECONDS_TO_START = 60
"""A worker that says nothing for so long is taken for hung, and replaced. uvicorn's own 5 seconds are less than what a
busy machine takes to import everything, and a worker would be killed before it has begun, time and again."""
BACKLOG = 2048
SWITCH_INTERVAL = 0.0005
"""Seconds after which the event loop and the computing threads take turns; by default each waits 5 ms for the other."""


class Hurried(HttpToolsProtocol):
    """Connection that is closed if the head of a request takes long to come, or a response is not read."""

    _deadline: asyncio.TimerHandle
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to count."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(SECONDS_TO_ASK, self._give_up)

    def on_message_begin(self) -> None:
        """Begin to count anew."""
        super().on_message_begin()
        if self._deadline.cancelled():
            self._deadline = self.loop.call_later(SECONDS_TO_ASK, self._give_up)

    def on_headers_complete(self) -> None:
        """Let who has asked wait for the answer."""
        self._deadline.cancel()
        super().on_headers_complete()

    def pause_writing(self) -> None:
        """Begin to count how long the client reads nothing."""
        super().pause_writing()
        # Closing would wait until everything is read; the connection is aborted, which frees what it holds.
        self._unread = self.loop.call_later(SECONDS_TO_READ, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop counting."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting."""
        self._deadline.cancel()
        if self._unread is not None:
            self._unread.cancel()
        super().connection_lost(exc)

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()


def application() -> ASGIApp:
    """Make the application of a worker process, as its environment says."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    return create_app(ServerSettings.from_environment())


def serve(settings: ServerSettings, tell: Callable[[str], None] = print) -> None:
    """Serve models until somebody asks to stop; what is wrong is said before anything listens."""
    settings.check()
    Access(settings)
    Materials(settings)
    if is_there(settings.store):
        Store.open(settings.store).close()
    if settings.workers > 1:
        for path in settings.models.values():
            # Workers load it again, and share what is mapped.
            take_up(Path(path))
    _, max_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max_files, max_files))
    address = _bound(settings)
    host, port = address.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    if settings.workers == 1:
        sys.setswitchinterval(SWITCH_INTERVAL)
        app: Any = create_app(settings)
        tell(f"serving {', '.join(settings.models)} at http://{shown}:{port}/ (/docs says how to ask)")
        # Having ended in good order uvicorn raises what it was asked to end by; for a server that is no failure.
        with suppress(KeyboardInterrupt):
            uvicorn.Server(_configured(settings, app)).run(sockets=[address])
        return
    settings.to_environment()
    counted = share_between_processes()
    config = _configured(settings, "classmark.server.running:application", factory=True)
    tell(f"serving {', '.join(settings.models)} at http://{shown}:{port}/ with {settings.workers} workers")
    try:
        _workers(config, address).run()
    finally:
        shutil.rmtree(counted, ignore_errors=True)


def _workers(config: uvicorn.Config, address: socket.socket) -> Multiprocess:
    """Give what starts the processes and keeps them; older versions of uvicorn must be told what a process does."""
    config.timeout_worker_healthcheck = SECONDS_TO_START
    told: dict[str, Any] = {"config": config, "sockets": [address]}
    if "target" in inspect.signature(Multiprocess).parameters:
        told["target"] = uvicorn.Server(config).run
    return Multiprocess(**told)


def _configured(settings: ServerSettings, app: Any, *, factory: bool = False) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        factory=factory,
        workers=settings.workers,
        http=Hurried,
        ws="none",
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_graceful_shutdown=10,
        timeout_keep_alive=30,
        backlog=BACKLOG,
    )


def _bound(settings: ServerSettings) -> socket.socket:
    """Take the address, before workers are started: one that is taken is said in a line."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        address = socket.create_server((settings.host.strip("[]"), settings.port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        told = getattr(error, "strerror", None) or error
        raise InputError(f"--host {settings.host} --port {settings.port}: cannot listen there ({told})") from None
    address.set_inheritable(True)
    return address
