"""A web server on this machine alone that misbehaves on demand."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """What the server has, how it behaves, and what it was asked.

    `cuts` holds for each answer to come how many bytes of it are sent before the connection is cut; `None` sends all.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    cuts: list[int | None] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    knows_ranges: bool = True
    knows_if_range: bool = True
    tells_length: bool = True
    hangs: bool = False
    stalls_after: int | None = None
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    url: str = ""
    released: threading.Event = field(default_factory=threading.Event)

    def ranges(self) -> list[str | None]:
        """The Range header of each request."""
        return [headers.get("Range") for _, headers in self.asked]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def site(self) -> Site:
        return self.server.site  # type: ignore[attr-defined]

    def do_GET(self) -> None:
        site, name = self.site, self.path.removeprefix("/")
        site.asked.append((self.path, dict(self.headers)))
        self.close_connection = True
        if site.hangs:
            site.released.wait(10)
        elif site.statuses:
            self._short(site.statuses.pop(0))
        elif name in site.redirects:
            self._short(302, Location=site.redirects[name])
        elif name not in site.files:
            self._short(404)
        else:
            self._send(site.files[name], site.tags.get(name))

    def _short(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for key, value in {**headers, "Content-Length": "0"}.items():
            self.send_header(key, value)
        self.end_headers()

    def _send(self, content: bytes, tag: str | None) -> None:
        start = self._start(tag)
        if start >= len(content) > 0:
            self._short(416, **{"Content-Range": f"bytes */{len(content)}"})
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        if self.site.tells_length:
            self.send_header("Content-Length", str(len(content) - start))
        if tag is not None:
            self.send_header("ETag", tag)
        self.end_headers()
        if self.site.stalls_after is not None:
            self.wfile.write(content[start : start + self.site.stalls_after])
            self.site.released.wait(10)
            return
        cut = self.site.cuts.pop(0) if self.site.cuts else None
        self.wfile.write(content[start:] if cut is None else content[start : start + cut])
        self.wfile.flush()
        if cut is not None:
            self.connection.shutdown(socket.SHUT_RDWR)

    def _start(self, tag: str | None) -> int:
        asked, known = self.headers.get("Range"), self.headers.get("If-Range")
        if asked is None or not self.site.knows_ranges:
            return 0
        if known is not None and self.site.knows_if_range and known != tag:
            return 0
        return int(asked.removeprefix("bytes=").removesuffix("-"))

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serving() -> Iterator[Site]:
    """Serve on a free port of the loopback interface, until the end of the block."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        site = server.site = Site(url=f"http://127.0.0.1:{server.server_port}")  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield site
        finally:
            site.released.set()
            server.shutdown()
            thread.join()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
